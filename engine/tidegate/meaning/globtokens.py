"""The characters of a glob sorted out: plain ones, wildcards, sets, and the marks of choices and places."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from .regexes import BadPattern
from .steps import NOT_SLASH, SLASH, Ranges, complement, union

_PLACE = re.compile(r"\{([A-Za-z_]+)\}")
_KNOWN_PLACES = {"root": "{root}", "cwd": "{cwd}", "home": "~"}


class BadGlob(BadPattern):
    """A glob cannot be compiled; `offset` is where in its text, counted in code points from 0."""

    def __init__(self, what: str, mend: str, offset: int) -> None:
        super().__init__(what, mend)
        self.offset = offset


class Star(NamedTuple):
    """Any number of characters but no slash; *run* counts the stars that were written."""

    run: int = 1


class Set(NamedTuple):
    """One character of `chars`; `negated` remembers that the set was written with `!`."""

    chars: Ranges
    negated: bool = False


Atom = str | Star | Set
Segment = tuple[Atom, ...]
"""One name between slashes; plain characters that follow each other are joined."""

DEEP: Segment = (Star(2),)
"""The segment `**`: any number of names, also none."""


class Token(NamedTuple):
    """A plain character, a star, a set, or one of the marks `/`, `{`, `,`, `}` and a place."""

    mark: str
    offset: int
    atom: Atom = ""


def tokens(text: str) -> Iterator[Token]:
    """Sort the characters of a glob out.

    Raises:
        BadGlob: A bracket is not closed, a brace closes nothing, a place is not known, or a backslash ends it.
    """
    depth, at = 0, 0
    while at < len(text):
        char, start = text[at], at
        at += 1
        if char == "\\":
            if at == len(text):
                raise BadGlob("a backslash escapes nothing", "write `\\\\` for a backslash", start)
            yield Token("escaped", start, text[at])
            at += 1
        elif char == "*":
            yield Token("star", start, Star())
        elif char == "?":
            yield Token("set", start, Set(NOT_SLASH))
        elif char == "[":
            chosen, at = _set(text, start)
            yield Token("set", start, chosen)
        elif char == "{" and (name := _PLACE.match(text, start)):
            yield Token("place", start, _place(name[1], start))
            at = name.end()
        elif char in "{}" or (char == "," and depth):
            depth += {"{": 1, "}": -1, ",": 0}[char]
            if depth < 0:
                raise BadGlob("`}` closes nothing", "write `\\}` for the character", start)
            yield Token(char, start)
        else:
            yield Token("/" if char == "/" else "char", start, char)


def _place(name: str, offset: int) -> str:
    if name not in _KNOWN_PLACES:
        known = ", ".join(f"`{{{place}}}`" for place in _KNOWN_PLACES)
        mend = f"write one of {known}, or `{{a,b}}` for a choice"
        raise BadGlob(f"`{{{name}}}` is no place and no choice", mend, offset)
    return _KNOWN_PLACES[name]


def _set(text: str, start: int) -> tuple[Set, int]:
    """Read `[…]` that opens at *start*; returns the set and where it ends."""
    at = start + 1
    if text.startswith("^", at):
        raise BadGlob("`[^` is read in two ways", "write `[!` for a set that excludes, `[\\^` for the character", at)
    negated = text.startswith("!", at)
    at += negated
    chars: list[tuple[int, int]] = []
    while not (text.startswith("]", at) and chars):
        low, at = _member(text, at, start)
        high = low
        if text.startswith("-", at) and not text.startswith("-]", at):
            high, at = _member(text, at + 1, start)
        if high < low:
            mend = f"write `{chr(high)}-{chr(low)}`"
            raise BadGlob(f"the range `{chr(low)}-{chr(high)}` runs backwards", mend, at - 3)
        chars.append((low, high))
    ranges = union(chars)
    if any(low <= ord("/") <= high for low, high in ranges):
        raise BadGlob("a set holds a slash, which no name has", "write the directories out", start)
    if negated:
        ranges = complement(union(ranges + SLASH))
    return Set(ranges, negated), at + 1


def _member(text: str, at: int, start: int) -> tuple[int, int]:
    """One character of a set and where it ends."""
    if text.startswith(("[:", "[.", "[="), at):
        raise BadGlob("character classes by name are not known", "write the range, as in `[0-9]`", at)
    at += text.startswith("\\", at)
    if at >= len(text):
        raise BadGlob("`[` is never closed", "add `]`, or write `\\[` for the character", start)
    return ord(text[at]), at + 1
