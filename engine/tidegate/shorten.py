"""Shortening text to a bound, with a marker that says how much is missing."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from sys import maxsize
from typing import Literal, NamedTuple

from .shorten_graphemes import boundary_after, boundary_before

Keep = Literal["head", "tail", "head-tail"]

UNBOUNDED = maxsize
"""The bound that nothing exceeds."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_LINE_FEED = re.compile("\n")


class Size(NamedTuple):
    """The size of text in bytes and in lines. A line ends with a line feed, which the last one may lack."""

    bytes: int
    lines: int

    def within(self, most: Size) -> bool:
        """Whether neither is more than in *most*."""
        return self.bytes <= most.bytes and self.lines <= most.lines

    def plus(self, other: Size) -> Size:
        """Both sizes together."""
        return Size(self.bytes + other.bytes, self.lines + other.lines)


NONE = Size(0, 0)


class Style(NamedTuple):
    """Which part stays, and the marker for what does not, in which `{bytes}` and `{lines}` stand for how much."""

    keep: Keep
    marker: str

    def mark(self, missing: Size) -> str:
        """The marker for what is missing."""
        return self.marker.replace("{bytes}", str(missing.bytes)).replace("{lines}", str(missing.lines))


def sound(text: str) -> str:
    """*text* with U+FFFD for each lone surrogate, which no encoding of Unicode has; in UTF-8 both take three bytes."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def utf8_size(text: str) -> int:
    """The bytes that *text* has in UTF-8."""
    return len(text) if text.isascii() else len(text.encode())


def count_lines(text: str) -> int:
    """The lines that *text* has."""
    return text.count("\n") + (text[-1:] not in ("", "\n"))


def shorten_texts(texts: Sequence[str], most: Size, style: Style, elsewhere: Size) -> list[str]:
    """Shorten sound *texts*, which stand one below the other, so that all of them with one marker are within *most*.

    The marker stands on a line of its own, in the text in which something is missing or where the missing texts
    stood. It counts what is missing *elsewhere* as well, and is then there even where the texts fit. A text of
    which nothing stays is empty. The marker alone must be within *most*, however large its numbers.
    """
    whole = Size(sum(map(utf8_size, texts)), sum(map(count_lines, texts)))
    if elsewhere == NONE and whole.within(most):
        return list(texts)
    reserve = style.mark(whole.plus(elsewhere))
    marker = Size(utf8_size(reserve), count_lines(reserve))
    if whole.plus(marker).within(most):
        return [*texts, style.mark(elsewhere)]
    text, breaks = "".join(texts), _breaks(texts, most)
    line_feeds = 2 if style.keep == "head-tail" else 1
    room = Size(max(0, most.bytes - marker.bytes - line_feeds), most.lines - marker.lines)
    head, tail = _span(text, breaks, room, style.keep, utf8_size)
    missing = _missing(text, head, tail, breaks).plus(elsewhere)
    return _without(texts, head, tail, style.mark(missing), tail if style.keep == "tail" else head)


def shorten_string(text: str, most: Size, style: Style, size: Callable[[str], int]) -> str:
    """Shorten one sound *text* to *most*, its bytes counted by *size*; the marker stands right where text is missing.

    The marker must have one line and be within *most*, however large its numbers.
    """
    whole = Size(size(text), count_lines(text))
    if whole.within(most):
        return text
    # Head and tail lie on both sides of the marker within one line, so that of their lines two are one.
    lines = most.lines + (style.keep == "head-tail")
    room, breaks = Size(max(0, most.bytes - size(style.mark(whole))), lines), _breaks([text], most)
    head, tail = _span(text, breaks, room, style.keep, size)
    return text[:head] + style.mark(_missing(text, head, tail, breaks)) + text[tail:]


Break = tuple[int, int]
"""Where one line ends and where the next one begins."""


def _breaks(texts: Sequence[str], most: Size) -> list[Break]:
    """The breaks between the lines of *texts* joined; those within a text only where lines are bounded."""
    breaks: list[Break] = []
    start, feeds = 0, 0
    for text in filter(None, texts):
        if start:
            breaks.append((start - feeds, start))
        if most.lines != UNBOUNDED:
            # The last line feed of a text ends its last line, and begins none.
            found = _LINE_FEED.finditer(text, 0, len(text) - 1)
            breaks += [(start + feed.start(), start + feed.end()) for feed in found]
        start, feeds = start + len(text), text.endswith("\n")
    return breaks


def _span(text: str, breaks: Sequence[Break], room: Size, keep: Keep, size: Callable[[str], int]) -> tuple[int, int]:
    """Where the head that has room ends, and where the tail begins; nothing that reads as one character is cut."""
    head = room if keep == "head" else NONE if keep == "tail" else Size(-(-room.bytes // 2), -(-room.lines // 2))
    tail = Size(room.bytes - head.bytes, room.lines - head.lines)
    ends = 0 if head.lines < 1 else len(text) if head.lines > len(breaks) else breaks[head.lines - 1][0]
    begins = len(text) if tail.lines < 1 else 0 if tail.lines > len(breaks) else breaks[-tail.lines][1]
    # No character takes less than a byte, so that nothing beyond as many characters has to be measured.
    start, end = text[: min(ends, head.bytes)], text[max(begins, len(text) - tail.bytes) :]
    ends = _most(len(start), head.bytes, lambda count: size(start[:count]))
    begins = len(text) - _most(len(end), tail.bytes, lambda count: size(end[len(end) - count :]))
    return boundary_before(text, ends), boundary_after(text, begins)


def _most(characters: int, most: int, size: Callable[[int], int]) -> int:
    """The largest number of characters, up to *characters*, whose size is at most *most*."""
    if size(characters) <= most:
        return characters
    return bisect_right(range(characters), most, key=size) - 1


def _missing(text: str, head: int, tail: int, breaks: Sequence[Break]) -> Size:
    """The size of what stands between head and tail; a line counts if anything of it is missing."""
    gap = text[head:tail]
    between = sum(1 for end, begin in breaks if head < end == begin < tail)
    return Size(utf8_size(gap), count_lines(gap.removeprefix("\n")) + between)


def _without(texts: Sequence[str], head: int, tail: int, marker: str, at: int) -> list[str]:
    """*texts* without what stands between *head* and *tail*, and the marker in the text that holds *at*."""
    ends = list(accumulate(map(len, texts)))
    marked = min(bisect_right(ends, at), len(texts) - 1)
    shortened = []
    for index, text in enumerate(texts):
        start = ends[index] - len(text)
        front, back = text[: max(0, head - start)], text[max(0, tail - start) :]
        shortened.append(_on_its_own(front, marker, back) if index == marked else front + back)
    return shortened


def _on_its_own(front: str, marker: str, back: str) -> str:
    before = "\n" if front and not front.endswith("\n") else ""
    after = "\n" if back and not marker.endswith("\n") else ""
    return f"{front}{before}{marker}{after}{back}"
