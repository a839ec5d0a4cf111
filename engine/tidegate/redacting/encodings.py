"""Undoing encodings: what a text says to whoever decodes parts of it."""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, islice
from operator import add
from typing import Any, Literal, NamedTuple

from ..meaning.regexes import compile_regex
from .escapes import Reading, json_readings, url_readings

Encoding = Literal["base64", "base64url", "hex", "url", "json"]

SHORTEST = 16
"""The fewest characters of base64 or hex digits that are taken for an encoded stretch."""

BETWEEN = b"\n\0\n"
"""What stands between texts that are looked through together: no line of one goes on in the next, and neither does an
encoded stretch."""

_FEW = 2_000
"""How many stretches are found by the engine that is quick to pass over other text, before that which is quick to find
the next takes over."""


class Decoded(NamedTuple):
    """One reading of every stretch of a text, one after the other with `BETWEEN` between them.

    `starts` and `ends` say where in `text` each stands, `sources` where its stretch stood.
    """

    text: bytes
    starts: list[int]
    ends: list[int]
    sources: list[tuple[int, int]]


class _Runs(NamedTuple):
    """The letters of stretches without what stands between them, and where the stretches stand."""

    letters: list[bytes]
    sources: list[tuple[int, int]]


# A stretch goes on over the ends of lines. It has a long line or several: words are passed over quickly.
_WRAP = r"[ \t]*\r?\n[ \t]*"


class _Scan:
    """Finds stretches of letters, in time linear in the text."""

    def __init__(self, letter: str, fewest: int, goes_on: str, shared: str = "") -> None:
        """*shared* matches lines that end with a letter which belongs to what goes on as well."""
        long, lines = f"{letter}{{{SHORTEST},}}(?:{goes_on})*", f"{letter}{{{fewest},}}(?:{goes_on})+"
        self._passing = compile_regex(f"(?:{long}|{lines})={{0,2}}")
        # No stretch begins within a run of letters: it could as well begin at its start.
        long, lines = f"{letter}{{{SHORTEST},}}+(?:{goes_on})*", f"{letter}{{{fewest},}}+(?:{goes_on})+{shared}"
        self._finding = re.compile(f"(?<!{letter})(?:{long}|{lines})={{0,2}}".encode())

    def __call__(self, text: bytes) -> Iterator[tuple[int, int]]:
        """Where those that are long enough stand."""
        few = [found.span() for found in islice(self._passing.finditer(text), _FEW)]
        rest = self._finding.finditer(text, few[-1][1]) if len(few) == _FEW else ()
        for start, end in chain(few, (found.span() for found in rest)):
            if end - start >= SHORTEST:
                yield start, end


_BASE64 = _Scan("[A-Za-z0-9+/]", 4, f"{_WRAP}[A-Za-z0-9+/]+")
_BASE64URL = _Scan("[A-Za-z0-9_-]", 4, f"{_WRAP}[A-Za-z0-9_-]+")
_PAIRS = rf"(?:[ :-]|{_WRAP}|\\x|,?[ ]?0x)[0-9A-Fa-f]{{2,}}"
_HEX = _Scan("[0-9A-Fa-f]", 2, _PAIRS, rf"|(?=[0-9A-Fa-f]++x)[0-9A-Fa-f]{{2,}}?0x[0-9A-Fa-f]{{2,}}(?:{_PAIRS})*")
_NO_DIGITS = bytes(sorted(set(range(256)) - set(b"0123456789abcdefABCDEF")))
_STANDARD = bytes.maketrans(b"-_", b"+/")


class Stretches:
    """The encoded stretches of a text; whoever takes a byte out of one has to take the whole stretch."""

    def __init__(self, encodings: Sequence[Encoding], text: bytes) -> None:
        self._base64 = _base64_runs(text, _BASE64) if "base64" in encodings else _Runs([], [])
        self._hex = _hex_runs(text) if "hex" in encodings else _Runs([], [])
        self._base64url, self._parts = _Runs([], []), _Runs([], [])
        if "base64url" in encodings:
            self._sort(_base64_runs(text, _BASE64URL))

    def _sort(self, runs: _Runs) -> None:
        """Tell stretches of base64url apart from those that are as well in base64, or parts of such ones."""
        known = dict(zip(self._base64.sources, self._base64.letters, strict=True))
        for letters, source in zip(*runs, strict=True):
            if known.get(source) == letters:
                continue
            kept = self._parts if known and b"+" not in letters and b"/" not in letters else self._base64url
            kept.letters.append(letters)
            kept.sources.append(source)

    def readings(self) -> Iterator[Decoded]:
        """Every reading, but for those of `parts`."""
        yield from _in_groups(self._base64, _BASE64_GROUPS)
        yield from _in_groups(self._base64url, _BASE64_GROUPS)
        yield from _in_groups(self._hex, _HEX_GROUPS)

    def parts(self) -> Iterator[Decoded]:
        """Readings of base64url that are parts of those of base64.

        They say something new only by where they begin and end.
        """
        return _in_groups(self._parts, _BASE64_GROUPS)


def _base64_runs(text: bytes, scan: _Scan) -> _Runs:
    sources = list(scan(text))
    return _long_enough([text[start:end].translate(_STANDARD, b" \t\r\n=") for start, end in sources], sources)


def _hex_runs(text: bytes) -> _Runs:
    sources = list(_HEX(text))
    letters = [text[start:end].replace(b"0x", b"").translate(None, _NO_DIGITS) for start, end in sources]
    return _long_enough(letters, sources)


def _long_enough(letters: list[bytes], sources: list[tuple[int, int]]) -> _Runs:
    if all(len(run) >= SHORTEST for run in letters):
        return _Runs(letters, sources)
    kept = [index for index, run in enumerate(letters) if len(run) >= SHORTEST]
    return _Runs([letters[index] for index in kept], [sources[index] for index in kept])


class _Groups(NamedTuple):
    """How letters are decoded: so many of them stand for so many bytes, and one of them for none but zeros."""

    letters: int
    stands_for: int
    zero: bytes
    decode: Callable[[bytes], bytes]


_BASE64_GROUPS = _Groups(4, 3, b"A", binascii.a2b_base64)
_HEX_GROUPS = _Groups(2, 1, b"0", binascii.a2b_hex)


def _in_groups(runs: _Runs, groups: _Groups) -> Iterator[Decoded]:
    """All runs at each place where their first group may begin, for what stands before may be glued.

    They are decoded together: each run is filled up to whole groups with one more behind it, and what comes of these,
    and of letters of two runs, is left out.
    """
    size = groups.letters
    if not runs.letters:
        return
    fills = [groups.zero * (size + -over % size) for over in range(size)]
    lengths = list(map(len, runs.letters))
    joined = b"".join([part for run in runs.letters for part in (run, fills[len(run) % size])])
    places = accumulate([length + len(fills[length % size]) for length in lengths[:-1]], initial=0)
    begins = [place // size * groups.stands_for for place in places]
    for skipped in range(size):
        decoded = groups.decode(joined[skipped : len(joined) - (size - skipped) % size])
        kept = [(length - skipped) * groups.stands_for // size for length in lengths]
        text = BETWEEN.join([decoded[begin : begin + size] for begin, size in zip(begins, kept, strict=True)])
        starts = list(accumulate([size + len(BETWEEN) for size in kept[:-1]], initial=0))
        yield Decoded(text, starts, list(map(add, starts, kept)), runs.sources)


ESCAPES: Mapping[Any, tuple[bytes, Callable[[bytes], Iterator[Reading]]]] = {
    "url": (b"%", url_readings),
    "json": (b"\\", json_readings),
}
"""Encodings of single characters, each with the byte without which a text has none."""
