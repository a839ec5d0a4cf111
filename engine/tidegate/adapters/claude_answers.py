"""What Claude Code's hooks may answer, with exactly the keys of its contract.

Imports nothing but the standard library: the process that must answer whatever happens begins here.

Source: Claude Code's reference of hooks, as of November 2026.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .hook_answers import WITHHELD, Answer, Stage

BEFORE = "PreToolUse"
AFTER = "PostToolUse"
PERMISSION = "PermissionRequest"

EVENTS: Mapping[str, Stage] = {BEFORE: "before", PERMISSION: "permission", AFTER: "after"}
FIRST = BEFORE

_MARKS = frozenset({"type", "mode"})
"""Keys whose strings tell shapes apart; a result in which they changed would be dropped."""

_PERSISTED = ("persistedOutputPath", "persistedOutputSize")
"""Where a long output of `Bash` was put aside; it would be shown in the place of what replaces it."""


def asks(_: str) -> bool:
    """A question reaches the person."""
    return True


def denied(event: str, reason: str) -> Answer:
    """Refuse the call. After the call nothing is left to refuse: the model is told, and told why."""
    if event == PERMISSION:
        return {"hookSpecificOutput": {"hookEventName": event, "decision": {"behavior": "deny", "message": reason}}}
    if event == AFTER:
        return {"decision": "block", "reason": reason}
    return _before("deny", reason)


def asked(_: str, reason: str, arguments: Mapping[str, Any] | None) -> Answer:
    """Have the person asked; *arguments* are the rewritten ones, `None` where they are as they came."""
    return _before("ask", reason, arguments)


def rewritten(_: str, arguments: Mapping[str, Any]) -> Answer:
    """Let the call run with other arguments.

    The contract takes new arguments only beside `allow` or `ask`. This `allow` spares the person the question that
    Claude Code would ask by itself; its deny and ask rules hold all the same.
    """
    return _before("allow", None, arguments)


def no_opinion(_: str) -> Answer:
    """Say nothing, so that Claude Code's own rules and questions decide."""
    return {}


def reminded(_: str, answer: Answer, notice: str) -> Answer:
    """The *answer* before a call, with a notice to the model that decides nothing."""
    inner = {"hookEventName": BEFORE, **answer.get("hookSpecificOutput", {}), "additionalContext": notice}
    return {"hookSpecificOutput": inner}


def shaped(output: Any) -> Answer:
    """Replace the result by *output*, which has the tool's own shape."""
    return {"hookSpecificOutput": {"hookEventName": AFTER, "updatedToolOutput": output}}


def _before(decision: str, reason: str | None, arguments: Mapping[str, Any] | None = None) -> Answer:
    inner: Answer = {"hookEventName": BEFORE, "permissionDecision": decision}
    if reason is not None:
        inner["permissionDecisionReason"] = reason
    if arguments is not None:
        inner["updatedInput"] = arguments
    return {"hookSpecificOutput": inner}


def is_mark(key: str) -> bool:
    """Whether the strings under *key* tell shapes apart and are no text of the result."""
    return key in _MARKS


def without_copy(response: Mapping[str, Any]) -> dict[str, Any]:
    """The response of `Bash` without the copy of its output that was put aside."""
    return {key: value for key, value in response.items() if key not in _PERSISTED}


def withheld(_: str, data: bytes) -> Answer:
    """The answer after a call whose result could not be shaped: each of its texts is withheld, as far as it is JSON."""
    try:
        event = json.loads(data)
        response = event["tool_response"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return denied(AFTER, WITHHELD)
    emptied = _emptied(response)
    return denied(AFTER, WITHHELD) if emptied == response else shaped(emptied)


def _emptied(value: Any, key: str = "") -> Any:
    if isinstance(value, str):
        return value if is_mark(key) or not value else WITHHELD
    if isinstance(value, dict):
        return {name: _emptied(item, name) for name, item in without_copy(value).items()}
    return [_emptied(item, key) for item in value] if isinstance(value, list) else value
