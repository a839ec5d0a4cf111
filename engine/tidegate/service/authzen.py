"""The OpenID AuthZEN Authorization API 1.0: evaluations become calls, and decisions become answers.

Unknown fields are ignored, as the standard asks; what would be lost by that is a fact, and a fact that is absent is
unknown. Source: OpenID AuthZEN Authorization API 1.0, and its certification scenario of 2026.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from ..call import Call
from ..calls import call_of
from ..decision import Decision
from ..errors import CallError
from ..kernel.json_values import same_json, snapshot

EVALUATION = "/access/v1/evaluation"
EVALUATIONS = "/access/v1/evaluations"
CONFIGURATION = "/.well-known/authzen-configuration"

TOOL_CALL = "tool_call"
"""The type of a resource that is a call of a tool: its properties are the arguments, and its id is that of the call."""

Semantic = Literal["execute_all", "deny_on_first_deny", "permit_on_first_permit"]
SEMANTICS: tuple[Semantic, ...] = ("execute_all", "deny_on_first_deny", "permit_on_first_permit")

_REQUIRED = {"subject": ("type", "id"), "action": ("name",), "resource": ("type", "id")}
_PLACES = ("cwd", "root", "home", "mode")


class Evaluation(NamedTuple):
    """One evaluation: the call that it is about, and whether whoever asks takes rewritten arguments."""

    call: Call
    rewrites: bool


class Batch(NamedTuple):
    """Several evaluations, with the defaults filled in and not read yet."""

    items: tuple[Any, ...]
    semantic: Semantic


def batch_of(value: Any) -> Batch | None:
    """The evaluations of a request; `None` where it holds none, and so is itself the one.

    Raises:
        CallError: The request as a whole is none.
    """
    _need(isinstance(value, Mapping), "the request is no object")
    items = value.get("evaluations")
    if items is None or items == []:
        return None
    _need(isinstance(items, list), "`evaluations` must be an array")
    options = value.get("options", {})
    _need(isinstance(options, Mapping), "`options` must be an object")
    semantic = options.get("evaluations_semantic", "execute_all")
    if semantic not in SEMANTICS:
        raise CallError(f"`evaluations_semantic` must be one of {', '.join(SEMANTICS)}")
    defaults = {key: value[key] for key in (*_REQUIRED, "context") if key in value}
    return Batch(tuple(_filled(item, defaults) for item in items), semantic)


def _filled(item: Any, defaults: Mapping[str, Any]) -> Any:
    """An item over the defaults: what it says counts as a whole, and only names that it lacks are filled in."""
    if not isinstance(item, Mapping):
        return item
    filled = {**defaults, **item}
    for key, names in _REQUIRED.items():
        own, other = item.get(key), defaults.get(key)
        if isinstance(own, Mapping) and isinstance(other, Mapping):
            filled[key] = {**{name: other[name] for name in names if name in other}, **own}
    return filled


def evaluation_of(value: Any) -> Evaluation:
    """The call that an evaluation is about.

    Raises:
        CallError: A required field is missing or of the wrong type.
    """
    _need(isinstance(value, Mapping), "the evaluation is no object")
    subject, action, resource = (_entity(value, key) for key in _REQUIRED)
    context = _object(value, "context")
    said = _object(action, "properties")
    call: dict[str, Any] = {
        "tool": action["name"],
        "args": snapshot(_arguments(subject, action, resource)),
        "agent": _agent(subject),
        "session": _object(subject, "properties").get("session"),
        "interactive": context.get("interactive"),
        **{key: context.get(key) for key in _PLACES},
    }
    if resource["type"] == TOOL_CALL:
        call["call_id"] = resource["id"]
    if "server" in said:
        call["tool"] = {"server": said["server"], "name": action["name"]}
    return Evaluation(call_of(call), context.get("rewrites") is True)


def _entity(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = value.get(key)
    if not isinstance(found, Mapping):
        raise CallError(f"`{key}` must be an object")
    for name in _REQUIRED[key]:
        if not isinstance(found.get(name), str) or not found[name]:
            raise CallError(f"`{key}.{name}` must be a text that is not empty")
    return found


def _object(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = value.get(key)
    _need(found is None or isinstance(found, Mapping), f"`{key}` must be an object")
    return found or {}


def _agent(subject: Mapping[str, Any]) -> str:
    """The agent: the id of a subject of the type `agent`, and else `type:id`; two subjects never have the same."""
    kind, name = subject["type"], subject["id"]
    if kind == "agent" and ":" not in name:
        return str(name)
    _need(":" not in kind, "`subject.type` must not hold `:`")
    return f"{kind}:{name}"


def _arguments(subject: Mapping[str, Any], action: Mapping[str, Any], resource: Mapping[str, Any]) -> Mapping[str, Any]:
    """What rules see as arguments: those of the call, or the resource with all that is said of the three."""
    if resource["type"] == TOOL_CALL:
        return _object(resource, "properties")
    return {
        "type": resource["type"],
        "id": resource["id"],
        "resource": _object(resource, "properties"),
        "action": _object(action, "properties"),
        "subject": _object(subject, "properties"),
    }


def answer(evaluation: Evaluation, decision: Decision) -> dict[str, Any]:
    """The answer: `true` only for an allow of the very call that was asked about, or of one that whoever asks takes."""
    arguments, asked = decision.arguments, evaluation.call.arguments
    changed = arguments is not None and arguments is not asked and not same_json(arguments, asked)
    context: dict[str, Any] = {"effect": decision.effect, "rule": decision.rule}
    if decision.reason:
        context["reason"] = decision.reason
    if decision.effect == "allow" and changed and not evaluation.rewrites:
        context["reason"] = "the call may run with other arguments only; say `rewrites: true` in `context` to get them"
        return {"decision": False, "context": context}
    if decision.effect == "allow" and changed:
        context["arguments"] = arguments
    return {"decision": decision.effect == "allow", "context": context}


def failed(reason: str, status: int) -> dict[str, Any]:
    """The answer to an evaluation of a batch that is none, or could not be judged."""
    return {"decision": False, "context": {"effect": "deny", "error": {"status": status, "message": reason}}}


def ends(semantic: Semantic, *, allowed: bool) -> bool:
    """Whether the evaluations end with this decision."""
    return (semantic == "deny_on_first_deny" and not allowed) or (semantic == "permit_on_first_permit" and allowed)


def configuration(base: str) -> dict[str, str]:
    """The metadata of the service at *base*, the URL at which clients reach it."""
    return {
        "policy_decision_point": base,
        "access_evaluation_endpoint": f"{base}{EVALUATION}",
        "access_evaluations_endpoint": f"{base}{EVALUATIONS}",
    }


def _need(holds: bool, reason: str) -> None:
    if not holds:
        raise CallError(reason)
