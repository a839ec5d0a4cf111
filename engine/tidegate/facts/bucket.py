"""What the store in memory keeps under one key."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator
from heapq import merge
from operator import itemgetter

_leaves = itemgetter(0)


class Bucket:
    """The units in use under one key: those that leases hold, and those that were spent and leave one by one."""

    __slots__ = ("_held", "_soonest", "_spent", "units")

    def __init__(self) -> None:
        self.units = 0
        self._spent: list[tuple[float, int]] = []  # soonest first; a deque would be ten times as large
        self._held: dict[int, tuple[float, int]] = {}
        self._soonest = math.inf  # no lease expires before; an older one may have been here

    def used(self, time: float) -> int:
        """The units in use at *time*."""
        units = self.units
        if self._spent and self._spent[0][0] <= time:
            units -= sum(cost for _, cost in self._spent[: bisect_right(self._spent, time, key=_leaves)])
        if self._soonest <= time:
            units -= sum(cost for expires, cost in self._held.values() if expires <= time)
        return units

    def leaves(self, time: float) -> Iterator[tuple[float, int]]:
        """When units leave after *time*, and how many, soonest first."""
        return (entry for entry in merge(self._spent, sorted(self._held.values())) if entry[0] > time)

    def settle(self, time: float) -> int:
        """Forget what has left by *time*; the number of entries that went."""
        went = 0
        if self._spent and self._spent[0][0] <= time:
            went = bisect_right(self._spent, time, key=_leaves)
            self.units -= sum(cost for _, cost in self._spent[:went])
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
        self.units += cost

    def drop(self, number: int) -> bool:
        """Take out what a lease holds; whether it was there."""
        held = self._held.pop(number, None)
        if held is None:
            return False
        self.units -= held[1]
        return True

    def spend(self, leaves: float, cost: int) -> int:
        """Add units that leave at a time; the number of entries that this adds."""
        self.units += cost
        if not self._spent or self._spent[-1][0] < leaves:
            self._spent.append((leaves, cost))
            return 1
        last, before = self._spent[-1]
        self._spent[-1] = (last, before + cost)
        return 0
