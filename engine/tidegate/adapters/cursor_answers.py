"""What Cursor's hooks may answer, with exactly the keys of its contract.

Imports nothing but the standard library: the process that must answer whatever happens begins here.

Before a call Cursor wants to read a `permission` and refuses without one, so that to have nothing against a call is
said as `allow` here, as nowhere else; Cursor's own lists and questions come after that. It takes `ask` at
`preToolUse` and then asks nobody, and knows none at `beforeReadFile`: there a question is a refusal. New arguments are
taken at `preToolUse` alone, and a new result only of MCP tools.

Source: its documentation of hooks, and others' reading of the program of 2026.09.18; nothing was run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .hook_answers import WITHHELD, Answer, Stage

BEFORE = "preToolUse"
SHELL = "beforeShellExecution"
MCP = "beforeMCPExecution"
READ = "beforeReadFile"
AFTER = "postToolUse"

EVENTS: Mapping[str, Stage] = {BEFORE: "before", SHELL: "before", MCP: "before", READ: "before", AFTER: "after"}
FIRST = BEFORE

MOST_CONTEXT = 10_000
"""How many characters of context Cursor takes; it drops what is longer."""


def asks(event: str) -> bool:
    """Whether a question at this event reaches the person."""
    return event in (SHELL, MCP)


def denied(event: str, reason: str) -> Answer:
    """Refuse the call; after it only the model can be told, and nothing is taken back."""
    if event == AFTER:
        return {"additional_context": reason[:MOST_CONTEXT]}
    return {"permission": "deny", "user_message": reason, "agent_message": reason}


def asked(event: str, reason: str, arguments: Mapping[str, Any] | None) -> Answer:
    """Have the person asked, where that is possible and the call is as it came; else refuse."""
    if not asks(event) or arguments is not None:
        return denied(event, reason)
    return {"permission": "ask", "user_message": reason, "agent_message": reason}


def rewritten(_: str, arguments: Mapping[str, Any]) -> Answer:
    """Let the call run with other arguments."""
    return {"permission": "allow", "updated_input": arguments}


def no_opinion(event: str) -> Answer:
    """Have nothing against the call; Cursor's own lists and questions decide."""
    return {} if event == AFTER else {"permission": "allow"}


def reminded(_: str, answer: Answer, notice: str) -> Answer:
    """The *answer* before a call, with a notice."""
    return {**answer, "user_message": notice, "agent_message": notice}


def shaped(output: Any) -> Answer:
    """Replace the result of an MCP tool."""
    return {"updated_mcp_tool_output": output}


def withheld(_: str, data: bytes) -> Answer:  # noqa: ARG001 - whatever it was, this is what the model may read
    """Keep the result of an MCP tool from the model; of other tools it cannot be kept."""
    return {**shaped({"content": [{"type": "text", "text": WITHHELD}]}), **denied(AFTER, WITHHELD)}
