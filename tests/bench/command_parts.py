"""Where the time goes when a command is read for the first time, as parts of `shlex.split` of the same line.

The lines are those of `commands.py`, and so is the way to measure: line by line in turn with `shlex.split`, the best of
several rounds, everything forgotten before each. Parts are timed while a whole line is read, so that each finds the
processor as it would; a clock is read before and after each, which costs a little of its own.

A line goes the short way where all of it is plain, and the whole way else; of its commands some are read plainly, and
some by every role of their entries. Nothing is asserted.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from contextlib import contextmanager
from random import Random
from statistics import fmean, median
from time import perf_counter_ns
from typing import Any, NamedTuple

from commands import AGENT_LIKE, CASES, MOST_LINES, ROUNDS, SCENE, analysed, by_shlex, forget

from tidegate.meaning.commands import interpret, plain_reading
from tidegate.meaning.shell import plain, walk

_PARTS = {
    "the text taken apart, on the short way": (plain, "plain_commands"),
    "commands whose options and operands are plain": (interpret, "read_plain"),
    "… of which their words": (plain_reading, "take_words"),
    "… of which their paths": (plain_reading, "resolve"),
    "commands by every role of their entries": (interpret, "_read"),
    "the long way of the shell, with all that it asks": (walk.Walker, "shell"),
}
_WHOLE, _YARDSTICK = "the whole line", "shlex.split"


class Line(NamedTuple):
    """The best round of one line: the nanoseconds of each part, of all of it, and of the yardstick."""

    parts: dict[str, int]
    is_short: bool


@contextmanager
def clocked(times: dict[str, int]) -> Any:
    """Add the time of each part to *times*."""
    before = {title: getattr(owner, name) for title, (owner, name) in _PARTS.items()}
    for title, (owner, name) in _PARTS.items():
        setattr(owner, name, _timed(before[title], times, title))
    try:
        yield
    finally:
        for title, (owner, name) in _PARTS.items():
            setattr(owner, name, before[title])


def _timed(function: Callable[..., Any], times: dict[str, int], title: str) -> Callable[..., Any]:
    def timed(*words: Any, **named: Any) -> Any:
        start = perf_counter_ns()
        try:
            return function(*words, **named)
        finally:
            times[title] = times.get(title, 0) + perf_counter_ns() - start

    return timed


def best(lines: list[str]) -> list[Line]:
    """The best round of each line."""
    found: dict[int, dict[str, int]] = {}
    times: dict[str, int] = {}
    with clocked(times):
        for _ in range(ROUNDS):
            forget()
            for place, line in enumerate(lines):
                start = perf_counter_ns()
                by_shlex(line)
                middle = perf_counter_ns()
                times.clear()
                analysed(SCENE, line)
                now = {**times, _WHOLE: perf_counter_ns() - middle, _YARDSTICK: middle - start}
                if place not in found or now[_WHOLE] < found[place][_WHOLE]:
                    found[place] = now
    return [
        Line(found[place], "the long way of the shell, with all that it asks" not in found[place]) for place in found
    ]


def report(title: str, lines: list[str]) -> None:
    """Print what each part takes, as a share of the yardstick's mean."""
    for line in lines:
        analysed(SCENE, line)  # the entries of all programs are compiled
    rows = best(lines)
    short = [row for row in rows if row.is_short]
    print(f"{title}: {len(rows)} lines, {len(short)} of them on the short way")
    for name, some in (
        ("all", rows),
        ("on the short way", short),
        ("on the long way", [row for row in rows if row not in short]),
    ):
        if some:
            ratio = median(row.parts[_WHOLE] / row.parts[_YARDSTICK] for row in some)
            print(f"  × median {ratio:5.2f}  lines {name}")
    yardstick = fmean(row.parts[_YARDSTICK] for row in rows)
    for part in (*_PARTS, _WHOLE):
        mean = fmean(row.parts.get(part, 0) for row in rows)
        print(f"  {mean / 1_000:7.1f} µs  × mean   {mean / yardstick:5.2f}  {part}")


if __name__ == "__main__":
    gc.disable()
    if CASES.exists():
        written = CASES.read_text(encoding="utf-8").splitlines()
        report("lines that people wrote", Random(1).sample(written, min(MOST_LINES, len(written))))
    report("lines as agents write them", AGENT_LIKE.strip().splitlines())
