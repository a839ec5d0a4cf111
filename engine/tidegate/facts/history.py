"""What has happened in each session: a mark for each thing that a rule waits for, with its place in the order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ..errors import StoreError

if TYPE_CHECKING:
    from .database import Database

LIVE = "live"
"""The history of calls that are judged now; `RECORDED` is that of calls with a time of their own."""

MOST_ROWS = 10_000
"""How many rows of calls are kept in memory."""

KEPT = 30 * 86_400.0
"""Seconds after which a mark is forgotten that was not set again."""

MOST = 100_000
"""How many marks are kept; past that nothing can be noted, so that no mark is lost for another."""

LONGEST_ROW = 1_000
"""How many calls of a row are kept at least."""


class Mark(NamedTuple):
    """The last time that something happened: its place in the order of all that was noted, and the time."""

    number: int
    at: float


class History(Protocol):
    """Keeps marks by session. Every method raises `StoreError` where the store cannot be used."""

    def note(self, session: str, keys: Iterable[str], at: float, number: int | None = None) -> int:
        """Set the marks under *keys*; gives their number, which is the next one unless an earlier one is given.

        No mark goes back: where a later one stands, it stays.
        """

    def marks(self, session: str, keys: Iterable[str]) -> dict[str, Mark]:
        """The marks that are set under these keys."""

    def append(self, row: str, key: str, at: float) -> None:
        """Let a call of this key enter a row of calls."""

    def last(self, row: str, many: int) -> list[str]:
        """The keys of the last *many* calls of a row, `LONGEST_ROW` at most; the last one first."""


class MemoryHistory:
    """Marks in this process."""

    def __init__(self) -> None:
        self._marks: dict[tuple[str, str], Mark] = {}
        self._rows: dict[str, tuple[deque[str], float]] = {}
        self._number = 0
        self._lock = Lock()

    def note(self, session: str, keys: Iterable[str], at: float, number: int | None = None) -> int:
        """See `History`."""
        with self._lock:
            number = self._next() if number is None else number
            for key in keys:
                old = self._marks.get((session, key))
                if old is None and len(self._marks) >= MOST:
                    self._forget(at)
                if old is None or old.number <= number:
                    self._marks[session, key] = Mark(number, at)
            return number

    def marks(self, session: str, keys: Iterable[str]) -> dict[str, Mark]:
        """See `History`."""
        with self._lock:
            return {key: self._marks[session, key] for key in keys if (session, key) in self._marks}

    def append(self, row: str, key: str, at: float) -> None:
        """See `History`."""
        with self._lock:
            if row not in self._rows and len(self._rows) >= MOST_ROWS:
                self._rows = {name: one for name, one in self._rows.items() if one[1] > at - KEPT}
                if len(self._rows) >= MOST_ROWS:
                    raise StoreError("too many rows of calls have to be remembered")
            keys = self._rows[row][0] if row in self._rows else deque(maxlen=LONGEST_ROW)
            keys.appendleft(key)
            self._rows[row] = keys, at

    def last(self, row: str, many: int) -> list[str]:
        """See `History`."""
        with self._lock:
            return list(islice(self._rows[row][0], many)) if row in self._rows else []

    def _next(self) -> int:
        self._number += 1
        return self._number

    def _forget(self, at: float) -> None:
        self._marks = {key: mark for key, mark in self._marks.items() if mark.at > at - KEPT}
        if len(self._marks) >= MOST:
            raise StoreError("too much has happened to be remembered")


class SqliteHistory:
    """Marks in the database that is given when it is needed; they outlive the processes that set them."""

    def __init__(self, database: Callable[[], Database]) -> None:
        self._database = database

    def note(self, session: str, keys: Iterable[str], at: float, number: int | None = None) -> int:
        """See `History`."""
        with self._database().writing() as cursor:
            if number is None:
                (number,) = cursor.execute("SELECT coalesce(max(number), 0) + 1 FROM marks").fetchone()
                cursor.execute("DELETE FROM marks WHERE at <= ? AND number < ?", (at - KEPT, number - 1))
            cursor.executemany(
                "INSERT INTO marks VALUES (?, ?, ?, ?) ON CONFLICT (session, key) "
                "DO UPDATE SET number = excluded.number, at = excluded.at WHERE number <= excluded.number",
                [(session, key, number, at) for key in keys],
            )
            return int(number)

    def marks(self, session: str, keys: Iterable[str]) -> dict[str, Mark]:
        """See `History`."""
        with self._database().reading() as cursor:
            found = {}
            for key in keys:
                query = "SELECT number, at FROM marks WHERE session = ? AND key = ?"
                row = cursor.execute(query, (session, key)).fetchone()
                if row is not None:
                    found[key] = Mark(*row)
            return found

    def append(self, row: str, key: str, at: float) -> None:
        """See `History`; each call is a mark of its own, so that old ones go as marks do."""
        with self._database().writing() as cursor:
            name = f"{_ROW}{row}"
            (number,) = cursor.execute("SELECT coalesce(max(number), 0) + 1 FROM marks").fetchone()
            cursor.execute("DELETE FROM marks WHERE at <= ? AND number < ?", (at - KEPT, number - 1))
            cursor.execute("INSERT INTO marks VALUES (?, ?, ?, ?)", (name, f"{number} {key}", number, at))
            query = "SELECT number FROM marks WHERE session = ? ORDER BY number DESC LIMIT 1 OFFSET ?"
            oldest = cursor.execute(query, (name, LONGEST_ROW)).fetchone()
            if oldest is not None:
                cursor.execute("DELETE FROM marks WHERE session = ? AND number <= ?", (name, oldest[0]))

    def last(self, row: str, many: int) -> list[str]:
        """See `History`."""
        with self._database().reading() as cursor:
            query = "SELECT key FROM marks WHERE session = ? ORDER BY number DESC LIMIT ?"
            rows = cursor.execute(query, (f"{_ROW}{row}", many)).fetchall()
            return [key.partition(" ")[2] for (key,) in rows]


_ROW = "row of calls: "
"""Before the name of a row, where marks have their session."""
