"""One SQLite file for what outlives a call, beside that of limits: made once, checked on every use."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from ..errors import StoreError
from .sqlite_file import WAIT, Identity, begun, create_store, identify, open_store
from .sqlite_formats import SESSIONS
from .state import checked_folder


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
        self._identity: Identity | None = None
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
            with begun(self._open(), mode) as cursor:
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
                create_store(path, SESSIONS)
            self._identity = identify(path, SESSIONS)
        if identify(path, SESSIONS) != self._identity:
            raise StoreError(f"the store `{path}` was replaced while it was in use")
        if self._connection is None:
            self._connection = open_store(path, SESSIONS)
        return self._connection

    def _close(self) -> None:
        if self._connection is not None and self._pid == os.getpid():
            self._connection.close()
            self._connection = None
