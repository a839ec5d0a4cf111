"""What is looked for: a regular expression with what narrows it down, over the bytes of UTF-8 text."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import re2

Found = Iterator[tuple[int, int]]
"""Where something begins and ends, in bytes."""


class Detector(NamedTuple):
    """One thing that is looked for.

    `label` names it, such as `secret: aws-access-key`. `source` is a regular expression that matches wherever `find`
    finds something. `find` tells where in UTF-8 text it stands; every match of one call is beside the others.

    `alone` tells that a text must be looked through by itself, as something farther away could make another match;
    where it is false, no match has a NUL character in it.
    """

    label: str
    source: str
    find: Callable[[bytes], Found]
    alone: bool = False


class Match(NamedTuple):
    """A match before it is known to count: the text, where the value stands in it, and where the whole match does."""

    text: bytes
    value: tuple[int, int]
    whole: tuple[int, int]


Check = Callable[[Match], bool]
"""Whether a match counts."""


def of_regex(
    label: str, regex: Any, group: int, keywords: Sequence[str] = (), checks: Sequence[Check] = ()
) -> Detector:
    """A detector of what a compiled expression matches.

    *group* is the part that counts; with 0 it is the first group that is not empty, or the whole match where there is
    none. Unless there are no *keywords*, the text must hold one of them, in any case. All *checks* must hold.
    """
    wanted = [word.lower().encode() for word in keywords]

    def find(text: bytes) -> Found:
        if wanted:
            lowered = text.lower()
            if not any(word in lowered for word in wanted):
                return
        for match in regex.finditer(text):
            value = _part(match, group, regex.groups)
            if value[0] < value[1] and all(check(Match(text, value, match.span())) for check in checks):
                yield value

    return Detector(label, regex.pattern, find, alone=bool(wanted) or _looks_around(regex.pattern))


_TOKEN = re.compile(r"\\Q.*?(?:\\E|\Z)|\\.|\[\^?\]?(?:\\.|\[:[^\]]*:\]|[^\]\\])*\]|[\^$.]", re.DOTALL)
_ENDS = frozenset({"^", "$", r"\A", r"\z"})
_EDGES = _ENDS | {r"\b", r"\B"}
_AROUND = re.compile(r"\.|\[\^|.*(?:\\[DWSCPpx0-9Q]|\[:\^|\0)", re.DOTALL)


def without_edges(source: str) -> str:
    """An expression that matches whatever *source* does, wherever lines, words and texts begin and end."""
    return _TOKEN.sub(lambda token: "(?:)" if token[0] in _EDGES else token[0], source)


def _looks_around(source: str) -> bool:
    """Whether it may match characters that it does not name, NUL among them, or minds the ends of a text.

    When in doubt, it may.
    """
    tokens = [token[0] for token in _TOKEN.finditer(source)]
    return "\0" in source or any(token in _ENDS or _AROUND.match(token) for token in tokens)


def _part(match: Any, group: int, groups: int) -> tuple[int, int]:
    if group == 0:
        group = next((index for index in range(1, groups + 1) if match.start(index) < match.end(index)), 0)
    start, end = match.span(group)
    return start, end


def at_least(entropy: float) -> Check:
    """Holds of values with more than so many bits of Shannon entropy in each character."""

    def check(match: Match) -> bool:
        value = match.text[slice(*match.value)].decode("utf-8", "replace")
        counts = Counter(value).values()
        return -sum(count / len(value) * math.log2(count / len(value)) for count in counts) > entropy

    return check


class Prefilter:
    """Tells which detectors can find anything in a text, in one pass over it however many there are.

    It may name a detector that finds nothing, and never leaves out one that finds something in a part of the text.
    """

    def __init__(self, detectors: Sequence[Detector]) -> None:
        options = re2.Options()
        options.log_errors = False
        options.max_mem = _MEMORY
        sources = re2.Set.SearchSet(options)
        self._all = tuple(detectors)
        try:
            for one in detectors:
                sources.Add(without_edges(one.source))
            # An empty answer may mean that the automaton ran out of memory; this one always matches.
            sources.Add("")
            sources.Compile()
        except re2.error:
            # So many that no automaton for all of them has room: each is tried by itself.
            sources = None
        self._set = sources

    def __call__(self, text: bytes) -> tuple[Detector, ...]:
        """The detectors that may find something in a part of this text, in their order."""
        hits = frozenset() if self._set is None else frozenset(self._set.Match(text))
        if len(self._all) not in hits:
            return self._all
        return tuple(one for index, one in enumerate(self._all) if index in hits)


_MEMORY = 64 * 1024 * 1024
