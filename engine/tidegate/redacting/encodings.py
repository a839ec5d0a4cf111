"""Undoing encodings: what a text says to whoever decodes parts of it."""

from __future__ import annotations

import binascii
import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from ..meaning.regexes import compile_regex

Encoding = Literal["base64", "base64url", "hex", "url", "json"]

SHORTEST = 16
"""The fewest characters of base64 or hex digits that are taken for an encoded stretch."""


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


class Stretch(NamedTuple):
    """A part of a text that is encoded as a whole, and one reading of it."""

    text: bytes
    start: int
    end: int


# A stretch goes on over the ends of lines. It has a long line or several: words are passed over quickly.
_WRAP = r"[ \t]*\r?\n[ \t]*"


def _stretch(letter: str, fewest: int, goes_on: str) -> Any:
    """What finds stretches of letters, in time linear in the text and little for each letter that is in none."""
    line = f"{letter}{{{fewest},}}"
    long, lines = f"{letter}{{{SHORTEST},}}(?:{goes_on})*", f"{line}(?:{goes_on})+"
    return compile_regex(f"(?:{long}|{lines})={{0,2}}")


_BASE64 = _stretch("[A-Za-z0-9+/]", 4, f"{_WRAP}[A-Za-z0-9+/]+")
_BASE64URL = _stretch("[A-Za-z0-9_-]", 4, f"{_WRAP}[A-Za-z0-9_-]+")
_HEX = _stretch("[0-9A-Fa-f]", 2, rf"(?:[ :-]|{_WRAP}|\\x|,?[ ]?0x)[0-9A-Fa-f]{{2,}}")
_NO_DIGITS = bytes(sorted(set(range(256)) - set(b"0123456789abcdefABCDEF")))
_URL = re.compile(rb"%[0-9A-Fa-f]{2}")
_FORM = re.compile(rb"%[0-9A-Fa-f]{2}|\+")
_UNICODE = rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}"
_JSON = re.compile(_UNICODE + rb"|\\[\"\\/bfnrt]")
_JSON_INNER = re.compile(_UNICODE + rb"|\\[\"/bfnrt]")


def _base64(text: bytes) -> Iterator[Stretch]:
    return _in_groups_of_four(text, _BASE64)


def _base64url(text: bytes) -> Iterator[Stretch]:
    return _in_groups_of_four(text, _BASE64URL)


def _in_groups_of_four(text: bytes, stretch: Any) -> Iterator[Stretch]:
    """Every stretch at each of the four places where its first group may begin, for what stands before may be glued."""
    for found in stretch.finditer(text):
        start, end = found.span()
        if end - start < SHORTEST:
            continue
        run = found[0].translate(_STANDARD, b" \t\r\n=")
        for skipped in range(4) if len(run) >= SHORTEST else ():
            part = run[skipped:]
            over = len(part) % 4
            part = part[:-1] if over == 1 else part + b"=" * (4 - over) if over else part
            yield Stretch(binascii.a2b_base64(part), start, end)


_STANDARD = bytes.maketrans(b"-_", b"+/")


def _hex(text: bytes) -> Iterator[Stretch]:
    """Every stretch at both places where its first pair may begin."""
    for found in _HEX.finditer(text):
        if found.end() - found.start() < SHORTEST:
            continue
        run = found[0].replace(b"0x", b"").translate(None, _NO_DIGITS)
        for skipped in range(2) if len(run) >= SHORTEST else ():
            part = run[skipped:]
            yield Stretch(binascii.a2b_hex(part[: len(part) // 2 * 2]), found.start(), found.end())


class Unescaped(NamedTuple):
    """A text in which every escape was replaced by what it stands for."""

    text: bytes
    escapes: Escapes


def _url(text: bytes) -> Iterator[Unescaped]:
    """The text without its percent signs, and once more with each plus sign as the blank that it is in a form."""
    yield from _unescaped(text, _URL, lambda escape: bytes([int(escape[1:], 16)]))
    if b"+" in text:
        yield from _unescaped(text, _FORM, lambda escape: b" " if escape == b"+" else bytes([int(escape[1:], 16)]))


def _json(text: bytes) -> Iterator[Unescaped]:
    """The text without its escapes; where backslashes are escaped, once more without those that these belong to.

    A backslash before a stretch, which belongs to something else, would make others of all its escapes.
    """
    yield from _unescaped(text, _JSON, _json_character)
    if b"\\\\" in text:
        yield from _unescaped(text, _JSON_INNER, _json_character)


def _json_character(escape: bytes) -> bytes:
    character: str = json.loads(b'"' + escape + b'"')
    return character.encode("utf-8", "replace")


def _unescaped(text: bytes, escape: re.Pattern[bytes], decode: Callable[[bytes], bytes]) -> Iterator[Unescaped]:
    escapes = Escapes([], [], [], [])
    pieces, at, length = [], 0, 0
    for found in escape.finditer(text):
        start, end = found.span()
        character = decode(found[0])
        length += start - at
        pieces += [text[at:start], character]
        escapes.starts.append(start)
        escapes.ends.append(end)
        escapes.decoded_starts.append(length)
        length += len(character)
        escapes.decoded_ends.append(length)
        at = end
    if pieces:
        yield Unescaped(b"".join([*pieces, text[at:]]), escapes)


STRETCHES: Mapping[Encoding, Callable[[bytes], Iterator[Stretch]]] = {
    "base64": _base64,
    "base64url": _base64url,
    "hex": _hex,
}
"""Encodings of stretches: whoever takes a byte out of one has to take the whole stretch. All take linear time."""

ESCAPES: Mapping[Encoding, tuple[bytes, Callable[[bytes], Iterator[Unescaped]]]] = {
    "url": (b"%", _url),
    "json": (b"\\", _json),
}
"""Encodings of single characters, each with the byte without which a text has none."""
