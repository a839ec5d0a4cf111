"""Buckets of tokens in whole numbers, so that every store counts alike and nothing is lost to rounding.

Rules see to it that the numbers stay below 2**53, up to which Redis is exact as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ..kind import Claim


class Scale(NamedTuple):
    """In what a bucket counts: one token is *unit* grains, and *rate* grains flow back in a millisecond."""

    unit: int
    rate: int


class Level(NamedTuple):
    """How many grains were missing from a bucket, and at which millisecond."""

    debt: int
    at: int


FULL = Level(0, 0)


def scale_of(claim: Claim) -> Scale:
    """The scale of a claim that has a refill."""
    window = milliseconds(claim.window)
    common = math.gcd(window, claim.refill)
    return Scale(window // common, claim.refill // common)


def milliseconds(seconds: float) -> int:
    """Whole milliseconds, rounded down; a microsecond below the next one is float noise and counts as there."""
    return math.floor(seconds * 1_000 + 0.001)


def debt(level: Level, scale: Scale, time: float) -> int:
    """The grains that are missing at *time*."""
    return max(0, level.debt - scale.rate * max(0, milliseconds(time) - level.at))


def used(level: Level, scale: Scale, time: float) -> int:
    """The tokens that are not there at *time*; one that has flowed back in part is not."""
    return -(-debt(level, scale, time) // scale.unit)


def spent(level: Level, scale: Scale, time: float, cost: int) -> Level:
    """The level after *cost* tokens were taken at *time*."""
    return Level(debt(level, scale, time) + cost * scale.unit, milliseconds(time))


def full_again(level: Level, scale: Scale) -> float:
    """When nothing is missing any more, in seconds."""
    return (level.at - (-level.debt // scale.rate)) / 1_000


def seconds_until_tokens(
    level: Level, scale: Scale, held: Iterable[tuple[float, int]], room: int, time: float
) -> float:
    """The seconds until at most *room* tokens are missing or held, if nobody takes any meanwhile.

    *held* are the units of leases with the time at which each expires.
    """
    missing = debt(level, scale, time)
    leases = sorted(held)
    units, start = sum(cost for _, cost in leases), time
    for expires, cost in [*leases, (math.inf, 0)]:
        if 0 <= units <= room:
            wait = -(((room - units) * scale.unit - missing) // scale.rate)
            at = max(start, (milliseconds(time) + wait) / 1_000) if wait > 0 else start
            if at < expires:
                return at - time
        units, start = units - cost, expires
    return math.inf
