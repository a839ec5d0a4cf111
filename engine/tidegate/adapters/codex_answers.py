"""What Codex's hooks may answer, with exactly the keys of its contract.

Imports nothing but the standard library: the process that must answer whatever happens begins here.

Codex takes an answer with a key too many, or with a decision that it does not know, for a hook that has failed, and
runs the tool. So there is no `ask`, no `allow` without new arguments, and no reason that is empty. A result cannot be
changed, only blocked, and then the model reads the reason in its place.

Source: the JSON Schemas and messages in the program of 0.171.0, and its documentation of hooks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .hook_answers import WITHHELD, Answer, Stage

BEFORE = "PreToolUse"
AFTER = "PostToolUse"
PERMISSION = "PermissionRequest"

EVENTS: Mapping[str, Stage] = {BEFORE: "before", PERMISSION: "permission", AFTER: "after"}
FIRST = BEFORE


def asks(event: str) -> bool:
    """Only where Codex asks anyway, a person is asked."""
    return event == PERMISSION


def denied(event: str, reason: str) -> Answer:
    """Refuse the call, or put the reason in the place of its result."""
    if event == AFTER:
        return {"decision": "block", "reason": reason}
    if event == PERMISSION:
        return _specific(event, decision={"behavior": "deny", "message": reason})
    return _specific(event, permissionDecision="deny", permissionDecisionReason=reason)


def asked(event: str, reason: str, _: Mapping[str, Any] | None) -> Answer:
    """Refuse: a hook that asks has failed, and the tool runs."""
    return denied(event, reason)


def rewritten(event: str, arguments: Mapping[str, Any]) -> Answer:
    """Let the call run with other arguments, which Codex takes only beside `allow`."""
    return _specific(event, permissionDecision="allow", updatedInput=arguments)


def no_opinion(_: str) -> Answer:
    """Say nothing, so that Codex's own rules and questions decide."""
    return {}


def reminded(event: str, answer: Answer, notice: str) -> Answer:
    """The *answer* before a call, with a notice to the model that decides nothing."""
    inner = answer.get("hookSpecificOutput", {})
    return _specific(
        event, **{key: value for key, value in inner.items() if key != "hookEventName"}, additionalContext=notice
    )


def withheld(event: str, _: bytes) -> Answer:
    """Keep the result from the model."""
    return denied(event, WITHHELD)


def _specific(event: str, **keys: Any) -> Answer:
    return {"hookSpecificOutput": {"hookEventName": event, **keys}}
