"""Counters of limits: windows, buckets of tokens and slots with reservations, and the store of them in memory."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ..errors import StoreError
from .bucket import FINE, Bucket, TokenBucket
from .timeline import Timeline

if TYPE_CHECKING:
    from ..kind import Claim

__all__ = ["FINE", "Counters", "Lease", "MemoryCounters", "Refused", "check"]


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
    """A store of moving windows and buckets of tokens.

    A unit counts from its reservation on. When it is committed, its window begins; it is gone when it was given
    back, or when its lease expired. A body is entered only after `commit` said so: an expired lease belongs to a
    call that never ran, so that it counts as given back. In no window, a moment and the seconds before it, do
    more units pass than the limit, whatever the order of calls.

    `now` is a reading of `Clock.steady`, taken right before. Where nobody else shares the store it may be the time
    of a recorded call; a shared store goes by the machine as well, so that no call can say that time has passed.
    Under one key all claims have the same window and refill. Every method raises `StoreError` where the store
    fails; then nothing was taken.

    A claim that does not settle at entry stays with its lease after the commit, for its window at most; `settle`
    puts what it came to in its place.

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

    def settle(self, lease: Lease, costs: Sequence[int | None], now: float) -> None:
        """Put what each claim of a committed lease came to for what it holds; to be called once.

        There is one of *costs* for each claim, of which those that settled at entry are passed over: 0 frees what was
        held, a number is spent from *now* on, whether it fits or not, and `None` forgets all that was spent under
        the key.
        """

    def renew(self, lease: Lease, now: float) -> None:
        """Hold the slots of a committed lease for their whole window again; one that was given away stays away."""

    def close(self) -> None:
        """Let go of files and connections; the next use opens them again."""


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
            for number, claim in enumerate(lease.claims, lease.id):
                bucket = self._buckets[claim.key]
                if claim.settles == "entry":
                    self._entries += bucket.spend(claim, time, claim.cost)
                elif claim.held:
                    bucket.hold(-number, time + claim.window, claim.held)
                    self._entries += 1
            return True

    def give_back(self, lease: Lease) -> None:
        """See `Counters`."""
        with self._lock:
            self._drop(lease)

    def settle(self, lease: Lease, costs: Sequence[int | None], now: float) -> None:
        """See `Counters`."""
        with self._lock:
            time = self._timeline.move(now)
            for number, (claim, cost) in enumerate(zip(lease.claims, costs, strict=True), lease.id):
                if claim.settles != "entry":
                    bucket = self._bucket(claim, time)
                    self._entries -= bucket.drop(-number)
                    if cost is None:
                        self._entries -= bucket.clear()
                    elif cost:
                        self._entries += bucket.spend(claim, time, cost)

    def renew(self, lease: Lease, now: float) -> None:
        """See `Counters`."""
        with self._lock:
            time = self._timeline.move(now)
            for number, claim in enumerate(lease.claims, lease.id):
                if claim.settles == "slot" and (bucket := self._buckets.get(claim.key)) is not None:
                    self._entries -= bucket.settle(time)
                    if bucket.drop(-number):
                        bucket.hold(-number, time + claim.window, claim.held)

    def close(self) -> None:
        """See `Counters`; there is nothing to let go of."""

    def _refusal(self, claims: Sequence[Claim], time: float) -> Refused | None:
        for index, claim in enumerate(claims):
            bucket = self._buckets.get(claim.key)
            used = 0 if bucket is None else bucket.used(time)
            room = claim.limit - claim.cost
            if index:
                room -= sum(earlier.held for earlier in claims[:index] if earlier.key == claim.key)
            if used > room:
                return Refused(index, claim, math.inf if bucket is None else bucket.seconds_until(room, time))
        return None

    def _hold(self, claim: Claim, number: int, expires: float, time: float) -> None:
        self._bucket(claim, time).hold(number, expires, claim.held)
        self._entries += 1

    def _bucket(self, claim: Claim, time: float) -> Bucket:
        """What is kept under the key of *claim*, with what has left gone."""
        bucket = self._buckets.get(claim.key)
        if bucket is None:
            self._tidy(_TURN, time)
            bucket = self._buckets[claim.key] = TokenBucket(claim) if claim.refill else Bucket()
        else:
            self._entries -= bucket.settle(time)
        return bucket

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
            if bucket.idle:
                del buckets[key]
            else:
                buckets.move_to_end(key)
