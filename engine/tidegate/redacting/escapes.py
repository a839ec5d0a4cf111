"""Undoing the escapes of single characters: percent signs and backslashes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import NamedTuple


class Escapes(NamedTuple):
    """Where the escapes of a text stood, and where in the decoded text is what they stand for; all in order."""

    starts: list[int]
    ends: list[int]
    decoded_starts: list[int]
    decoded_ends: list[int]

    def source(self, start: int, end: int) -> tuple[int, int]:
        """The part of the text that stands for this part of the decoded text; no escape is cut."""
        return self._byte(start)[0], self._byte(end - 1)[1]

    def _byte(self, at: int) -> tuple[int, int]:
        """The part of the text that stands for one byte of the decoded text."""
        index = bisect_right(self.decoded_starts, at) - 1
        if index >= 0 and at < self.decoded_ends[index]:
            return self.starts[index], self.ends[index]
        start = at if index < 0 else self.ends[index] + at - self.decoded_ends[index]
        return start, start + 1


class Reading:
    """A text in which every escape was replaced by what it stands for."""

    def __init__(
        self, text: bytes, of: bytes, escape: re.Pattern[bytes], decode: Callable[[re.Match[bytes]], bytes]
    ) -> None:
        self.text = text
        self._of = of
        self._escape = escape
        self._decode = decode

    @cached_property
    def escapes(self) -> Escapes:
        """Where they stood; asked only for texts in which something is found."""
        escapes = Escapes([], [], [], [])
        moved = 0
        for found in self._escape.finditer(self._of):
            start, end = found.span()
            length = len(self._decode(found))
            escapes.starts.append(start)
            escapes.ends.append(end)
            escapes.decoded_starts.append(start - moved)
            escapes.decoded_ends.append(start - moved + length)
            moved += end - start - length
        return escapes


_DIGITS = b"0123456789abcdefABCDEF"
_PAIRS = {bytes([one, other]): bytes([int(bytes([one, other]), 16)]) for one in _DIGITS for other in _DIGITS}
_URL = re.compile(rb"%[0-9A-Fa-f]{2}")
_FORM = re.compile(rb"%[0-9A-Fa-f]{2}|\+")
_UNICODE = rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}"
_JSON = re.compile(_UNICODE + rb"|\\[\"\\/bfnrt]")
_JSON_INNER = re.compile(_UNICODE + rb"|\\[\"/bfnrt]")
_SIMPLE = {rb"\n": b"\n", rb"\t": b"\t", rb"\r": b"\r", rb"\b": b"\b", rb"\f": b"\f"}
_SIMPLE |= {b"\\" + letter: letter for letter in (b'"', b"\\", b"/")}


def url_readings(text: bytes) -> Iterator[Reading]:
    """The text without its percent signs, and once more with each plus sign as the blank that it is in a form."""
    plain = _unquoted(text)
    if plain != text:
        yield Reading(plain, text, _URL, _of_url)
    if b"+" in text:
        yield Reading(_unquoted(text.replace(b"+", b" ")), text, _FORM, _of_url)


def _unquoted(text: bytes) -> bytes:
    first, *rest = text.split(b"%")
    pieces = [first]
    for piece in rest:
        byte = _PAIRS.get(piece[:2])
        pieces += (b"%", piece) if byte is None else (byte, piece[2:])
    return b"".join(pieces)


def _of_url(escape: re.Match[bytes]) -> bytes:
    return _PAIRS.get(escape[0][1:], b" ")


def json_readings(text: bytes) -> Iterator[Reading]:
    """The text without its escapes; where backslashes are escaped, once more without those that these belong to.

    A backslash before a stretch, which belongs to something else, would make others of all its escapes.
    """
    plain = _JSON.sub(_of_json, text)
    if plain != text:
        yield Reading(plain, text, _JSON, _of_json)
    if b"\\\\" in text:
        yield Reading(_JSON_INNER.sub(_of_json, text), text, _JSON_INNER, _of_json)


def _of_json(escape: re.Match[bytes]) -> bytes:
    spelled = escape[0]
    simple = _SIMPLE.get(spelled)
    if simple is not None:
        return simple
    code = int(spelled[2:6], 16)
    if len(spelled) > len(rb"\u0000"):
        code = 0x10000 + ((code & 0x3FF) << 10) + (int(spelled[8:12], 16) & 0x3FF)
    return chr(code).encode("utf-8", "replace")
