"""Calls on lines, as `tidegate decide` reads them; beside a call may stand what was decided of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...audit.recorded import said_of
from ...calls import call_of, parse
from ...errors import CallError
from .entry import Word
from .found import Found, Given, Recorded

_DECISION = frozenset({"effect", "rule", "reason", "arguments", "would"})


def recognizes(value: Any) -> bool:
    """Whether it has a tool and arguments."""
    return isinstance(value, Mapping) and "tool" in value and "args" in value


def found(value: Any, _: Given) -> Iterator[Found]:
    """The call of a line.

    Raises:
        CallError: It is none.
    """
    if not isinstance(value, Mapping) or "effect" not in value:
        yield Recorded(call_of(value))
        return
    call = call_of({key: item for key, item in value.items() if key not in _DECISION})
    if value["effect"] is None:
        raise CallError("its `effect` is null; leave the key out where nothing was decided")
    said = said_of({"reason": "", **value})
    yield Recorded(call, Word(said.effect, said.rule))


def found_in_row(value: Any, given: Given) -> Iterator[Found]:
    """The call of a row of a table, whose arguments may be a text of JSON.

    Raises:
        CallError: It is none.
    """
    arguments = value.get("args")
    return found({**value, "args": parse(arguments)} if isinstance(arguments, str) else value, given)
