"""The policies of Progent: for each tool, rules over its arguments as JSON Schemas; what no rule allows is refused.

Which of several rules comes first is a matter of priority there; here the strictest counts, which is never looser.

Source: Progent (arXiv:2504.11703) and its reference implementation, as of November 2026.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..decision import Verdict
from ..errors import Finding
from ..lang.document import Span
from ..lang.inline import is_writable
from .carried import Said, Source, made_stricter, unreadable
from .jsontext import Node, read_json
from .written import without_pattern

TOOL = "run_bash"
_KEYS = ("priority", "effect", "conditions", "fallback")
_ALLOW, _FORBID = 0, 1
_ASKS = 2


class _Rule(NamedTuple):
    tool: str
    effect: Verdict
    conditions: Mapping[str, Node]
    span: Span

    @property
    def text(self) -> str:
        about = ", ".join(self.conditions) or "any arguments"
        return f"{self.tool}: {self.effect} by {about}"


def read(text: str, file: str) -> Source:
    """What the policies say.

    Raises:
        Unreadable: They are no JSON, or a rule is none.
    """
    said: list[Said] = []
    findings: list[Finding] = []
    root = read_json(text, file)
    if not isinstance(root.value, Mapping):
        raise unreadable(root.span, "it is no object of tools", "write an array of rules for each tool")
    for tool, node in root.items().items():
        one, more = _tool(tool, list(_rules(tool, node)))
        said += one
        findings += more
    return Source("deny", tuple(said), tuple(findings))


def _rules(tool: str, node: Node) -> Iterator[_Rule]:
    if not isinstance(node.value, tuple) or not tool or "*" in tool or "?" in tool:
        raise unreadable(
            node.span, f"`{tool}` has no array of rules", "write `[[priority, effect, conditions, fallback]]`"
        )
    for item in node.each():
        parts = item.items() or dict(zip(_KEYS, item.each(), strict=False))
        values = {key: parts[key].value for key in _KEYS if key in parts}
        conditions = parts.get("conditions", Node({}, item.span))
        if (
            set(parts) - set(_KEYS)
            or values.get("effect", _ALLOW) not in (_ALLOW, _FORBID)
            or (not isinstance(conditions.value, Mapping))
        ):
            raise unreadable(item.span, "this is no rule", "write `[priority, effect, conditions, fallback]`")
        asks = values.get("fallback", 0) == _ASKS
        effect: Verdict = "allow" if values.get("effect", _ALLOW) == _ALLOW else "ask" if asks else "deny"
        yield _Rule(tool, effect, conditions.items(), item.span)


def _tool(tool: str, rules: Sequence[_Rule]) -> tuple[list[Said], list[Finding]]:
    grants = [rule for rule in rules if rule.effect == "allow"]
    said: list[Said] = []
    findings: list[Finding] = []
    for rule in rules:
        if rule.effect != "allow":
            one, more = _refusal(rule)
            said += one
            findings += more
    if grants and len(grants) < len(rules):
        why = "rules that allow and rules that forbid go by priority there; here the strictest counts"
        findings.append(made_stricter(grants[0].span, tool, why, "look at what both are about"))
    if grants:
        one, more = _granted(tool, grants)
        said += one
        findings += more
    return said, findings


def _granted(tool: str, grants: Sequence[_Rule]) -> tuple[list[Said], list[Finding]]:
    """A grant of the tool, and what its arguments must be: one of the tables."""
    tables = [_table(rule) for rule in grants]
    text = "; ".join(rule.text for rule in grants)
    whole = Said("allow", "tools", (tool,), grants[0].span, text, (tool,), {"commands": "any"})
    if any(not rule.conditions for rule in grants):
        return [whole], []
    usable = [table for table in tables if table is not None]
    findings = [
        finding
        for rule, table in zip(grants, tables, strict=True) if table is None
        for finding in without_pattern(Said("allow", "tools", (tool,), rule.span, rule.text, (tool,)), _WHY)[1]
    ]  # fmt: skip
    if not usable:
        return [], findings
    fields = {"list": "only", "tools": [tool], "extra": "allow"}
    confined = Said(
        "deny", "arguments", tuple(usable), grants[0].span, text, (tool,), fields, "what it must be called with"
    )
    return [whole, confined], findings


_WHY = "a condition of it is no JSON Schema that TOML can say"


def _refusal(rule: _Rule) -> tuple[list[Said], list[Finding]]:
    if not rule.conditions:
        return [Said(rule.effect, "tools", (rule.tool,), rule.span, rule.text, (rule.tool,))], []
    table = _table(rule)
    one = Said(
        rule.effect, "arguments", (table or {},), rule.span, rule.text, (rule.tool,),
        {"tools": [rule.tool], "missing": "deny"},
    )  # fmt: skip
    if table is not None:
        return [one], []
    kept, findings = without_pattern(one, _WHY)
    return ([] if kept is None else [kept]), findings


def _table(rule: _Rule) -> dict[str, Any] | None:
    """The table of an `arguments` rule: each argument with its schema; `None` where it cannot be said."""
    found: dict[str, Any] = {}
    for argument, node in rule.conditions.items():
        schema = node.plain()
        if not isinstance(schema, Mapping) or not is_writable(schema):
            return None
        pointer = argument.replace("~", "~0").replace("/", "~1")
        found[f"/{pointer}"] = {"schema": schema}
    return found
