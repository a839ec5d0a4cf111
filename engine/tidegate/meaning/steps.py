"""Patterns as steps, each over a set of characters: what regular expressions and automata are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import re2

LAST = 0x10FFFF
Ranges = tuple[tuple[int, int], ...]
"""Code points as sorted, disjoint, inclusive ranges."""

ANY: Ranges = ((0, LAST),)
SLASH: Ranges = ((0x2F, 0x2F),)
NOT_SLASH: Ranges = ((0, 0x2E), (0x30, LAST))
DIGITS: Ranges = ((0x30, 0x39),)


class One(NamedTuple):
    """One character of `chars`."""

    chars: Ranges


class Many(NamedTuple):
    """Any number of characters of `chars`, also none."""

    chars: Ranges


class Maybe(NamedTuple):
    """All of `steps`, or nothing."""

    steps: tuple[One | Many, ...]


Step = One | Many | Maybe


def literal(text: str) -> list[Step]:
    """The steps that stand for *text* itself."""
    return [One(((ord(char), ord(char)),)) for char in text]


def complement(ranges: Ranges) -> Ranges:
    """Every code point that is not in *ranges*."""
    gaps: list[tuple[int, int]] = []
    after = 0
    for low, high in ranges:
        if low > after:
            gaps.append((after, low - 1))
        after = high + 1
    if after <= LAST:
        gaps.append((after, LAST))
    return tuple(gaps)


def union(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """The same code points, sorted and disjoint."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return tuple(merged)


def regex(branches: Sequence[Sequence[Step]]) -> str:
    """The same texts as a regular expression in the dialect of RE2, to be matched as a whole."""
    return "(?s)" + "|".join("".join(map(_regex_of, branch)) for branch in branches)


def _regex_of(step: Step) -> str:
    if isinstance(step, Maybe):
        return f"(?:{''.join(map(_regex_of, step.steps))})?"
    ranges = step.chars
    if ranges == ANY:
        text = "."
    elif len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        text = re2.escape(chr(ranges[0][0])) if ranges[0][0] else r"\x00"
    elif ranges == NOT_SLASH:
        text = "[^/]"
    else:
        text = "[" + "".join(rf"\x{{{low:x}}}-\x{{{high:x}}}" for low, high in ranges) + "]"
    return text if isinstance(step, One) else text + "*"
