"""What each harness can be told, and what becomes of a rule where it cannot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Abilities(NamedTuple):
    """What becomes of an answer in one harness; an empty text says that it does what it should.

    Attributes:
        asks: What becomes of a question.
        rewrites: What becomes of new arguments.
        results: What becomes of a result that output rules change.
        results_pass: Whether some of those results reach the model as they were.
        reminders: What becomes of a notice to the model.
        lapses: When the harness runs a tool without the answer of its hook, whatever the rules say.
        unseen: What never comes by.
    """

    asks: str = ""
    rewrites: str = ""
    results: str = ""
    results_pass: bool = False
    reminders: str = ""
    lapses: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()


_LATE = "it runs the tool where the hook takes longer than the timeout in its settings; the hook answers long before"
_KILLED = "it runs the tool where the hook itself is killed together with the shell that started it"
_FAILED = "the text of a call that has failed comes by no hook that could change it, so output rules do not reach it"

ABILITIES: Mapping[str, Abilities] = {
    "claude-code": Abilities(lapses=(_LATE, _KILLED), unseen=(_FAILED,)),
    "gemini": Abilities(
        asks="the call is refused: a hook that asks would lift a deny of Gemini CLI's own policy",
        results="the model reads the new text as that of an error, behind `Tool result blocked:`; images are left out",
        reminders="only the person is shown it",
        lapses=(_LATE, _KILLED, "it runs no hook of a project in a folder that it does not trust"),
    ),
    "codex": Abilities(
        asks="the call is refused: Codex takes a hook that asks for one that has failed, and runs the tool",
        rewrites="a rewrite that takes the command away, or moves the call to another environment, refuses the call",
        results="the result is blocked, and the model reads the new text as the reason",
        lapses=(_LATE, _KILLED, "it runs no hook that nobody has trusted with `/hooks`, also after it has changed"),
        unseen=("what is typed into a session that is open already (`write_stdin`) fires no hook",),
    ),
    "copilot": Abilities(
        lapses=(_LATE,),
        unseen=(_FAILED, "the cloud agent takes a question for a refusal"),
    ),
    "cursor": Abilities(
        asks="the call is refused: Cursor takes `ask` at `preToolUse` and asks nobody",
        results="only results of MCP tools are replaced; of others the model reads everything, and a warning",
        results_pass=True,
        reminders="Cursor need not show it where the call runs",
        unseen=("after a command that has failed no hook is run, so output rules do not reach its text",),
    ),
}
