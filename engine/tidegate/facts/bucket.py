"""What the store in memory keeps under one key."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable
from heapq import merge
from operator import itemgetter
from typing import TYPE_CHECKING

from . import tokens
from .tokens import FULL, scale_of, seconds_until_tokens

if TYPE_CHECKING:
    from ..kind import Claim

FINE = 4_096
"""How many moments of one window are told apart; units of a larger limit leave it in steps of a 4,096th of it."""

_leaves = itemgetter(0)


def leaving(claim: Claim, time: float) -> float:
    """When a unit that is committed at *time* leaves its window; never early, and late by one step at most."""
    leaves, grain = time + claim.window, grain_of(claim)
    return math.ceil(leaves / grain) * grain if grain else leaves


def grain_of(claim: Claim) -> float:
    """The step in seconds in which units of the claim leave its window, 0 for any moment."""
    if claim.grain is not None:
        return claim.grain
    return claim.window / FINE if claim.limit > FINE else 0.0


def seconds_until_room(leaves: Iterable[tuple[float, int]], excess: int, time: float) -> float:
    """The seconds until *excess* units have gone, given units with the time at which they go, soonest first."""
    for gone, cost in leaves:
        excess -= cost
        if excess <= 0:
            return gone - time
    return math.inf


class Bucket:
    """The units in use under one key: those that leases hold, and those that were spent and leave one by one."""

    __slots__ = ("_held", "_soonest", "_spent", "_units")

    def __init__(self) -> None:
        self._units = 0
        self._spent: list[tuple[float, int]] = []  # soonest first; a deque would be ten times as large
        self._held: dict[int, tuple[float, int]] = {}
        self._soonest = math.inf  # no lease expires before; an older one may have been here

    @property
    def idle(self) -> bool:
        """Whether nothing is kept here, as of the last `settle`."""
        return not self._spent and not self._held

    def used(self, time: float) -> int:
        """The units in use at *time*."""
        units = self._units
        if self._spent and self._spent[0][0] <= time:
            units -= sum(cost for _, cost in self._spent[: bisect_right(self._spent, time, key=_leaves)])
        if self._soonest <= time:
            units -= sum(cost for expires, cost in self._held.values() if expires <= time)
        return units

    def seconds_until(self, room: int, time: float) -> float:
        """The seconds until at most *room* units are in use, if nobody takes any meanwhile."""
        leaves = (entry for entry in merge(self._spent, sorted(self._held.values())) if entry[0] > time)
        return seconds_until_room(leaves, self.used(time) - room, time)

    def settle(self, time: float) -> int:
        """Forget what has left by *time*; the number of entries that went."""
        went = 0
        if self._spent and self._spent[0][0] <= time:
            went = bisect_right(self._spent, time, key=_leaves)
            self._units -= sum(cost for _, cost in self._spent[:went])
            del self._spent[:went]
        if self._soonest <= time:
            for number in [number for number, (expires, _) in self._held.items() if expires <= time]:
                self.drop(number)
                went += 1
            self._soonest = min((expires for expires, _ in self._held.values()), default=math.inf)
        return went

    def hold(self, number: int, expires: float, cost: int) -> None:
        """Add units that a lease holds."""
        self._held[number] = (expires, cost)
        self._soonest = min(self._soonest, expires)
        self._units += cost

    def drop(self, number: int) -> bool:
        """Take out what a lease holds; whether it was there."""
        held = self._held.pop(number, None)
        if held is None:
            return False
        self._units -= held[1]
        return True

    def spend(self, claim: Claim, time: float, cost: int) -> int:
        """Add units that are used up at *time*; the number of entries that this adds."""
        leaves = leaving(claim, time)
        self._units += cost
        if not self._spent or self._spent[-1][0] < leaves:
            self._spent.append((leaves, cost))
            return 1
        last, before = self._spent[-1]
        self._spent[-1] = (last, before + cost)
        return 0

    def clear(self) -> int:
        """Forget what was spent; the number of entries that went."""
        went = len(self._spent)
        self._units -= sum(cost for _, cost in self._spent)
        self._spent.clear()
        return went


class TokenBucket(Bucket):
    """The same for a bucket of tokens: what was spent flows back at a steady rate."""

    __slots__ = ("_level", "_scale")

    def __init__(self, claim: Claim) -> None:
        super().__init__()
        self._scale = scale_of(claim)
        self._level = FULL

    @property
    def idle(self) -> bool:
        """See `Bucket`."""
        return super().idle and not self._level.debt

    def used(self, time: float) -> int:
        """See `Bucket`."""
        return super().used(time) + tokens.used(self._level, self._scale, time)

    def seconds_until(self, room: int, time: float) -> float:
        """See `Bucket`."""
        held = [entry for entry in self._held.values() if entry[0] > time]
        return seconds_until_tokens(self._level, self._scale, held, room, time)

    def settle(self, time: float) -> int:
        """See `Bucket`; the level is one entry."""
        went = super().settle(time)
        if self._level.debt and not tokens.debt(self._level, self._scale, time):
            self._level = FULL
            went += 1
        return went

    def spend(self, claim: Claim, time: float, cost: int) -> int:  # noqa: ARG002 - the claim is that of the bucket
        """See `Bucket`."""
        before, self._level = self._level, tokens.spent(self._level, self._scale, time, cost)
        return 0 if before.debt else 1

    def clear(self) -> int:
        """See `Bucket`."""
        before, self._level = self._level, FULL
        return 1 if before.debt else 0
