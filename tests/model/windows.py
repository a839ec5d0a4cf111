"""Moving windows with reservations as a list, slow and plain: what every store must agree with."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from tidegate.kind import Claim


@dataclass
class Unit:
    """What one claim of one lease takes; `leaves` is when the lease expires, then when the window ends."""

    key: str
    cost: int
    lease: int
    leaves: float
    spent: bool = False


@dataclass
class Windows:
    """Units in one list; nothing is ever removed before its time but by `give_back`."""

    units: list[Unit] = field(default_factory=list)
    leases: int = 0

    def refused(self, claims: list[Claim], now: float) -> tuple[int, float] | None:
        """Which claim has no room, and in how many seconds there is."""
        taken: dict[str, int] = {}
        for place, claim in enumerate(claims):
            before = taken.get(claim.key, 0)
            for later in sorted({now, *(unit.leaves for unit in self.units if unit.leaves > now)}):
                used = sum(unit.cost for unit in self.units if unit.key == claim.key and unit.leaves > later)
                if before + used + claim.cost <= claim.limit:
                    if later > now:
                        return place, later - now
                    break
            else:
                return place, math.inf
            taken[claim.key] = before + claim.cost
        return None

    def reserve(self, claims: list[Claim], now: float, ttl: float) -> int:
        """Take what has room; the number of the lease."""
        self.leases += 1
        self.units += [Unit(claim.key, claim.cost, self.leases, now + ttl) for claim in claims]
        return self.leases

    def commit(self, lease: int, claims: list[Claim], now: float) -> bool:
        """Begin the windows of a lease that still stands."""
        held = [unit for unit in self.units if unit.lease == lease and not unit.spent and unit.leaves > now]
        for unit, claim in zip(held, claims, strict=False):
            unit.spent, unit.leaves = True, now + claim.window
        return bool(held)

    def give_back(self, lease: int) -> None:
        """Forget a lease that was not committed."""
        self.units = [unit for unit in self.units if unit.lease != lease or unit.spent]
