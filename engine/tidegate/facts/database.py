"""One SQLite file for what outlives a call, beside that of limits: made once, checked on every use."""

from __future__ import annotations

import os
import sqlite3
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Lock

from ..errors import StoreError
from .state import checked_folder

WAIT = 5.0
"""Seconds to wait for another thread or process that is writing."""

_OURS = 0x54494453  # "TIDS", where SQLite keeps the id of an application
_VERSION = 1
_PAGES = 16_384  # of 4,096 bytes, so that the file stays below 64 MiB

_SCHEMA = f"""
PRAGMA application_id = {_OURS};
PRAGMA user_version = {_VERSION};
PRAGMA journal_mode = WAL;
CREATE TABLE approvals (
    id TEXT PRIMARY KEY, binding TEXT NOT NULL, scope TEXT NOT NULL, made REAL NOT NULL, expires REAL NOT NULL,
    by TEXT NOT NULL, tool TEXT NOT NULL, session TEXT, shown TEXT NOT NULL, about TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX by_binding ON approvals (binding);
CREATE TABLE marks (
    session TEXT NOT NULL, key TEXT NOT NULL, number INTEGER NOT NULL, at REAL NOT NULL, PRIMARY KEY (session, key)
) WITHOUT ROWID;
CREATE INDEX by_number ON marks (number);
CREATE INDEX by_time ON marks (at);
"""

_Identity = tuple[int, int]


class Database:
    """The file that *path* gives, in a folder that belongs to its user alone; threads and processes may share it.

    Nothing is opened before the first use, and after a fork the child opens the file for itself. One that is broken,
    full, replaced while it was open, open to other users, or none of ours is a `StoreError` each time.
    """

    __slots__ = ("_connection", "_identity", "_inherited", "_lock", "_path", "_pid")

    def __init__(self, path: Callable[[], Path]) -> None:
        self._path = path
        self._lock = Lock()
        self._pid = os.getpid()
        self._connection: sqlite3.Connection | None = None
        self._identity: _Identity | None = None
        self._inherited: list[sqlite3.Connection] = []

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Cursor]:
        """A transaction that changes nothing."""
        with self._transaction("DEFERRED") as cursor:
            yield cursor

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Cursor]:
        """A transaction that nobody else writes in."""
        with self._transaction("IMMEDIATE") as cursor:
            yield cursor

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            self._close()

    @contextmanager
    def _transaction(self, mode: str) -> Iterator[sqlite3.Cursor]:
        self._leave_parent()
        if not self._lock.acquire(timeout=WAIT):
            raise StoreError("the store of approvals and sessions is busy")
        try:
            with _begun(self._open(), mode) as cursor:
                yield cursor
        except (sqlite3.Error, OSError) as error:
            self._close()
            raise StoreError(f"the store of approvals and sessions failed: {error}") from error
        finally:
            self._lock.release()

    def _leave_parent(self) -> None:
        """SQLite must neither use nor close a connection that was opened before a fork."""
        if self._pid != os.getpid():
            self._pid, self._lock = os.getpid(), Lock()
            if self._connection is not None:
                self._inherited.append(self._connection)
                self._connection = None

    def _open(self) -> sqlite3.Connection:
        path = self._path()
        if self._identity is None:
            checked_folder(path.parent)
            if not os.path.lexists(path):
                _create(path)
            self._identity = _identify(path)
        if _identify(path) != self._identity:
            raise StoreError(f"the store `{path}` was replaced while it was in use")
        if self._connection is None:
            self._connection = _connect(path)
        return self._connection

    def _close(self) -> None:
        if self._connection is not None and self._pid == os.getpid():
            self._connection.close()
            self._connection = None


@contextmanager
def _begun(connection: sqlite3.Connection, mode: str) -> Iterator[sqlite3.Cursor]:
    cursor = connection.execute(f"BEGIN {mode}")
    try:
        yield cursor
        cursor.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            cursor.execute("ROLLBACK")
        raise


def _create(path: Path) -> None:
    """Make the file beside its place first, so that nobody ever finds half of one."""
    descriptor, beside = tempfile.mkstemp(prefix=".new-", dir=path.parent)
    os.close(descriptor)
    try:
        with closing(sqlite3.connect(beside, isolation_level=None)) as connection:
            connection.executescript(_SCHEMA)
        with suppress(FileExistsError):  # another process was faster, and its file is as good
            os.link(beside, path)
    finally:
        Path(beside).unlink()


def _connect(path: Path) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode=rw"
    connection = sqlite3.connect(uri, uri=True, timeout=WAIT, isolation_level=None, check_same_thread=False)
    try:
        _require_ours(connection, path)
        connection.execute(f"PRAGMA max_page_count = {_PAGES}")
        connection.execute("PRAGMA synchronous = FULL")  # what was used up must not come back after a crash
        connection.execute("PRAGMA trusted_schema = OFF")
    except BaseException:
        connection.close()
        raise
    return connection


def _require_ours(connection: sqlite3.Connection, path: Path) -> None:
    ours = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
    if ours != [_OURS, _VERSION]:
        raise StoreError(f"`{path}` is not a store of approvals and sessions, or one of another version")


def _identify(path: Path) -> _Identity:
    found = path.lstat()
    if not stat.S_ISREG(found.st_mode):
        raise StoreError(f"the store `{path}` is not a regular file")
    if hasattr(os, "geteuid") and (found.st_uid != os.geteuid() or found.st_mode & 0o077):
        raise StoreError(f"the store `{path}` does not belong to its user alone")
    return found.st_dev, found.st_ino
