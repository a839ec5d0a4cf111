"""Gemini CLI: what its hooks hand over becomes a call, and the decision becomes an answer.

It goes on where a hook fails or is late; `cli/hook.py` sees to that. Its policy judges what a hook has rewritten.

Source: its reference of hooks and the sources of 0.61.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..call import Call, Tool
from ..plan.sitting import Sitting
from .gemini_answers import denied, no_opinion
from .hook_answers import Answer
from .hook_calls import Event, absolute, arguments, fits, folder, needed, settings_files, text
from .hook_results import Shaper, shown

__all__ = ["after", "call_of", "installed_hooks", "misfit"]

misfit = fits


def call_of(event: Event, environ: Mapping[str, str]) -> Call:
    """The call that an event is about.

    `{root}` is the folder that Gemini CLI gives to its hooks as `GEMINI_PROJECT_DIR`.

    Raises:
        CallError: Something that a call needs is missing or has the wrong type.
    """
    said = event.told
    return Call(
        _tool(needed(said, "tool_name"), said.get("mcp_context")),
        arguments(said, "tool_input"),
        cwd=folder(said),
        root=absolute(environ.get("GEMINI_PROJECT_DIR")),
        session=text(said, "session_id"),
    )


def _tool(name: str, context: Any) -> Tool:
    """The tool, with the server and the server's own name for it where Gemini CLI says them."""
    if not isinstance(context, Mapping):
        return Tool(name)
    server = text(context, "server_name")
    return Tool(name, "mcp", server, text(context, "tool_name") or "") if server else Tool(name)


def after(event: Event, sitting: Sitting) -> Answer:
    """The answer after a call: where output rules change its result, the text of the new one in its place.

    The model reads `llmContent`, or the message of `error`; what is shown to the person alone is left as it is.
    """
    response = event.told.get("tool_response")
    if not isinstance(response, Mapping):
        return denied(event.name, "the event has no `tool_response` that is an object, so the result is withheld")
    read = {key: response[key] for key in ("llmContent", "error") if response.get(key) is not None}
    new = Shaper(sitting).any(read)
    if new == read:
        return no_opinion(event.name)
    error = new.get("error")
    told = [shown(new.get("llmContent")), shown(error.get("message") if isinstance(error, Mapping) else error)]
    return denied(event.name, "\n".join(dict.fromkeys(filter(None, told))) or "[nothing is left of the result]")


def installed_hooks(cwd: str, home: str | None, environ: Mapping[str, str]) -> tuple[str, ...]:
    """The settings files in which Gemini CLI's hooks are installed, and switched off."""
    return settings_files((cwd, environ.get("GEMINI_PROJECT_DIR"), home), (".gemini/settings.json",))
