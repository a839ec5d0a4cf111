"""Contestants that take turns over the same calls."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from statistics import median, quantiles
from time import thread_time_ns
from typing import NamedTuple

from deciding.engines import ENGINES, Decide
from deciding.workloads import Made, Written, expected

REPEATS = 5
PATIENCE = 0.7
"""Seconds that a contestant has for one turn."""
CHECKED = 10.0
"""Seconds that it has for the comparison with the reference."""
FEWEST = 8
SLOW = 20_000.0


class Turns(NamedTuple):
    """The times of one contestant, in microseconds: one list of calls for each turn."""

    times: tuple[tuple[float, ...], ...]

    @property
    def median(self) -> float:
        """The middle of the medians of all turns."""
        return median(map(median, self.times))

    @property
    def p99(self) -> float:
        """The middle of the 99th percentiles of all turns."""
        return median(quantiles(turn, n=100)[98] if len(turn) > 1 else turn[0] for turn in self.times)

    @property
    def slow(self) -> bool:
        """Whether a larger set of rules would take too long."""
        return self.median > SLOW

    def against(self, other: Turns) -> tuple[float, float, float]:
        """The least, middle and most of the ratios of medians of one turn, over the calls that both were asked."""
        ratios = sorted(
            median(own) / median(theirs[: len(own)]) for own, theirs in zip(self.times, other.times, strict=True)
        )
        return ratios[0], median(ratios), ratios[-1]


def turns(names: Sequence[str], written: list[Written], made: Sequence[Made]) -> dict[str, Turns]:
    """Let the engines of these names take turns over the calls; one that judges a call otherwise is left out."""
    right = [expected(written, call) for call in made]
    engines: dict[str, Decide] = {}
    for name in names:
        decide = ENGINES[name](written)
        wrong = _wrong(decide, made, right)
        if wrong:
            print(f"{name} is left out: it judges {len(wrong)} calls otherwise, such as {wrong[0]}")
        else:
            engines[name] = decide
    times: dict[str, list[tuple[float, ...]]] = {name: [] for name in engines}
    for _ in range(REPEATS):
        for name, decide in engines.items():
            gc.collect()
            times[name].append(tuple(_turn(decide, made)))
    return {name: Turns(tuple(some)) for name, some in times.items()}


def _wrong(decide: Decide, made: Sequence[Made], right: Sequence[bool]) -> list[Made]:
    """The calls that are judged otherwise; a slow engine is asked about as many as it can in its time."""
    found: list[Made] = []
    began = thread_time_ns()
    for count, (call, allowed) in enumerate(zip(made, right, strict=True)):
        if count >= FEWEST and thread_time_ns() - began > CHECKED * 1e9:
            break
        if decide(call) is not allowed:
            found.append(call)
    return found


def _turn(decide: Decide, made: Sequence[Made]) -> list[float]:
    """The time of each call; the turn of a slow engine ends early."""
    found: list[float] = []
    began = thread_time_ns()
    for call in made:
        start = thread_time_ns()
        decide(call)
        end = thread_time_ns()
        found.append((end - start) / 1_000)
        if len(found) >= FEWEST and end - began > PATIENCE * 1e9:
            break
    return found
