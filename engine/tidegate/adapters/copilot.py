"""Copilot CLI: what its hooks hand over becomes a call, and the decision becomes an answer.

It runs the tool where a hook is late; `cli/hook.py` sees to that. The names of the tools are Copilot's own at events
in camel case, and Claude Code's at events in Pascal case.

Source: its reference of hooks and the types in 1.0.102.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..call import Call
from ..errors import CallError
from ..plan.sitting import Sitting
from .copilot_answers import no_opinion, shaped
from .hook_answers import Answer
from .hook_calls import Event, absolute, arguments, fits, folder, needed, served, settings_files, text
from .hook_results import Shaper, shown

__all__ = ["after", "call_of", "installed_hooks", "misfit"]

misfit = fits

_RESULTS = (("toolResult", "textResultForLlm", "resultType"), ("tool_result", "text_result_for_llm", "result_type"))
_FILES = (
    ".copilot/config.json",
    ".copilot/settings.json",
    ".copilot/hooks",
    ".github/hooks",
    ".github/copilot",
)


def call_of(event: Event, environ: Mapping[str, str]) -> Call:  # noqa: ARG001 - Copilot says nothing there
    """The call that an event is about; its arguments are an object or, as in older versions, the JSON of one.

    Raises:
        CallError: Something that a call needs is missing or has the wrong type.
    """
    said = event.told
    name = needed(said, _key(said, "toolName", "tool_name"))
    return Call(
        served(name, said.get("mcpServerName"), "{}-"),
        arguments(said, "toolArgs", "toolInput", "tool_input", encoded=True),
        call_id=text(said, "toolCallId") or text(said, "tool_use_id") or "",
        cwd=folder(said),
        agent=text(said, "agentId") or text(said, "agent_id"),
        session=text(said, _key(said, "sessionId", "session_id")),
    )


def _key(said: Mapping[str, Any], first: str, second: str) -> str:
    """The one of two keys that is there.

    Raises:
        CallError: Both are.
    """
    if first in said and second in said:
        raise CallError(f"the event has both `{first}` and `{second}`")
    return second if second in said else first


def after(event: Event, sitting: Sitting) -> Answer:
    """The answer after a call: the text that the model reads, as output rules shape it."""
    for key, under, kind in _RESULTS:
        result = event.told.get(key)
        if isinstance(result, Mapping) and under in result:
            new = Shaper(sitting).any(result[under])
            said = result.get(kind)
            return (
                no_opinion(event.name)
                if new == result[under]
                else shaped(shown(new), said if isinstance(said, str) else "success")
            )
    raise CallError("the event has no result that the model would read")


def installed_hooks(cwd: str, home: str | None, environ: Mapping[str, str]) -> tuple[str, ...]:
    """The files and folders in which Copilot's hooks are installed, and switched off."""
    own = settings_files((absolute(environ.get("COPILOT_HOME")),), ("config.json", "settings.json", "hooks"))
    return (*own, *settings_files((cwd, home), _FILES))
