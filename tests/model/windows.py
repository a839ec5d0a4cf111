"""Windows, buckets of tokens and slots with reservations as plain lists: what every store must agree with."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction

from tidegate.kind import Claim


@dataclass
class Unit:
    """What one claim of one lease takes; `leaves` is when the lease expires, then when the window ends.

    It is `held` by a lease, stays `open` after its commit, or is `spent`.
    """

    claim: Claim
    cost: int
    lease: int
    leaves: float
    state: str = "held"


@dataclass
class Windows:
    """Units in one list; nothing is ever removed before its time but by `give_back` and `settle`."""

    units: list[Unit] = field(default_factory=list)
    taken: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    leases: int = 0

    def refused(self, claims: list[Claim], now: float) -> tuple[int, float] | None:
        """Which claim has no room, and in how many seconds there is."""
        before: dict[str, int] = {}
        for place, claim in enumerate(claims):
            wanted = before.get(claim.key, 0) + claim.cost
            held = [unit for unit in self.units if unit.claim.key == claim.key and unit.leaves > now]
            tokens = self.missing(claim, milliseconds(now)) if claim.refill else Fraction(0)
            for later in sorted({now, *(unit.leaves for unit in held), *back(claim, tokens, now)}):
                flown = tokens and tokens - (milliseconds(later) - milliseconds(now)) * rate(claim)
                used = sum(unit.cost for unit in held if unit.leaves > later) + max(0, math.ceil(flown))
                if used + wanted <= claim.limit:
                    if later > now:
                        return place, later - now
                    break
            else:
                return place, math.inf
            before[claim.key] = before.get(claim.key, 0) + claim.held
        return None

    def missing(self, claim: Claim, at: int) -> Fraction:
        """The tokens that are missing from a bucket at a millisecond, one event after the other."""
        missing, before = Fraction(0), 0
        for when, cost in self.taken.get(claim.key, []):
            missing = max(Fraction(0), missing - (when - before) * rate(claim)) + cost
            before = when
        return max(Fraction(0), missing - (at - before) * rate(claim))

    def reserve(self, claims: list[Claim], now: float, ttl: float) -> int:
        """Take what has room; the number of the lease."""
        self.leases += 1
        self.units += [Unit(claim, claim.held, self.leases, now + ttl) for claim in claims]
        return self.leases

    def commit(self, lease: int, now: float) -> bool:
        """Enter the body of a lease that still stands."""
        held = [unit for unit in self.units if unit.lease == lease and unit.state == "held" and unit.leaves > now]
        for unit in held:
            if unit.claim.settles == "entry":
                self.spend(unit, unit.cost, now)
            else:
                unit.state, unit.leaves = "open", now + unit.claim.window
        return bool(held)

    def settle(self, lease: int, costs: list[int | None], now: float) -> None:
        """Put what each claim came to for what it holds; what settled at entry has no say."""
        mine = [unit for unit in self.units if unit.lease == lease]
        for unit, cost in zip(mine, costs, strict=True):
            if unit.state == "open":
                self.spend(unit, cost or 0, now)
                if cost is None:
                    self.taken.pop(unit.claim.key, None)
                    self.units = [one for one in self.units if one.claim.key != unit.claim.key or one.state != "spent"]

    def renew(self, lease: int, now: float) -> None:
        """Hold the slots that still stand for their window again."""
        for unit in self.units:
            if unit.lease == lease and unit.state == "open" and unit.claim.settles == "slot" and unit.leaves > now:
                unit.leaves = now + unit.claim.window

    def give_back(self, lease: int) -> None:
        """Forget a lease that was not committed."""
        self.units = [unit for unit in self.units if unit.lease != lease or unit.state != "held"]

    def spend(self, unit: Unit, cost: int, now: float) -> None:
        """Begin the window of a unit, or take tokens out of a bucket."""
        if unit.claim.refill:
            self.taken.setdefault(unit.claim.key, []).append((milliseconds(now), cost))
            cost = 0
        unit.state, unit.cost, unit.leaves = "spent", cost, stepped(unit.claim, now + unit.claim.window)


def stepped(claim: Claim, leaves: float) -> float:
    """The next step at which units of the claim leave."""
    return math.ceil(leaves / claim.grain) * claim.grain if claim.grain else leaves


def rate(claim: Claim) -> Fraction:
    """The tokens that flow back in a millisecond."""
    return Fraction(claim.refill, round(claim.window * 1_000))


def back(claim: Claim, missing: Fraction, now: float) -> list[float]:
    """When the first, the second and each further token is back."""
    waits = (math.ceil((missing - left) / rate(claim)) for left in range(math.ceil(missing)))
    return [(milliseconds(now) + wait) / 1_000 for wait in waits]


def milliseconds(time: float) -> int:
    """Whole milliseconds."""
    return math.floor(time * 1_000 + 0.001)
