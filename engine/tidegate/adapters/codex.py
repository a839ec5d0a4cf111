"""Codex: what its hooks hand over becomes a call, and the decision becomes an answer.

It runs the tool where a hook fails or is late; `cli/hook.py` sees to that. What is typed into a session that is open
already (`write_stdin`) comes by no hook. Its own sandbox and rules judge what a hook has rewritten.

Source: the JSON Schemas and messages in the program of 0.171.0, and its documentation of hooks.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..call import Call, Tool
from ..decision import Decision
from ..plan.sitting import Sitting
from .codex_answers import denied, no_opinion
from .hook_answers import Answer
from .hook_calls import Event, absolute, arguments, folder, needed, settings_files, text
from .hook_results import Shaper, shown

COMMANDS = frozenset({"Bash", "apply_patch"})
"""The tools whose new arguments Codex takes only with a text under `command`."""

_PLACES = ("environment", "environment_id")
"""What a hook may not change; one that does has failed, and the tool runs as it was."""


def call_of(event: Event, environ: Mapping[str, str]) -> Call:  # noqa: ARG001 - Codex says nothing there
    """The call that an event is about.

    The server of an MCP tool stands only in its joined name, which is never taken apart.

    Raises:
        CallError: Something that a call needs is missing or has the wrong type.
    """
    said = event.told
    return Call(
        Tool(needed(said, "tool_name")),
        arguments(said, "tool_input"),
        call_id=text(said, "tool_use_id") or "",
        cwd=folder(said),
        agent=text(said, "agent_id"),
        session=text(said, "session_id"),
        mode=text(said, "permission_mode"),
    )


def misfit(event: Event, call: Call, decision: Decision) -> str:  # noqa: ARG001 - as in `Harness`
    """Why Codex would run the tool as it was instead of with the new arguments, or nothing."""
    new = decision.arguments or {}
    if call.tool.name in COMMANDS and not isinstance(new.get("command"), str):
        return "a rule takes away the command of this call, and Codex would run it all the same"
    if any(new.get(key) != call.arguments.get(key) for key in _PLACES):
        return "a rule moves this call to another environment, and Codex would run it where it was"
    return ""


def after(event: Event, sitting: Sitting) -> Answer:
    """The answer after a call: where output rules change its result, the text of the new one in its place."""
    response = event.told.get("tool_response")
    new = Shaper(sitting).any(response)
    if new == response:
        return no_opinion(event.name)
    return denied(event.name, shown(new) or "[nothing is left of the result]")


def installed_hooks(cwd: str, home: str | None, environ: Mapping[str, str]) -> tuple[str, ...]:
    """The files in which Codex's hooks are installed, trusted and switched off."""
    names = ("hooks.json", "config.toml")
    own = settings_files((absolute(environ.get("CODEX_HOME")),), names)
    return (*own, *settings_files((cwd, home), (f".codex/{name}" for name in names)))
