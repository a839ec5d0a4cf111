"""Counters in one SQLite file, for processes that share their limits."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from ..errors import StoreError
from . import tokens
from .bucket import leaving, seconds_until_room
from .counters import Lease, Refused, check
from .sqlite_file import WAIT, Identity, begun, create_store, identify, open_store
from .sqlite_formats import COUNTERS
from .timeline import Mark, follow

if TYPE_CHECKING:
    from ..kind import Claim


class SqliteCounters:
    """Counters in the file *path*, which threads and processes of one machine may share.

    The file is made where it is missing, and never made anew: one that is broken, full, replaced while it was
    open, open to other users, or none of ours is a `StoreError` each time. Its folder must belong to its user
    alone (`facts.state.checked_folder`); a network file system does not work.

    Nothing is opened before the first use, and after a fork the child opens the file for itself. A crash of the
    machine, not of a process, may lose the last moments before it.
    """

    blocking = True

    __slots__ = ("_handle", "_inherited", "_path", "_uptime")

    def __init__(self, path: Path, uptime: Callable[[], float]) -> None:
        """Count in the file *path*, by an *uptime* that all who share it have (`facts.clock.uptime`)."""
        self._path = path
        self._uptime = uptime
        self._handle = _Handle()
        self._inherited: list[_Handle] = []

    def test(self, claims: Sequence[Claim], now: float) -> Refused | None:
        """See `Counters`."""
        check(claims)
        with self._transaction("DEFERRED") as cursor:
            _, mark = _state(cursor)
            return _refusal(cursor, claims, follow(mark, now, self._uptime()).time)

    def reserve(self, claims: Sequence[Claim], now: float, ttl: float) -> Lease | Refused:
        """See `Counters`."""
        check(claims)
        with self._transaction("IMMEDIATE") as cursor:
            number, mark = _state(cursor)
            mark = follow(mark, now, self._uptime())
            cursor.execute("DELETE FROM units WHERE leaves <= ?", (mark.time,))
            cursor.execute("DELETE FROM levels WHERE full <= ?", (mark.time,))
            refused = _refusal(cursor, claims, mark.time)
            _keep(cursor, number if refused else number + len(claims), mark)
            if refused is not None:
                return refused
            lease = Lease(number, tuple(claims), mark.time + ttl)
            rows = [(claim.key, lease.expires, at, claim.held) for at, claim in enumerate(claims, number)]
            cursor.executemany("INSERT INTO units VALUES (?, ?, ?, ?)", rows)
            return lease

    def commit(self, lease: Lease, now: float) -> bool:
        """See `Counters`."""
        with self._transaction("IMMEDIATE") as cursor:
            number, mark = _state(cursor)
            mark = follow(mark, now, self._uptime())
            _keep(cursor, number, mark)
            if not _drop(cursor, lease) or mark.time >= lease.expires:
                return False
            for number_of, claim in enumerate(lease.claims, lease.id):
                if claim.settles == "entry":
                    _spend(cursor, claim, mark.time, claim.cost)
                elif claim.held:
                    row = (claim.key, mark.time + claim.window, -number_of, claim.held)
                    cursor.execute("INSERT INTO units VALUES (?, ?, ?, ?)", row)
            return True

    def give_back(self, lease: Lease) -> None:
        """See `Counters`."""
        with self._transaction("IMMEDIATE") as cursor:
            _drop(cursor, lease)

    def settle(self, lease: Lease, costs: Sequence[int | None], now: float) -> None:
        """See `Counters`."""
        with self._transaction("IMMEDIATE") as cursor:
            time = self._moved(cursor, now)
            for number, (claim, cost) in enumerate(zip(lease.claims, costs, strict=True), lease.id):
                if claim.settles != "entry":
                    cursor.execute("DELETE FROM units WHERE lease = ?", (-number,))
                    if cost is None:
                        _clear(cursor, claim)
                    elif cost:
                        _spend(cursor, claim, time, cost)

    def renew(self, lease: Lease, now: float) -> None:
        """See `Counters`."""
        with self._transaction("IMMEDIATE") as cursor:
            time = self._moved(cursor, now)
            rows = [
                (time + claim.window, -number, time)
                for number, claim in enumerate(lease.claims, lease.id)
                if claim.settles == "slot"
            ]
            cursor.executemany("UPDATE units SET leaves = ? WHERE lease = ? AND leaves > ?", rows)

    def _moved(self, cursor: sqlite3.Cursor, now: float) -> float:
        """The time of the store, which goes on from there."""
        number, mark = _state(cursor)
        mark = follow(mark, now, self._uptime())
        _keep(cursor, number, mark)
        return mark.time

    def close(self) -> None:
        """See `Counters`."""
        handle = self._handle
        if handle.pid == os.getpid():
            with handle.lock:
                handle.close()

    @contextmanager
    def _transaction(self, mode: str) -> Iterator[sqlite3.Cursor]:
        """Lend the open file to one thread for a transaction; whatever goes wrong with it is a `StoreError`."""
        handle = self._handle
        if handle.pid != os.getpid():
            # SQLite must neither use nor close a connection that was opened before a fork.
            self._inherited.append(handle)
            handle = self._handle = _Handle(handle.identity)
        if not handle.lock.acquire(timeout=WAIT):
            raise StoreError(f"the store of counters `{self._path}` is busy")
        try:
            with begun(handle.open(self._path), mode) as cursor:
                yield cursor
        except (sqlite3.Error, OSError) as error:
            handle.close()
            raise StoreError(f"the store of counters `{self._path}` failed: {error}") from error
        finally:
            handle.lock.release()


class _Handle:
    """What one process has open: a connection, and the file that it once found at the path."""

    __slots__ = ("_connection", "identity", "lock", "pid")

    def __init__(self, identity: Identity | None = None) -> None:
        self.pid = os.getpid()
        self.lock = Lock()
        self.identity = identity
        self._connection: sqlite3.Connection | None = None

    def open(self, path: Path) -> sqlite3.Connection:
        """Connect if there is no connection, and hold what stands at *path* against what once stood there."""
        if self.identity is None:
            if not os.path.lexists(path):
                create_store(path, COUNTERS)
            self.identity = identify(path, COUNTERS)
        if self._connection is None:
            self._connection = open_store(path, COUNTERS)
        if identify(path, COUNTERS) != self.identity:
            raise StoreError(f"the store of counters `{path}` was replaced while it was in use")
        return self._connection

    def close(self) -> None:
        """Close the connection if there is one."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _state(cursor: sqlite3.Cursor) -> tuple[int, Mark | None]:
    """The next number of a lease, and the time of the store."""
    number, *mark = cursor.execute("SELECT number, time, reading, uptime FROM store").fetchone()
    return number, None if mark[0] is None else Mark(*mark)


def _keep(cursor: sqlite3.Cursor, number: int, mark: Mark) -> None:
    cursor.execute("UPDATE store SET number = ?, time = ?, reading = ?, uptime = ?", (number, *mark))


def _refusal(cursor: sqlite3.Cursor, claims: Sequence[Claim], time: float) -> Refused | None:
    for index, claim in enumerate(claims):
        room = claim.limit - claim.cost
        room -= sum(earlier.held for earlier in claims[:index] if earlier.key == claim.key)
        used = _used(cursor, claim.key, time)
        if claim.refill:
            level, scale = _level(cursor, claim.key), tokens.scale_of(claim)
            if used + tokens.used(level, scale, time) > room:
                held = _leaves(cursor, claim.key, time)
                return Refused(index, claim, tokens.seconds_until_tokens(level, scale, held, room, time))
        elif used > room:
            return Refused(index, claim, seconds_until_room(_leaves(cursor, claim.key, time), used - room, time))
    return None


def _used(cursor: sqlite3.Cursor, key: str, time: float) -> int:
    """The units under the key that leave one by one: spent ones of a window, and those that leases hold."""
    query = "SELECT coalesce(sum(cost), 0) FROM units WHERE key = ? AND leaves > ?"
    (used,) = cursor.execute(query, (key, time)).fetchone()
    return int(used)


def _leaves(cursor: sqlite3.Cursor, key: str, time: float) -> Iterator[tuple[float, int]]:
    return cursor.execute("SELECT leaves, cost FROM units WHERE key = ? AND leaves > ? ORDER BY leaves", (key, time))


def _level(cursor: sqlite3.Cursor, key: str) -> tokens.Level:
    row = cursor.execute("SELECT debt, at FROM levels WHERE key = ?", (key,)).fetchone()
    return tokens.FULL if row is None else tokens.Level(*row)


def _spend(cursor: sqlite3.Cursor, claim: Claim, time: float, cost: int) -> None:
    if claim.refill:
        scale = tokens.scale_of(claim)
        level = tokens.spent(_level(cursor, claim.key), scale, time, cost)
        row = (claim.key, *level, tokens.full_again(level, scale))
        cursor.execute("INSERT OR REPLACE INTO levels VALUES (?, ?, ?, ?)", row)
    else:
        cursor.execute(
            "INSERT INTO units VALUES (?, ?, 0, ?) "
            "ON CONFLICT (key, leaves, lease) DO UPDATE SET cost = cost + excluded.cost",
            (claim.key, leaving(claim, time), cost),
        )


def _clear(cursor: sqlite3.Cursor, claim: Claim) -> None:
    cursor.execute("DELETE FROM units WHERE key = ? AND lease = 0", (claim.key,))
    cursor.execute("DELETE FROM levels WHERE key = ?", (claim.key,))


def _drop(cursor: sqlite3.Cursor, lease: Lease) -> bool:
    """Take the lease out of its windows; whether it stood in all of them."""
    first, size = lease.id, len(lease.claims)
    cursor.execute("DELETE FROM units WHERE lease > 0 AND lease >= ? AND lease < ?", (first, first + size))
    return cursor.rowcount == size
