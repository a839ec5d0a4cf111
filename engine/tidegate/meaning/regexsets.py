"""Many regular expressions, asked about one text at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import re2

_MEMORY = 256 << 20
_CANARY = "(?s).*"


class RegexSet:
    """Regular expressions of the RE2 dialect, of which it tells in one pass which match a text as a whole.

    Where a set becomes too large to be compiled it is split.
    """

    __slots__ = ("_chunks",)

    def __init__(self, patterns: Sequence[str]) -> None:
        """Compile *patterns*, each of which can be compiled alone."""
        self._chunks = tuple(_chunks(tuple(patterns), 0)) if patterns else ()

    def matches(self, text: str) -> Iterable[int] | None:
        """The positions of the patterns that match, in no order, or `None` where that cannot be told."""
        chunks = self._chunks
        if len(chunks) == 1:
            return chunks[0].matches(text)
        found: list[int] = []
        for chunk in chunks:
            some = chunk.matches(text)
            if some is None:
                return None
            found += some
        return found


class _Chunk:
    """Patterns that fit into one automaton, the first of which has the position *start*."""

    __slots__ = ("_canary", "_set", "_start")

    def __init__(self, patterns: Sequence[str], start: int) -> None:
        options = re2.Options()
        options.max_mem = _MEMORY
        options.log_errors = False
        self._set = re2.Set.FullMatchSet(options)
        for pattern in patterns:
            self._set.Add(pattern)
        self._canary = self._set.Add(_CANARY)
        self._start = start
        self._set.Compile()

    def matches(self, text: str) -> list[int] | None:
        try:
            found: list[int] = self._set.Match(text)
        except UnicodeEncodeError:  # text that is none, which RE2 does not take
            return None
        # RE2 answers "nothing" when it runs out of memory; then the canary, which matches all, is missing too.
        if self._canary not in found:
            return None
        if len(found) == 1:
            return []
        return [at + self._start for at in found if at != self._canary]


def _chunks(patterns: Sequence[str], start: int) -> Iterable[_Chunk]:
    """The patterns in as few automata as hold them."""
    try:
        yield _Chunk(patterns, start)
    except re2.error:
        if len(patterns) == 1:
            raise
        half = len(patterns) // 2
        yield from _chunks(patterns[:half], start)
        yield from _chunks(patterns[half:], start + half)
