"""Counters of limits: moving windows with reservations, and the store that keeps them in memory."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ..errors import StoreError
from .bucket import Bucket
from .timeline import Timeline

if TYPE_CHECKING:
    from ..kind import Claim

FINE = 4_096
"""How many moments of one window are told apart; units of a larger limit leave it in steps of a 4,096th of it."""


class Lease(NamedTuple):
    """Units that a call holds until it is known whether its body is entered."""

    id: int
    claims: tuple[Claim, ...]
    expires: float


class Refused(NamedTuple):
    """The first claim that has no room.

    `place` is its index among the claims; `retry_after` the seconds until there is room if nobody takes anything
    meanwhile, infinite where the claim alone is larger than its limit.
    """

    place: int
    claim: Claim
    retry_after: float


def check(claims: Iterable[Claim]) -> None:
    """Raise `StoreError` for a claim that takes nothing: it would pass for ever, or give units away."""
    for claim in claims:
        if claim.cost < 1:
            raise StoreError("a claim takes less than one unit")


class Counters(Protocol):
    """A store of moving windows.

    A unit counts from its reservation on. When it is committed, its window begins; it is gone when it was given
    back, or when its lease expired. A body is entered only after `commit` said so: an expired lease belongs to a
    call that never ran, so that it counts as given back. In no window, a moment and the seconds before it, do
    more units pass than the limit, whatever the order of calls.

    `now` is a reading of `Clock.steady`, taken right before. Where nobody else shares the store it may be the time
    of a recorded call; a shared store goes by the machine as well, so that no call can say that time has passed.
    Under one key all claims have the same window. Every method raises `StoreError` where the store fails; then
    nothing was taken.

    Attributes:
        blocking: Whether a call can wait for a disk, a lock of another process or a network.
    """

    blocking: bool

    def test(self, claims: Sequence[Claim], now: float) -> Refused | None:
        """Say whether a reservation would be refused, and change nothing."""

    def reserve(self, claims: Sequence[Claim], now: float, ttl: float) -> Lease | Refused:
        """Take all *claims* or none; the lease expires after *ttl* seconds."""

    def commit(self, lease: Lease, now: float) -> bool:
        """Count the lease from *now* on; true exactly once, and never after it expired or was given back."""

    def give_back(self, lease: Lease) -> None:
        """Take back a lease that was not committed; anything else is a no-op."""

    def close(self) -> None:
        """Let go of files and connections; the next use opens them again."""


def leaving(claim: Claim, time: float) -> float:
    """When a unit that is committed at *time* leaves its window; never early, and late by a 4,096th of it at most."""
    leaves = time + claim.window
    if claim.limit <= FINE:
        return leaves
    grain = claim.window / FINE
    return math.ceil(leaves / grain) * grain


def seconds_until_room(leaves: Iterable[tuple[float, int]], excess: int, time: float) -> float:
    """The seconds until *excess* units have gone, given units with the time at which they go, soonest first."""
    for gone, cost in leaves:
        excess -= cost
        if excess <= 0:
            return gone - time
    return math.inf


_TURN = 2  # more than one key, so that idle ones go faster than new ones come
_LONG_TURN = 64  # few enough that a full store stays quick to refuse


class MemoryCounters:
    """Counters in this process; threads may share them.

    Every new key looks after two of those that waited longest, so that idle ones go. Where there are more than
    *capacity* entries all the same, new ones are refused with a `StoreError`: dropping a key would forget what it
    used up.
    """

    blocking = False

    __slots__ = ("_buckets", "_capacity", "_entries", "_lock", "_number", "_timeline")

    def __init__(self, capacity: int = 100_000) -> None:
        self._capacity = capacity
        self._entries = 0
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()
        self._number = 1
        self._lock = Lock()
        self._timeline = Timeline()

    def __len__(self) -> int:
        """How many keys are kept."""
        return len(self._buckets)

    def test(self, claims: Sequence[Claim], now: float) -> Refused | None:
        """See `Counters`."""
        check(claims)
        with self._lock:
            return self._refusal(claims, self._timeline.look(now))

    def reserve(self, claims: Sequence[Claim], now: float, ttl: float) -> Lease | Refused:
        """See `Counters`."""
        check(claims)
        with self._lock:
            time = self._timeline.move(now)
            refused = self._refusal(claims, time)
            if refused is not None:
                return refused
            if self._entries + len(claims) > self._capacity:
                self._make_room(len(claims), time)
            lease = Lease(self._number, tuple(claims), time + ttl)
            self._number += len(claims)
            for number, claim in enumerate(claims, lease.id):
                self._hold(claim, number, lease.expires, time)
            return lease

    def commit(self, lease: Lease, now: float) -> bool:
        """See `Counters`."""
        with self._lock:
            time = self._timeline.move(now)
            if not self._drop(lease) or time >= lease.expires:
                return False
            for claim in lease.claims:
                self._entries += self._buckets[claim.key].spend(leaving(claim, time), claim.cost)
            return True

    def give_back(self, lease: Lease) -> None:
        """See `Counters`."""
        with self._lock:
            self._drop(lease)

    def close(self) -> None:
        """See `Counters`; there is nothing to let go of."""

    def _refusal(self, claims: Sequence[Claim], time: float) -> Refused | None:
        for index, claim in enumerate(claims):
            bucket = self._buckets.get(claim.key)
            used = 0 if bucket is None else bucket.used(time)
            if index:
                used += sum(earlier.cost for earlier in claims[:index] if earlier.key == claim.key)
            if used + claim.cost > claim.limit:
                leaves = () if bucket is None else bucket.leaves(time)
                return Refused(index, claim, seconds_until_room(leaves, used + claim.cost - claim.limit, time))
        return None

    def _hold(self, claim: Claim, number: int, expires: float, time: float) -> None:
        bucket = self._buckets.get(claim.key)
        if bucket is None:
            self._tidy(_TURN, time)
            bucket = self._buckets[claim.key] = Bucket()
        else:
            self._entries -= bucket.settle(time)
        bucket.hold(number, expires, claim.cost)
        self._entries += 1

    def _drop(self, lease: Lease) -> bool:
        """Take the lease out of its buckets; whether it stood in all of them."""
        stood = True
        for number, claim in enumerate(lease.claims, lease.id):
            bucket = self._buckets.get(claim.key)
            if bucket is not None and bucket.drop(number):
                self._entries -= 1
            else:
                stood = False
        return stood

    def _make_room(self, entries: int, time: float) -> None:
        self._tidy(_LONG_TURN, time)
        if self._entries + entries > self._capacity:
            raise StoreError("the store of counters in memory is full")

    def _tidy(self, keys: int, time: float) -> None:
        """Settle the *keys* that waited longest, and drop those that are idle."""
        buckets = self._buckets
        for _ in range(min(keys, len(buckets))):
            key, bucket = next(iter(buckets.items()))
            self._entries -= bucket.settle(time)
            if bucket.units:
                buckets.move_to_end(key)
            else:
                del buckets[key]
