"""Cursor: what its hooks hand over becomes a call, and the decision becomes an answer.

It runs the tool where a hook fails or is late, unless the hook is installed with `failClosed`. What `preToolUse` is
asked about is every tool; the events for commands, MCP tools and files are about the same calls once more, so that
only one of them should be installed.

Source: its documentation of hooks, and others' reading of the program of 2026.09.18; nothing was run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..call import Call, Tool
from ..calls import parse
from ..decision import Decision
from ..errors import CallError
from ..plan.sitting import Sitting
from .cursor_answers import BEFORE, MCP, READ, SHELL, denied, no_opinion, shaped
from .hook_answers import Answer
from .hook_calls import Event, absolute, arguments, folder, needed, settings_files, text
from .hook_results import Shaper, shown

SERVED = "MCP:"
"""How Cursor begins the name of a tool that comes from an MCP server."""

UNTOUCHED = "the rules change this result, and Cursor shows it as it was; do not repeat what it holds"


def call_of(event: Event, environ: Mapping[str, str]) -> Call:
    """The call that an event is about.

    `{root}` is the one folder that is open; where several are, it is that of the rule file.

    Raises:
        CallError: Something that a call needs is missing or has the wrong type.
    """
    said = event.told
    root = _root(said, environ)
    where = said if said.get("cwd") or root is None else {"cwd": root}
    name, given = _asked_for(event)
    return Call(
        Tool(name),
        given,
        call_id=text(said, "tool_use_id") or text(said, "generation_id") or "",
        cwd=folder(where),
        root=root,
        session=text(said, "session_id") or text(said, "conversation_id"),
    )


def _asked_for(event: Event) -> tuple[str, Mapping[str, Any]]:
    """The tool and its arguments, as `preToolUse` would have named them."""
    said = event.told
    if event.name == SHELL:
        return "Shell", {"command": needed(said, "command")}
    if event.name == READ:
        attached = said.get("attachments")
        return "Read", {"file_path": needed(said, "file_path"), **({"attachments": attached} if attached else {})}
    name = needed(said, "tool_name")
    # A server may call its tool as it likes, also `Shell`.
    name = f"{SERVED}{name}" if event.name == MCP and not name.startswith(SERVED) else name
    return name, arguments(said, "tool_input", encoded=event.name != BEFORE)


def misfit(event: Event, call: Call, decision: Decision) -> str:  # noqa: ARG001 - as in `Harness`
    """Why Cursor would run the call as it was instead of with the new arguments, or nothing."""
    if event.name == BEFORE:
        return ""
    return f"a rule rewrites this call, and Cursor takes new arguments at `{BEFORE}` alone; install the hook there"


def _root(said: Mapping[str, Any], environ: Mapping[str, str]) -> str | None:
    opened = said.get("workspace_roots")
    if isinstance(opened, list) and len(opened) == 1 and isinstance(opened[0], str):
        return absolute(opened[0])
    return None if opened else absolute(environ.get("CURSOR_PROJECT_DIR"))


def after(event: Event, sitting: Sitting) -> Answer:
    """The answer after a call: the result of an MCP tool as output rules shape it; of others there is but a warning."""
    output = event.told.get("tool_output")
    try:
        value = parse(output) if isinstance(output, str) else output
    except CallError:
        value = output
    new = Shaper(sitting).any(value)
    if new == value:
        return no_opinion(event.name)
    if not sitting.original.tool.name.startswith(SERVED):
        return denied(event.name, UNTOUCHED)
    return shaped(new if isinstance(new, dict) else {"content": [{"type": "text", "text": shown(new)}]})


def installed_hooks(cwd: str, home: str | None, environ: Mapping[str, str]) -> tuple[str, ...]:
    """The files in which Cursor's hooks are installed."""
    return settings_files((cwd, environ.get("CURSOR_PROJECT_DIR"), home), (".cursor/hooks.json",))
