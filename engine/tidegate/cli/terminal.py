"""What a person sees: whether a stream is a terminal, colours, columns."""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from shutil import get_terminal_size
from typing import Literal, TextIO

from attrs import frozen

from ..shown import escape

Style = Literal["allow", "ask", "deny", "dim", "bold"]

_CODES: Mapping[Style, str] = {"allow": "32", "ask": "33", "deny": "31", "dim": "2", "bold": "1"}


@frozen
class Screen:
    """A stream for people.

    `colour` tells whether to colour, `terminal` whether it really is a terminal; only there tables are drawn.
    """

    stream: TextIO
    terminal: bool
    colour: bool

    @classmethod
    def of(cls, stream: TextIO, environ: Mapping[str, str]) -> Screen:
        """The screen of *stream*; `NO_COLOR` and `FORCE_COLOR` decide on colour before anything else does."""
        terminal = stream.isatty() and environ.get("TERM") != "dumb"
        colour = terminal
        if environ.get("FORCE_COLOR"):
            colour = environ["FORCE_COLOR"] != "0"
        if environ.get("NO_COLOR"):
            colour = False
        return cls(stream, terminal, colour)

    @property
    def width(self) -> int:
        """How many cells a line has; wide where nobody looks."""
        return get_terminal_size((100, 24)).columns if self.terminal else 160

    def paint(self, text: str, *styles: Style) -> str:
        """*text* in these styles, or plain where there is no colour."""
        if not self.colour or not styles or not text:
            return text
        return f"\x1b[{';'.join(_CODES[style] for style in styles)}m{text}\x1b[0m"

    def line(self, text: str = "") -> None:
        """Write one line, which is shown at once."""
        self.stream.write(f"{text}\n")
        self.stream.flush()


def output() -> Screen:
    """Standard output."""
    return Screen.of(sys.stdout, os.environ)


def errors() -> Screen:
    """Standard error."""
    return Screen.of(sys.stderr, os.environ)


def verdict(effect: str) -> tuple[Style, ...]:
    """The styles of a verdict."""
    return (effect, "bold") if effect in ("allow", "ask", "deny") else ()  # type: ignore[return-value]


def cells(text: str) -> int:
    """How many cells of a terminal *text* takes; it must have been escaped."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def fit(text: str, width: int) -> str:
    """*text* escaped, cut or filled to exactly *width* cells."""
    shown = escape(text, width)
    while cells(shown) > width:
        shown = escape(text, len(shown) - 1)
    return shown + " " * (width - cells(shown))


def fit_middle(text: str, width: int) -> str:
    """*text* as `fit` makes it, but cut in the middle: names of one server begin alike and differ at their end."""
    shown = escape(text)
    if cells(shown) <= width or not shown.isascii():
        return fit(text, width)
    end = (width - 1) * 2 // 3
    return f"{shown[: width - 1 - end]}…{shown[-end:]}"


def safe(text: str) -> str:
    """A text of ours, in which what others wrote is escaped already, with nothing left that cannot be seen."""
    return "\\u{".join(map(escape, text.split("\\u{")))


def table(screen: Screen, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a table: drawn on a terminal, plain columns elsewhere. Cells are escaped."""
    texts = [[escape(cell) for cell in row] for row in rows]
    if not screen.terminal:
        widths = [max(map(cells, column)) for column in zip(headings, *texts, strict=True)]
        for row in [list(headings), *texts]:
            padded = (cell + " " * (width - cells(cell)) for cell, width in zip(row, widths, strict=True))
            screen.line("  ".join(padded).rstrip())
        return
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    drawn = Table(*headings, box=SIMPLE_HEAD, pad_edge=False)
    for row in texts:
        drawn.add_row(*(Text(cell, style=_RICH.get(cell, "")) for cell in row))
    Console(file=screen.stream, no_color=not screen.colour, highlight=False).print(drawn)


_RICH: Mapping[str, str] = {
    "allow": "green",
    "ask": "yellow",
    "deny": "red",
    "fine": "green",
    "note": "yellow",
    "wrong": "red",
}
