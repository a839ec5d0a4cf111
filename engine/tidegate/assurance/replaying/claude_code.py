"""Transcripts of Claude Code: one event on each line, tool calls as blocks of what the assistant said.

Source: the JSONL files that Claude Code keeps of each session, as of November 2026; they are not documented as stable.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...errors import CallError
from .anthropic import calls_of
from .found import Around, Found, Given, moment, text_at


def recognizes(value: Any) -> bool:
    """Whether it is an event of a session."""
    return isinstance(value, Mapping) and isinstance(value.get("sessionId"), str) and "type" in value


def found(value: Any, _: Given) -> Iterator[Found]:
    """The calls of an event; most events have none.

    Raises:
        CallError: It is no event, or something is wrong with what it says of all of its calls.
    """
    if not isinstance(value, Mapping) or not isinstance(value.get("type"), str):
        raise CallError("it is no event of Claude Code: there is no `type`")
    if value["type"] != "assistant":
        return
    message = value.get("message")
    if not isinstance(message, Mapping):
        raise CallError("what the assistant said is missing")
    yield from calls_of(
        message,
        Around(text_at(value, "sessionId"), moment(value.get("timestamp")), text_at(value, "cwd"), _agent(value)),
    )


def _agent(value: Mapping[str, Any]) -> str | None:
    """The agent as hooks are told it: only those that the main one has started have an id."""
    return text_at(value, "agentId")
