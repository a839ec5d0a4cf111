"""The OpenAPI description of the service; its schemas are what a test holds real answers against."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import authzen

Schema = Mapping[str, Any]

_TEXT: Schema = {"type": "string"}
_OBJECT: Schema = {"type": "object"}
_PERHAPS: Schema = {"type": ["string", "null"]}
_EFFECT: Schema = {"enum": ["allow", "ask", "deny"]}


def document(version: str) -> dict[str, Any]:
    """The description, as OpenAPI 3.1 has it."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "tidegate",
            "version": version,
            "description": "Decides tool calls of AI agents by rules. Whatever goes wrong is a deny.",
        },
        "paths": _paths(),
        "components": {
            "schemas": _schemas(),
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "certificate": {"type": "mutualTLS"},
            },
        },
    }


def _paths() -> dict[str, Any]:
    asked = (
        ("/v1/decide", "Decide a call; what it takes from limits is taken at once.", "Call", "Decision"),
        ("/v1/decide/batch", "Decide several calls in their order.", "Calls", "Decisions"),
        ("/v1/peek", "Decide a call, take nothing from limits, and leave no record.", "Call", "Decision"),
        ("/v1/explain", "Say how a decision comes about, to clients that may see it.", "Call", "Explanation"),
        (authzen.EVALUATION, "OpenID AuthZEN: one evaluation.", "Evaluation", "EvaluationAnswer"),
        (authzen.EVALUATIONS, "OpenID AuthZEN: several evaluations.", "Evaluations", "EvaluationsAnswer"),
    )
    read = (
        ("/healthz", "Whether the process is alive.", "Alive"),
        ("/readyz", "Whether decisions are made, and by which rules.", "Ready"),
        (authzen.CONFIGURATION, "OpenID AuthZEN: where the endpoints are.", "Configuration"),
    )
    paths: dict[str, Any] = {path: {"post": _post(*parts)} for path, *parts in asked}
    paths |= {path: {"get": _get(summary, _json(answer))} for path, summary, answer in read}
    paths["/metrics"] = {"get": _get("Metrics for Prometheus.", {"text/plain": {"schema": _TEXT}}, secured=True)}
    return paths


def _post(summary: str, question: str, answer: str) -> dict[str, Any]:
    return {
        "summary": summary,
        "security": [{"token": []}, {"certificate": []}, {}],
        "requestBody": {"required": True, "content": _json(question)},
        "responses": {
            "200": {"description": "The answer.", "content": _json(answer)},
            "default": {"description": "No decision was made, which is a deny.", "content": _json("Refusal")},
        },
    }


def _get(summary: str, content: Mapping[str, Any], *, secured: bool = False) -> dict[str, Any]:
    found: dict[str, Any] = {
        "summary": summary,
        "responses": {"200": {"description": "The answer.", "content": content}},
    }
    if secured:
        found["security"] = [{"token": []}, {"certificate": []}, {}]
    return found


def _json(name: str) -> dict[str, Any]:
    return {"application/json": {"schema": _ref(name)}}


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _closed(required: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    """An object with these properties and no others."""
    return {
        "type": "object",
        "required": required.split(),
        "properties": dict(properties),
        "additionalProperties": False,
    }


def _open(required: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    """An object with these properties; others are ignored."""
    return {"type": "object", "required": required.split(), "properties": dict(properties)}


def _schemas() -> dict[str, Any]:
    return {**_own(), **_authzen()}


def _own() -> dict[str, Any]:
    decision = {
        "effect": _EFFECT,
        "rule": _PERHAPS,
        "reason": _TEXT,
        "arguments": {"type": ["object", "null"]},
        "call_id": _TEXT,
        "would": _EFFECT,
    }
    said = _closed("server", {
        "server": _TEXT,
        **dict.fromkeys(("name", "resource", "prompt", "title", "description"), _TEXT),
        **dict.fromkeys(("inputSchema", "outputSchema", "annotations"), _OBJECT),
    })  # fmt: skip
    call = {
        "tool": {"anyOf": [{"type": "string", "minLength": 1}, said]},
        "args": _OBJECT,
        **dict.fromkeys(("call_id", "cwd", "root", "home", "agent", "session", "mode"), _PERHAPS),
        "interactive": {"type": ["boolean", "null"]},
    }
    words = "effect rule reason arguments call_id"
    return {
        "Call": _closed("tool args", call),
        "Calls": _closed("calls", {"calls": {"type": "array", "items": _ref("Call")}}),
        "Decision": _closed(words, decision),
        "Decisions": _closed("decisions", {"decisions": {"type": "array", "items": _ref("Decision")}}),
        "Explanation": _open("decision call effects layers", {"decision": _ref("Decision"), "call": _OBJECT}),
        "Refusal": _closed(
            f"decision {words}",
            {
                "decision": {"const": False},
                "effect": {"const": "deny"},
                "rule": {"type": "null"},
                "reason": _TEXT,
                "arguments": {"type": "null"},
                "call_id": {"const": ""},
            },
        ),
        "Alive": _closed("status", {"status": {"const": "alive"}}),
        "Ready": _closed("ready rules", {"ready": {"const": True}, "rules": {"enum": ["current", "last good"]}}),
    }


def _authzen() -> dict[str, Any]:
    text = {"type": "string", "minLength": 1}
    subject = _open("type id", {"type": text, "id": text, "properties": _OBJECT})
    action = _open("name", {"name": text, "properties": _OBJECT})
    parts = {"subject": subject, "action": action, "resource": subject, "context": _OBJECT}
    answer = _closed("decision", {"decision": {"type": "boolean"}, "context": _OBJECT})
    answers = _closed("evaluations", {"evaluations": {"type": "array", "items": _ref("EvaluationAnswer")}})
    options = {"type": "object", "properties": {"evaluations_semantic": {"enum": list(authzen.SEMANTICS)}}}
    several = {**dict.fromkeys(parts, _OBJECT), "evaluations": {"type": "array"}, "options": options}
    names = ("policy_decision_point", "access_evaluation_endpoint", "access_evaluations_endpoint")
    return {
        "Evaluation": _open("subject action resource", parts),
        "EvaluationAnswer": answer,
        "Evaluations": {"type": "object", "properties": several},
        "EvaluationsAnswer": {"anyOf": [answers, _ref("EvaluationAnswer")]},
        "Configuration": _closed(" ".join(names), {name: {"type": "string", "format": "uri"} for name in names}),
    }
