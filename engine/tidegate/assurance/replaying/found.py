"""What the readers of formats share: calls of what was found, times, and texts of JSON."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any, NamedTuple

from ...call import Call, Tool
from ...calls import parse
from ...errors import CallError
from ...served import TOOL, public_name
from .entry import Word


class Recorded(NamedTuple):
    """A call that was found, with what its record says that rules said of it."""

    call: Call
    said: Word | None = None


Found = Recorded | str
"""A call, or why what looks like one is none."""


class Given(NamedTuple):
    """What a reader is told of a piece: the name of its source, and its line."""

    source: str
    number: int

    @property
    def conversation(self) -> str:
        """A name for the conversation that stands on this line alone."""
        return f"{self.source}:{self.number}"


class Around(NamedTuple):
    """What is known of all calls of one message."""

    session: str | None = None
    at: float | None = None
    cwd: str | None = None
    agent: str | None = None


def call_from(name: Any, arguments: Any, id_: Any, around: Around, *, server: Any = None) -> Found:
    """The call of a tool by its *name*; *arguments* are an object, or a text that holds one.

    A tool of an MCP server is known by *server* and its own name there; a joined name is never split.
    """
    if not isinstance(name, str) or not name:
        return "its tool has no name"
    try:
        given = parse(arguments) if isinstance(arguments, str) else arguments
    except CallError as error:
        return f"its arguments cannot be read: {error}"
    if not isinstance(given, Mapping):
        return "its arguments are no object"
    tool = Tool(name)
    if server is not None:
        if not isinstance(server, str) or not server:
            return "its server has no name"
        tool = Tool(public_name(server, name), TOOL, server, name)
    id_ = id_ if isinstance(id_, str) else ""
    return Recorded(Call(tool, given, call_id=id_, **around._asdict()))


def text_at(value: Mapping[str, Any], key: str) -> str | None:
    """The text under *key*, `None` where there is none.

    Raises:
        CallError: Something else stands there.
    """
    found = value.get(key)
    if found is not None and not isinstance(found, str):
        raise CallError(f"the key `{key}` must be a text")
    return found


def moment(value: Any) -> float | None:
    """Seconds since the epoch of what a record says of its time: a number of them, or a text of ISO 8601 with a zone.

    Raises:
        CallError: It is neither.
    """
    if value is None:
        return None
    if type(value) in (int, float) and isfinite(value):
        return float(value)
    if isinstance(value, str):
        try:
            when = dt.datetime.fromisoformat(value)
        except ValueError:
            pass
        else:
            if when.tzinfo is not None:
                return when.timestamp()
    raise CallError("when it was made is neither a number of seconds nor a time with its zone")


def messages_in(value: Any) -> Iterator[Mapping[str, Any]]:
    """The messages of a conversation: an array of them, an object with `messages`, or one message alone.

    Raises:
        CallError: It is neither, or one of the messages is no object.
    """
    items = value.get("messages", [value]) if isinstance(value, Mapping) else value
    if not isinstance(items, list):
        raise CallError("it is no message and no conversation")
    for item in items:
        if not isinstance(item, Mapping):
            raise CallError("a message in it is no object")
        yield item


def holds_many(value: Any) -> bool:
    """Whether this is a whole conversation, and no single message."""
    return isinstance(value, list) or (isinstance(value, Mapping) and "messages" in value)
