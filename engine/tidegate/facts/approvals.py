"""What people have allowed beyond one moment: kept with what it is bound to, used up, listed and revoked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from threading import Lock
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from ..errors import StoreError

if TYPE_CHECKING:
    import sqlite3

    from .database import Database

Scope = Literal["once", "session", "until"]

MOST = 10_000
"""How many approvals are kept at a time."""


class Approval(NamedTuple):
    """One approval.

    `binding` is the digest of everything that it is bound to; `about` what else has to be compared, as JSON. `made` and
    `expires` are in seconds since the epoch. `by`, `tool`, `session` and `shown` are for people who read the list.
    `id` is random, and is given by the store that keeps it.
    """

    binding: str
    scope: Scope
    made: float
    expires: float
    by: str
    tool: str
    session: str | None
    shown: str
    about: str = ""
    id: str = ""


class Approvals(Protocol):
    """Keeps approvals. Every method raises `StoreError` where the store cannot be used."""

    def keep(self, approval: Approval) -> str:
        """Keep an approval, and give its new id."""

    def find(self, bindings: Iterable[str], now: float) -> list[Approval]:
        """The approvals with one of these bindings that have not expired."""

    def take(self, id: str, now: float) -> bool:  # noqa: A002 - it is what everybody calls it
        """Use an approval; one for `once` is gone with that. False where it is not there (any more)."""

    def all(self, now: float) -> list[Approval]:
        """Every approval that has not expired, the oldest first."""

    def revoke(self, ids: Iterable[str]) -> int:
        """Take approvals away; how many there were."""


class MemoryApprovals:
    """Approvals in this process; *token* makes their ids."""

    def __init__(self, token: Callable[[], str]) -> None:
        self._token = token
        self._kept: dict[str, Approval] = {}
        self._lock = Lock()

    def keep(self, approval: Approval) -> str:
        """See `Approvals`."""
        with self._lock:
            self._kept = {one.id: one for one in self._kept.values() if one.expires > approval.made}
            named = approval._replace(id=self._token())
            if named.id in self._kept or len(self._kept) >= MOST:
                raise StoreError("there are too many approvals, or one of this id is there")
            self._kept[named.id] = named
            return named.id

    def find(self, bindings: Iterable[str], now: float) -> list[Approval]:
        """See `Approvals`."""
        wanted = frozenset(bindings)
        return [one for one in self.all(now) if one.binding in wanted]

    def take(self, id: str, now: float) -> bool:  # noqa: A002
        """See `Approvals`."""
        with self._lock:
            found = self._kept.get(id)
            if found is None or found.expires <= now:
                return False
            if found.scope == "once":
                del self._kept[id]
            return True

    def all(self, now: float) -> list[Approval]:
        """See `Approvals`."""
        with self._lock:
            return sorted((one for one in self._kept.values() if one.expires > now), key=_oldest)

    def revoke(self, ids: Iterable[str]) -> int:
        """See `Approvals`."""
        with self._lock:
            return sum(self._kept.pop(one, None) is not None for one in ids)


_COLUMNS = ", ".join(Approval._fields)


class SqliteApprovals:
    """Approvals in the database that is given when it is needed, for processes of one user on one machine.

    *token* makes their ids.
    """

    def __init__(self, database: Callable[[], Database], token: Callable[[], str]) -> None:
        self._database = database
        self._token = token

    def keep(self, approval: Approval) -> str:
        """See `Approvals`."""
        named = approval._replace(id=self._token())
        with self._database().writing() as cursor:
            cursor.execute("DELETE FROM approvals WHERE expires <= ?", (approval.made,))
            (kept,) = cursor.execute("SELECT count(*) FROM approvals").fetchone()
            if kept >= MOST:
                raise StoreError("there are too many approvals")
            cursor.execute(
                f"INSERT INTO approvals ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 - our columns
                named,
            )
        return named.id

    def find(self, bindings: Iterable[str], now: float) -> list[Approval]:
        """See `Approvals`."""
        with self._database().reading() as cursor:
            return [one for binding in dict.fromkeys(bindings) for one in _select(cursor, "binding = ?", binding, now)]

    def take(self, id: str, now: float) -> bool:  # noqa: A002
        """See `Approvals`."""
        with self._database().writing() as cursor:
            found = _select(cursor, "id = ?", id, now)
            if found and found[0].scope == "once":
                cursor.execute("DELETE FROM approvals WHERE id = ?", (id,))
            return bool(found)

    def all(self, now: float) -> list[Approval]:
        """See `Approvals`."""
        with self._database().reading() as cursor:
            return sorted(_select(cursor, "id <> ?", "", now), key=_oldest)

    def revoke(self, ids: Iterable[str]) -> int:
        """See `Approvals`."""
        with self._database().writing() as cursor:
            return sum(cursor.execute("DELETE FROM approvals WHERE id = ?", (one,)).rowcount for one in ids)


def _select(cursor: sqlite3.Cursor, where: str, value: str, now: float) -> list[Approval]:
    query = f"SELECT {_COLUMNS} FROM approvals WHERE {where} AND expires > ?"  # noqa: S608 - our own words
    return [Approval(*row) for row in cursor.execute(query, (value, now))]


def _oldest(approval: Approval) -> tuple[float, str]:
    return approval.made, approval.id
