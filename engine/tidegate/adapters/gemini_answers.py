"""What Gemini CLI's hooks may answer, with exactly the keys of its contract.

Imports nothing but the standard library: the process that must answer whatever happens begins here.

Gemini CLI takes a hook's `ask` for more than its own policy's deny, so nothing here asks: a question is a refusal.
Arguments are replaced as a whole, whatever its documentation says of merging. A result cannot be changed, only
blocked, and then the model reads the reason in its place, as the text of an error.

Source: its reference of hooks and the sources of 0.61.0 (`HookRunner`, `HookAggregator`, `evaluateBeforeToolHook`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .hook_answers import WITHHELD, Answer, Stage

BEFORE = "BeforeTool"
AFTER = "AfterTool"

EVENTS: Mapping[str, Stage] = {BEFORE: "before", AFTER: "after"}
FIRST = BEFORE


def asks(_: str) -> bool:
    """No question may be asked."""
    return False


def denied(_: str, reason: str) -> Answer:
    """Refuse the call, or put the reason in the place of its result."""
    return {"decision": "deny", "reason": reason}


def asked(event: str, reason: str, _: Mapping[str, Any] | None) -> Answer:
    """Refuse: a question would lift a deny of Gemini CLI's own policy."""
    return denied(event, reason)


def rewritten(_: str, arguments: Mapping[str, Any]) -> Answer:
    """Let the call run with other arguments; Gemini CLI's policy then judges these."""
    return {"hookSpecificOutput": {"hookEventName": BEFORE, "tool_input": arguments}}


def no_opinion(_: str) -> Answer:
    """Say nothing, so that Gemini CLI's own policy decides."""
    return {}


def reminded(_: str, answer: Answer, notice: str) -> Answer:
    """The *answer* with a notice; before a call only the person can be shown one."""
    return {**answer, "systemMessage": notice}


def withheld(event: str, _: bytes) -> Answer:
    """Keep the result from the model."""
    return denied(event, WITHHELD)
