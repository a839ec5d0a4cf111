"""Counters in Redis or Valkey, for machines that share their limits."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from ..errors import StoreError
from .bucket import grain_of
from .counters import Lease, Refused, check
from .timeline import check_reading
from .tokens import Level, scale_of, seconds_until_tokens

if TYPE_CHECKING:
    from redis import Redis

    from ..kind import Claim

TIMEOUT = 1.0
"""Seconds in which the server must take a connection, and answer."""

PREFIX = "{tidegate}:"
"""Before every key; the braces keep all of them on one node of a cluster."""


class RedisCounters:
    """Counters on the server at *url*, which any number of machines may share.

    Every request is one script, which the server runs as a whole, by the server's own clock. Where that is set back,
    time stands still; where it is set forward, windows end early. Keys expire by themselves. Nothing is connected
    before the first use, no request is made twice, and a server that does not answer within a second has failed.

    The server must not evict keys (`maxmemory-policy noeviction`), and what it forgets in a crash or a fail-over is
    free again.
    """

    blocking = True

    __slots__ = ("_client", "_clock", "_script", "_url")

    def __init__(self, url: str, clock: Callable[[], float] | None = None) -> None:
        """Count on the server at *url* (`redis://`, `rediss://`); by *clock* instead of the server's, for tests."""
        self._url = url
        self._clock = clock
        self._client: Redis | None = None
        self._script: Callable[..., Any] | None = None

    def test(self, claims: Sequence[Claim], now: float) -> Refused | None:
        """See `Counters`."""
        check(claims)
        reply = self._run("test", claims, now)
        return _refused(claims, reply) if reply[0] == b"refused" else None

    def reserve(self, claims: Sequence[Claim], now: float, ttl: float) -> Lease | Refused:
        """See `Counters`."""
        check(claims)
        reply = self._run("reserve", claims, now, repr(float(ttl)))
        if reply[0] == b"refused":
            return _refused(claims, reply)
        return Lease(int(reply[1]), tuple(claims), float(reply[2]))

    def commit(self, lease: Lease, now: float) -> bool:
        """See `Counters`."""
        return bool(self._run("commit", lease.claims, now, lease.id, repr(lease.expires))[0] == b"entered")

    def give_back(self, lease: Lease) -> None:
        """See `Counters`."""
        self._run("give_back", lease.claims, None, lease.id)

    def settle(self, lease: Lease, costs: Sequence[int | None], now: float) -> None:
        """See `Counters`."""
        self._run("settle", lease.claims, now, lease.id, costs=costs)

    def renew(self, lease: Lease, now: float) -> None:
        """See `Counters`."""
        self._run("renew", lease.claims, now, lease.id)

    def close(self) -> None:
        """See `Counters`."""
        client, self._client, self._script = self._client, None, None
        if client is not None:
            client.close()

    def _run(
        self,
        task: str,
        claims: Sequence[Claim],
        now: float | None,
        *more: str | int,
        costs: Sequence[int | None] | None = None,
    ) -> list[Any]:
        """Let the server run the script; whatever goes wrong with that is a `StoreError`."""
        if now is not None:
            check_reading(now)
        reading = "" if self._clock is None else repr(self._clock())
        keys = [f"{PREFIX}clock"]
        for claim in claims:
            keys += [f"{PREFIX}units:{claim.key}", f"{PREFIX}level:{claim.key}"]
        told = json.dumps([_told(claim, cost) for claim, cost in zip(claims, costs or [0] * len(claims), strict=True)])
        script = self._script or self._connect()
        from redis.exceptions import RedisError

        try:
            reply: list[Any] = script(keys=keys, args=[task, reading, told, *more])
        except (RedisError, OSError) as error:
            raise StoreError(f"the store of counters in Redis failed: {type(error).__name__}: {error}") from error
        return reply

    def _connect(self) -> Callable[..., Any]:
        """Make a client, which connects when it is used."""
        try:
            from redis import Redis
            from redis.backoff import NoBackoff
            from redis.retry import Retry
        except ImportError:
            raise StoreError("the store of counters in Redis needs the package `tidegate[redis]`") from None
        try:
            # A request that was sent may have been carried out, so that none is sent again.
            client = Redis.from_url(
                self._url,
                socket_timeout=TIMEOUT,
                socket_connect_timeout=TIMEOUT,
                retry=Retry(NoBackoff(), 0),
                decode_responses=False,
            )
        except ValueError:
            raise StoreError("the address of the store of counters in Redis is none") from None
        text = files("tidegate.facts").joinpath("counters.lua").read_text(encoding="utf-8")
        self._client, self._script = client, client.register_script(text)
        return self._script


def _told(claim: Claim, cost: int | None) -> dict[str, Any]:
    """A claim as the script reads it; *cost* is what it came to."""
    unit, rate = scale_of(claim) if claim.refill else (0, 0)
    return {
        "limit": claim.limit,
        "cost": claim.cost,
        "held": claim.held,
        "window": claim.window,
        "grain": grain_of(claim),
        "unit": unit,
        "rate": rate,
        "settles": claim.settles,
        "came_to": cost,
    }


def _refused(claims: Sequence[Claim], reply: list[Any]) -> Refused:
    """What the script says of a claim that has no room."""
    place, time = int(reply[1]), float(reply[2])
    claim = claims[place]
    if not claim.refill:
        return Refused(place, claim, float(reply[3]) - time)
    room, debt, at = (int(float(number)) for number in reply[3:6])
    numbers = [float(number) for number in reply[6]]
    held = [(expires, int(cost)) for expires, cost in zip(numbers[::2], numbers[1::2], strict=True)]
    return Refused(place, claim, seconds_until_tokens(Level(debt, at), scale_of(claim), held, room, time))
