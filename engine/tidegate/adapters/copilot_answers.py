"""What Copilot CLI's hooks may answer, with exactly the keys of its contract.

Imports nothing but the standard library: the process that must answer whatever happens begins here.

An event has two names: the one in camel case hands over Copilot's own names of tools, the one in Pascal case those of
Claude Code. Before a call any exit code but 0 refuses; a hook that is late lets the tool run, and so does any failure
at the other events. Two objects on standard output are none.

Source: its reference of hooks and the types in 1.0.102.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .hook_answers import WITHHELD, Answer, Stage

BEFORE = "preToolUse"
AFTER = "postToolUse"
PERMISSION = "permissionRequest"

EVENTS: Mapping[str, Stage] = {
    BEFORE: "before",
    PERMISSION: "permission",
    AFTER: "after",
    "PreToolUse": "before",
    "PermissionRequest": "permission",
    "PostToolUse": "after",
}
FIRST = BEFORE


def asks(_: str) -> bool:
    """A question reaches the person; the cloud agent, which has none, takes it for a refusal."""
    return True


def denied(event: str, reason: str) -> Answer:
    """Refuse the call, or put the reason in the place of its result."""
    stage = EVENTS[event]
    if stage == "permission":
        return {"behavior": "deny", "message": reason}
    if stage == "after":
        return shaped(reason)
    return {"permissionDecision": "deny", "permissionDecisionReason": reason}


def asked(_: str, reason: str, arguments: Mapping[str, Any] | None) -> Answer:
    """Have the person asked; *arguments* are the rewritten ones, `None` where they are as they came."""
    answer: Answer = {"permissionDecision": "ask", "permissionDecisionReason": reason}
    return answer if arguments is None else {**answer, "modifiedArgs": arguments}


def rewritten(_: str, arguments: Mapping[str, Any]) -> Answer:
    """Let the call run with other arguments; who may run it is left to Copilot."""
    return {"modifiedArgs": arguments}


def no_opinion(_: str) -> Answer:
    """Say nothing, so that Copilot's own rules and questions decide."""
    return {}


def reminded(_: str, answer: Answer, notice: str) -> Answer:
    """The *answer* before a call, with a notice to the model that decides nothing."""
    return {**answer, "additionalContext": notice}


def shaped(text: str, kind: str = "success") -> Answer:
    """Replace what the model reads of the result."""
    return {"modifiedResult": {"resultType": kind, "textResultForLlm": text}}


def withheld(_: str, data: bytes) -> Answer:
    """Keep the result from the model; whether the call has succeeded may be known all the same."""
    try:
        kind = json.loads(data)["toolResult"]["resultType"]
    except (ValueError, KeyError, TypeError, RecursionError):
        kind = "success"
    return shaped(WITHHELD, kind if isinstance(kind, str) else "success")
