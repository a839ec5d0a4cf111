"""Messages of Anthropic's API: tool calls are blocks of type `tool_use` in the content of a message.

Source: the reference of the Messages API, and of the MCP connector for `mcp_tool_use`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...errors import CallError
from .found import Around, Found, Given, call_from, holds_many, messages_in

_USES = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})


def recognizes(value: Any) -> bool:
    """Whether a message in it has a block of a tool call."""
    try:
        return any(_type(block) in _USES for message in messages_in(value) for block in _blocks(message))
    except CallError:
        return False


def found(value: Any, given: Given) -> Iterator[Found]:
    """The calls of a message, or of the messages of a conversation.

    A line with a conversation is a session of its own; messages on lines are one together.

    Raises:
        CallError: It is neither.
    """
    around = Around(session=given.conversation if holds_many(value) else given.source)
    for message in messages_in(value):
        yield from calls_of(message, around)


def calls_of(message: Mapping[str, Any], around: Around) -> Iterator[Found]:
    """The calls among the blocks of one message.

    Raises:
        CallError: Its content is neither a text nor an array.
    """
    content = message.get("content")
    if content is not None and not isinstance(content, str | list):
        raise CallError("the `content` of a message must be a text or an array")
    for block in _blocks(message):
        if _type(block) in _USES:
            server = block.get("server_name", "") if _type(block) == "mcp_tool_use" else None
            yield call_from(block.get("name"), block.get("input"), block.get("id"), around, server=server)


def _blocks(message: Mapping[str, Any]) -> list[Any]:
    content = message.get("content")
    return content if isinstance(content, list) else []


def _type(block: Any) -> Any:
    kind = block.get("type") if isinstance(block, Mapping) else None
    return kind if isinstance(kind, str) else None
