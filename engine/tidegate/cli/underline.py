"""The parts of a command's text, underlined with what each of them does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..shown import escape
from .terminal import cells

WIDEST = 10_000
"""Lines of a command are shown up to so many characters."""


class Part(NamedTuple):
    """A stretch of a text, and the label of what it does."""

    start: int
    end: int
    label: str


def underlined(text: str, parts: Iterable[Part]) -> Iterator[str]:
    """The lines of *text*, each followed by one line for every part that begins in it.

    A part that goes on in later lines is underlined to the end of its first. Everything is escaped, and columns
    count cells of a terminal.
    """
    waiting = sorted(dict.fromkeys(parts), key=lambda part: (part.start, -part.end))
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        columns = _columns(line)
        yield "".join(_pieces(line))
        for part in waiting:
            if start <= part.start <= end:
                first, last = columns[part.start - start], columns[min(part.end, end) - start]
                yield f"{' ' * first}{'^' * max(last - first, 1)} {part.label}"
        start = end + 1


def _pieces(line: str) -> list[str]:
    """Each character as it is shown, up to `WIDEST` of them."""
    shown = []
    for index, character in enumerate(line[:WIDEST]):
        escaped = line.startswith("\\u{", index)
        shown.append(escape("\\u{")[:-2] if escaped else escape(character))
    return shown if len(line) <= WIDEST else [*shown, "…"]


def _columns(line: str) -> list[int]:
    """The cell at which each character begins, and where the line ends."""
    columns, at = [], 0
    for piece in _pieces(line):
        columns.append(at)
        at += cells(piece)
    return columns + [at] * (len(line) + 1 - len(columns))
