"""The file of the SQLite store: made once and whole, checked on every opening, never made anew."""

from __future__ import annotations

import os
import sqlite3
import stat
import tempfile
from contextlib import closing, suppress
from pathlib import Path

from ..errors import StoreError

WAIT = 5.0
"""Seconds to wait for another thread or process that is writing."""

_OURS = 0x54494445  # "TIDE", where SQLite keeps the id of an application
_VERSION = 2
_PAGES = 16_384  # of 4,096 bytes, so that the file stays below 64 MiB

_SCHEMA = f"""
PRAGMA application_id = {_OURS};
PRAGMA user_version = {_VERSION};
PRAGMA journal_mode = WAL;
CREATE TABLE store (number INTEGER NOT NULL, time REAL, reading REAL, uptime REAL);
INSERT INTO store VALUES (1, NULL, NULL, NULL);
CREATE TABLE units (
    key TEXT NOT NULL, leaves REAL NOT NULL, lease INTEGER NOT NULL, cost INTEGER NOT NULL,
    PRIMARY KEY (key, leaves, lease)
) WITHOUT ROWID;
CREATE INDEX by_time ON units (leaves);
CREATE INDEX by_lease ON units (lease) WHERE lease <> 0;
CREATE TABLE levels (key TEXT PRIMARY KEY, debt INTEGER NOT NULL, at INTEGER NOT NULL, full REAL NOT NULL)
    WITHOUT ROWID;
CREATE INDEX by_full ON levels (full);
"""  # noqa: S608 - only the two numbers above go into it

Identity = tuple[int, int]


def create_store(path: Path) -> None:
    """Make a store at *path* if nothing is there: beside it first, so that nobody ever finds half of one.

    Raises:
        sqlite3.Error, OSError: It cannot be made.
    """
    descriptor, beside = tempfile.mkstemp(prefix=".new-", dir=path.parent)
    os.close(descriptor)
    try:
        with closing(sqlite3.connect(beside, isolation_level=None)) as connection:
            connection.executescript(_SCHEMA)
        with suppress(FileExistsError):  # another process was faster, and its store is as good
            os.link(beside, path)
    finally:
        Path(beside).unlink()


def open_store(path: Path) -> sqlite3.Connection:
    """Open the store at *path*.

    Raises:
        StoreError: What is there is not a store of this version.
        sqlite3.Error: SQLite cannot open it; nothing is ever made by this.
    """
    uri = f"{path.absolute().as_uri()}?mode=rw"
    connection = sqlite3.connect(uri, uri=True, timeout=WAIT, isolation_level=None, check_same_thread=False)
    try:
        _prepare(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def identify(path: Path) -> Identity:
    """Which file stands at *path*.

    Raises:
        StoreError: It is no file of this user alone.
        OSError: There is none.
    """
    found = path.lstat()
    if not stat.S_ISREG(found.st_mode):
        raise StoreError(f"the store of counters `{path}` is not a regular file")
    if hasattr(os, "geteuid") and (found.st_uid != os.geteuid() or found.st_mode & 0o077):
        raise StoreError(f"the store of counters `{path}` does not belong to its user alone")
    return found.st_dev, found.st_ino


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    ours = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
    if ours != [_OURS, _VERSION]:
        raise StoreError(f"`{path}` is not a store of counters, or one of another version")
    connection.execute(f"PRAGMA max_page_count = {_PAGES}")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA trusted_schema = OFF")
