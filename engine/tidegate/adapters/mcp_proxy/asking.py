"""Questions to the person in front of the client, by elicitation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...kernel.json_values import compact
from ...plan.approval import Approved, Question, Reply
from ...shown import escape, quote

LONGEST = 6_000
LONGEST_ARGUMENTS = 2_000
KEY = "tidegate"
"""The name of the question among the requests for input of a stateless client."""


def question_of(question: Question) -> dict[str, Any]:
    """The params of `elicitation/create` that ask whether a call may run.

    Everything in the message is escaped. A checkbox that nobody has touched says no, and so does a form that is sent
    without it.
    """
    call = question.call
    asked = f"tidegate asks: may {quote(call.tool.raw or call.tool.name)} be used now?"
    shown = f"with: {escape(compact(call.arguments), LONGEST_ARGUMENTS)}"
    lines = [asked, shown, *question.reasons, *(f"it does: {effect}" for effect in question.effects)]
    properties: dict[str, Any] = {
        "allow": {"type": "boolean", "title": "Allow this call", "default": False},
    }
    if "session" in question.scopes:
        properties["remember"] = {"type": "boolean", "title": "Allow it for this session", "default": False}
    schema = {"type": "object", "properties": properties, "required": ["allow"]}
    return {"mode": "form", "message": "\n".join(lines)[:LONGEST], "requestedSchema": schema}


def reply_of(answer: Any, question: Question, person: str) -> Reply | Approved:
    """What the answer to an elicitation means; everything that is no plain yes refuses. *person* is whose client it is.

    Source: `ElicitResult` of MCP 2025-06-18 and later.
    """
    if not isinstance(answer, Mapping):
        return "cancel"
    content = answer.get("content")
    if answer.get("action") != "accept" or not isinstance(content, Mapping):
        return "reject" if answer.get("action") == "decline" else "cancel"
    if content.get("allow") is not True:
        return "reject"
    remembered = content.get("remember") is True and "session" in question.scopes
    return Approved("session" if remembered else "once", by=person)
