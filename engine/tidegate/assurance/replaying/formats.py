"""The formats of records, and how they are told apart by what stands in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ...calls import parse
from ...errors import CallError
from ...kernel.json_values import snapshot
from . import anthropic, audited, claude_code, openai, plain, spans
from .entry import Entry, Piece
from .found import Found, Given


class Format(NamedTuple):
    """One format: whether a value is of it, and what calls are in one."""

    recognizes: Callable[[Any], bool]
    found: Callable[[Any, Given], Iterable[Found]]


FORMATS: Mapping[str, Format] = {
    "audit": Format(audited.recognizes, audited.found),
    "calls": Format(plain.recognizes, plain.found),
    "claude-code": Format(claude_code.recognizes, claude_code.found),
    "otel": Format(spans.recognizes, spans.found),
    "openai": Format(openai.recognizes, openai.found),
    "anthropic": Format(anthropic.recognizes, anthropic.found),
}
"""By name, in the order in which they are tried: what says most of itself first."""

_ALL: Mapping[str, Format] = {**FORMATS, "table": Format(lambda _: False, plain.found_in_row)}
"""With the rows of tables, which are nothing that a text could be."""

SURPRISE = "it is of a shape that nobody has thought of"


def format_of(piece: Piece) -> str | None:
    """The name of the format that a piece is of, `None` where it could be of any.

    Raises:
        CallError: It is a decision without the call that it is about.
    """
    try:
        value = _value(piece)
    except CallError:
        return None
    for name, form in FORMATS.items():
        if form.recognizes(value):
            return name
    if isinstance(value, Mapping) and "effect" in value and "reason" in value:
        raise CallError("these are decisions without their calls; name the calls, and the old rules by `--against`")
    return None


def entries(name: str, piece: Piece, source: str) -> Iterator[Entry]:
    """The calls in a piece of the named format; what is none is an entry that says why.

    *source* names the session where one file holds one conversation.
    """
    number = 0
    try:
        value = _value(piece)
        for one in _ALL[name].found(value, Given(source, piece.place.number)):
            place = piece.place._replace(part=number)
            number += 1
            yield Entry(place, None, one) if isinstance(one, str) else Entry(place, one.call, "", one.said)
    except CallError as error:
        yield Entry(piece.place._replace(part=number), None, str(error))
    except Exception as error:  # noqa: BLE001 - not silent: it is told, and hides no other piece
        yield Entry(piece.place._replace(part=number), None, f"{SURPRISE}: {type(error).__name__}: {error}")


def _value(piece: Piece) -> Any:
    return parse(piece.value) if isinstance(piece.value, bytes) else snapshot(piece.value)
