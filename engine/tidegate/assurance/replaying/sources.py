"""Where records come from: lines, whole documents and tables become pieces, and their format is found."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from ...calls import MAX_LINE, parse
from ...errors import CallError
from ...shown import quote
from .entry import Piece, Place
from .formats import FORMATS, format_of

LOOKED_AT = 200
"""How many pieces may pass before one tells what they all are."""


class Source(NamedTuple):
    """One source: its name for people, the name of its format, and its pieces, read as they are needed.

    *size* is the sum of the sizes of the pieces, where that is known before they are read.
    """

    name: str
    form: str
    pieces: Iterator[Piece]
    size: int | None = None


def source_of(
    name: str, index: int, lines: Iterable[bytes], form: str | None = None, size: int | None = None
) -> Source:
    """The source with these lines, none of which is longer than `MAX_LINE` and a byte.

    Args:
        name: What it is called.
        index: Which of the sources it is, from 0.
        lines: JSON on each, or one JSON document over all of them.
        form: The name of its format; by default what stands in it tells.
        size: How many bytes there are, where that is known.

    Raises:
        CallError: Nothing in it tells.
    """
    pieces = _pieces(index, iter(lines))
    held: list[Piece] = []
    try:
        form = form or _told(pieces, held)
    except CallError as error:
        raise CallError(f"{quote(name)}: {error}") from None
    return Source(name, form, chain(held, pieces), size)


def _told(pieces: Iterator[Piece], held: list[Piece]) -> str:
    """The name of the format of the first piece that is of any; what was looked at goes to *held*."""
    looked_at = 0
    for piece in pieces:
        held.append(piece)
        name = format_of(piece)
        if name is not None:
            return name
        looked_at += piece.size
        if len(held) >= LOOKED_AT or looked_at > MAX_LINE:
            break
    raise CallError(f"nothing in it tells what it is; say it by `--from` ({', '.join(FORMATS)})")


def _pieces(index: int, lines: Iterator[bytes]) -> Iterator[Piece]:
    """A piece for each line that is not empty; for a document over many lines, one for each item of it."""
    numbered = _numbered(lines)
    first = next(numbered, None)
    if first is None:
        return
    held = [first]
    if not _is_json(first[1]):
        # Either the first line is broken, or the document has many lines: all of it together tells.
        size = len(first[1])
        for one in numbered:
            held.append(one)
            size += len(one[1])
            if size > MAX_LINE:
                break
        else:
            text = b"".join(line for _, line in held)
            if len(held) > 1 and _is_json(text):
                yield from _items(index, text)
                return
    for number, line in chain(held, numbered):
        yield Piece(Place(index, number), line, len(line))


def _numbered(lines: Iterator[bytes]) -> Iterator[tuple[int, bytes]]:
    return ((number, line) for number, line in enumerate(lines, 1) if line.strip())


def _is_json(text: bytes) -> bool:
    """Whether it is one JSON value; how strictly it has to be one is for whoever reads it."""
    if len(text) > MAX_LINE:
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _items(index: int, text: bytes) -> Iterator[Piece]:
    """The pieces of a document: the items of an array, or all of it.

    Raises nothing: what is wrong with it is said by whoever reads the pieces.
    """
    try:
        value = parse(text)
    except CallError:
        yield Piece(Place(index, 1), text, len(text))
        return
    if not isinstance(value, list) or not value:
        yield Piece(Place(index, 1), value, len(text))
        return
    for number, item in enumerate(value, 1):
        yield Piece(Place(index, number), item, len(text) // len(value))
