"""Claude Code: what its hooks hand over becomes a call, and the decision becomes an answer.

What the harness does with an answer is out of our hands: it runs several hooks side by side on the original call,
and of several rewrites the last one wins. So there should be one hook, and all rules in it. A hook that ends with an
exit code other than 0 and 2, or takes longer than the harness waits, lets the tool run; `cli/hook.py` sees to that.

Source: Claude Code's reference of hooks, as of November 2026.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..call import Call
from ..plan.sitting import Sitting
from .claude_answers import is_mark, no_opinion, shaped, without_copy
from .hook_answers import Answer
from .hook_calls import Event, absolute, arguments, fits, folder, needed, served, settings_files, text
from .hook_results import Shaper

__all__ = ["after", "call_of", "installed_hooks", "misfit"]

misfit = fits


def call_of(event: Event, environ: Mapping[str, str]) -> Call:
    """The call that an event is about.

    `{root}` is the folder that Claude Code gives to its hooks as `CLAUDE_PROJECT_DIR`.

    Raises:
        CallError: Something that a call needs is missing or has the wrong type.
    """
    said = event.told
    return Call(
        served(needed(said, "tool_name"), said.get("mcp_server"), "mcp__{}__"),
        arguments(said, "tool_input"),
        call_id=text(said, "tool_use_id") or "",
        cwd=folder(said),
        root=absolute(environ.get("CLAUDE_PROJECT_DIR")),
        agent=text(said, "agent_id"),
        session=text(said, "session_id"),
        mode=text(said, "permission_mode"),
    )


def after(event: Event, sitting: Sitting) -> Answer:
    """The answer after a call: its result as output rules shape it, in the shape that the tool gave it.

    Every text in it is shaped, wherever it stands; the content blocks of an MCP tool are shaped as a whole. Claude
    Code drops a result that has another shape, so nothing is added to it and no key is taken out.
    """
    response = event.told.get("tool_response")
    new = Shaper(sitting, is_mark).any(response)
    if new == response:
        return no_opinion(event.name)
    return shaped(without_copy(new) if isinstance(new, dict) else new)


def installed_hooks(cwd: str, home: str | None, environ: Mapping[str, str]) -> tuple[str, ...]:
    """The settings files in which Claude Code's hooks are installed."""
    folders = (cwd, environ.get("CLAUDE_PROJECT_DIR"), home)
    return settings_files(folders, (".claude/settings.json", ".claude/settings.local.json"))
