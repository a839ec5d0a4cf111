r"""Regular expressions of the RE2 dialect as pieces, matched as a whole; what is not modelled is said to be unread.

Source: the syntax page of RE2. Left out are word boundaries, `\Q…\E`, Unicode classes, line anchors within a text,
and letters beyond ASCII under `(?i)`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ...meaning.steps import ANY, Ranges, complement, union
from .pieces import NOTHING, Chars, Either, Joined, Piece, Repeated


class Unread(ValueError):
    """A regular expression uses what is not modelled here; the text says what."""


_DIGIT: Ranges = ((0x30, 0x39),)
_SPACE: Ranges = ((0x09, 0x0A), (0x0C, 0x0D), (0x20, 0x20))
_WORD: Ranges = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
_PERL = {"d": _DIGIT, "s": _SPACE, "w": _WORD}
_NAMED: dict[str, Ranges] = {
    "alnum": ((0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A)),
    "alpha": ((0x41, 0x5A), (0x61, 0x7A)),
    "ascii": ((0x00, 0x7F),),
    "blank": ((0x09, 0x09), (0x20, 0x20)),
    "cntrl": ((0x00, 0x1F), (0x7F, 0x7F)),
    "digit": _DIGIT,
    "graph": ((0x21, 0x7E),),
    "lower": ((0x61, 0x7A),),
    "print": ((0x20, 0x7E),),
    "punct": ((0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)),
    "space": ((0x09, 0x0D), (0x20, 0x20)),
    "upper": ((0x41, 0x5A),),
    "word": _WORD,
    "xdigit": ((0x30, 0x39), (0x41, 0x46), (0x61, 0x66)),
}
_ESCAPES = {"a": 0x07, "f": 0x0C, "n": 0x0A, "r": 0x0D, "t": 0x09, "v": 0x0B}
_NOT_NEWLINE: Ranges = complement(((0x0A, 0x0A),))
# What RE2 takes for the same letter beside its other case: the long s, and the sign of kelvin.
_FURTHER = {0x53: 0x17F, 0x73: 0x17F, 0x4B: 0x212A, 0x6B: 0x212A}
_ALIKE = frozenset((code, code) for code in _FURTHER.values())
_FLAGS = re.compile(r"\(\?([imsU]*)(?:-([imsU]+))?([:)])")
_GROUP = re.compile(r"\((?:\?P?<\w+>)?(?!\?)")
_COUNT = re.compile(r"\{(\d+)(?:(,)(\d*))?\}")
_CLASS_NAME = re.compile(r"\[:(\^?)(\w+):\]")
_HEX = re.compile(r"x(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2}))")
_DEEPEST = 200


class _Flags(NamedTuple):
    fold: bool = False
    dot_all: bool = False


def regex_pieces(text: str, *, fold: bool = False) -> Piece:
    """The texts that the regular expression matches as a whole; with *fold*, without regard to case.

    It must be one that RE2 compiles.

    Raises:
        Unread: It uses what is not modelled.
    """
    reader = _Reader(text)
    piece = reader.alternatives(_Flags(fold=fold), 0)
    if reader.at < len(text):
        raise Unread(f"`{text[reader.at]}` stands where nothing is known of it")
    return piece


class _Reader:
    """Reads one expression from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def alternatives(self, flags: _Flags, depth: int) -> Piece:
        """What stands up to a closing parenthesis or the end; flags without a group hold up to there."""
        if depth > _DEEPEST:
            raise Unread("its groups are nested too deep")
        options: list[Piece] = []
        parts: list[Piece] = []
        while self.at < len(self.text) and self.text[self.at] != ")":
            changed = _FLAGS.match(self.text, self.at)
            if self._takes("|"):
                options.append(Joined(tuple(parts)))
                parts = []
            elif changed is not None and changed[3] == ")":
                flags = self._flags(changed, flags)
            else:
                parts.append(self._repeated(self._atom(flags, depth, first=not parts)))
        options.append(Joined(tuple(parts)))
        return options[0] if len(options) == 1 else Either(tuple(options))

    def _takes(self, mark: str) -> bool:
        found = self.text.startswith(mark, self.at)
        self.at += len(mark) if found else 0
        return found

    def _flags(self, match: re.Match[str], flags: _Flags) -> _Flags:
        on, off = match[1], match[2] or ""
        if "m" in on:
            raise Unread("it has lines (`(?m)`)")
        self.at = match.end()
        return _Flags(
            fold=("i" in on or flags.fold) and "i" not in off, dot_all=("s" in on or flags.dot_all) and "s" not in off
        )

    def _repeated(self, piece: Piece) -> Piece:
        """The piece with the quantifiers behind it."""
        while self.at < len(self.text):
            count = _COUNT.match(self.text, self.at)
            if self._takes("*"):
                piece = Repeated(piece)
            elif self._takes("+"):
                piece = Repeated(piece, 1)
            elif self._takes("?"):
                piece = Repeated(piece, 0, 1)
            elif count is not None:
                self.at = count.end()
                least = int(count[1])
                piece = Repeated(piece, least, least if count[2] is None else int(count[3]) if count[3] else None)
            else:
                break
            self._takes("?")  # that it takes as little as it can changes nothing of what it matches
        return piece

    def _atom(self, flags: _Flags, depth: int, *, first: bool) -> Piece:
        char = self.text[self.at]
        if char == "(":
            return self._group(flags, depth)
        if char == "[":
            return Chars(self._class(flags))
        if char == "\\":
            return self._escape(flags)
        self.at += 1
        if char == ".":
            return Chars(ANY if flags.dot_all else _NOT_NEWLINE)
        if char in "^$":
            return self._anchor(char, depth, first=first)
        return Chars(_folded(((ord(char), ord(char)),), flags))

    def _anchor(self, char: str, depth: int, *, first: bool) -> Piece:
        """An anchor says nothing where it stands at the end that it is about."""
        rest = self.text[self.at :]
        at_end = not rest or (rest[0] == "|" and depth == 0)
        if depth == 0 and (first if char in "^A" else at_end):
            return NOTHING
        raise Unread(f"`{char}` stands within it")

    def _group(self, flags: _Flags, depth: int) -> Piece:
        scoped = _FLAGS.match(self.text, self.at)
        if scoped is not None:
            flags = self._flags(scoped, flags)
        else:
            opening = _GROUP.match(self.text, self.at)
            if opening is None:
                raise Unread("it has a group of a kind that is not modelled")
            self.at = opening.end()
        piece = self.alternatives(flags, depth + 1)
        if not self._takes(")"):
            raise Unread("a group is not closed")
        return piece

    def _escape(self, flags: _Flags) -> Piece:
        self.at += 1
        char = self.text[self.at : self.at + 1]
        if char in ("A", "z"):
            self.at += 1
            return self._escaped_anchor(char)
        return Chars(self._escaped_class(flags) or _folded(self._escaped_char(), flags))

    def _escaped_anchor(self, char: str) -> Piece:
        whole = self.text[: self.at - 2] if char == "A" else self.text[self.at :]
        if whole:
            raise Unread(f"`\\{char}` stands within it")
        return NOTHING

    def _escaped_class(self, flags: _Flags) -> Ranges:
        r"""The class of `\d` and its like, empty where it is none; stands behind the backslash."""
        char = self.text[self.at : self.at + 1]
        ranges = _PERL.get(char.lower())
        if ranges is None:
            return ()
        self.at += 1
        ranges = _folded(ranges, flags)
        return ranges if char.islower() else complement(ranges)

    def _escaped_char(self) -> Ranges:
        char = self.text[self.at : self.at + 1]
        code = _HEX.match(self.text, self.at)
        if code is not None:
            self.at = code.end()
            value = int(code[1] or code[2], 16)
        elif char in _ESCAPES:
            self.at += 1
            value = _ESCAPES[char]
        elif char and not char.isalnum() and char.isascii():
            self.at += 1
            value = ord(char)
        else:
            raise Unread(f"`\\{char}` is not modelled")
        return ((value, value),)

    def _class(self, flags: _Flags) -> Ranges:
        """A class in brackets."""
        self.at += 1
        negated = self._takes("^")
        found: list[tuple[int, int]] = []
        first = True
        while first or not self.text.startswith("]", self.at):
            if self.at >= len(self.text):
                raise Unread("a class is not closed")
            found += self._member(flags)
            first = False
        self.at += 1
        ranges = _folded(union(found), flags)
        return complement(ranges) if negated else ranges

    def _member(self, flags: _Flags) -> Ranges:
        named = _CLASS_NAME.match(self.text, self.at)
        if named is not None:
            if named[2] not in _NAMED:
                raise Unread(f"the class `{named[2]}` is not modelled")
            self.at = named.end()
            return complement(_NAMED[named[2]]) if named[1] else _NAMED[named[2]]
        low = self._member_char(flags)
        if len(low) == 1 and low[0][0] == low[0][1] and re.match(r"-[^\]]", self.text[self.at : self.at + 2]):
            self.at += 1
            high = self._member_char(flags)
            return ((low[0][0], high[0][1]),)
        return low

    def _member_char(self, flags: _Flags) -> Ranges:
        if self._takes("\\"):
            return self._escaped_class(flags) or self._escaped_char()
        char = self.text[self.at]
        self.at += 1
        return ((ord(char), ord(char)),)


def _folded(ranges: Ranges, flags: _Flags) -> Ranges:
    """The characters with those of the other case."""
    if not flags.fold:
        return ranges
    if any(high > 0x7F and (low, high) not in _ALIKE for low, high in ranges):  # noqa: PLR2004
        raise Unread("it has letters beyond ASCII that count in either case")
    found = list(ranges)
    for low, high in ranges:
        for code in range(low, min(high, 0x7F) + 1):
            other = ord(chr(code).swapcase())
            found += [(one, one) for one in (other, _FURTHER.get(code)) if one is not None]
    return union(found)
