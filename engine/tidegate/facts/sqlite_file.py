"""An SQLite file of ours: made once and whole, checked on every opening, never made anew."""

from __future__ import annotations

import os
import sqlite3
import stat
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Literal

from attrs import frozen

from ..errors import StoreError

WAIT = 5.0
"""Seconds to wait for another thread or process that is writing."""

_PAGES = 16_384  # of 4,096 bytes, so that the file stays below 64 MiB

Identity = tuple[int, int]


@frozen
class Format:
    """What a file holds: its tables, and the marks by which it is told from others.

    `name` and `kind` are the words of errors. `synchronous` says what a crash of the machine may take back.
    """

    name: str
    kind: str
    application: int
    version: int
    synchronous: Literal["NORMAL", "FULL"]
    schema: str


def create_store(path: Path, form: Format) -> None:
    """Make a store at *path* if nothing is there: beside it first, so that nobody ever finds half of one.

    Raises:
        sqlite3.Error, OSError: It cannot be made.
    """
    descriptor, beside = tempfile.mkstemp(prefix=".new-", dir=path.parent)
    os.close(descriptor)
    try:
        with closing(sqlite3.connect(beside, isolation_level=None)) as connection:
            connection.executescript(
                f"PRAGMA application_id = {form.application};\n"
                f"PRAGMA user_version = {form.version};\n"
                f"PRAGMA journal_mode = WAL;\n{form.schema}"
            )
        with suppress(FileExistsError):  # another process was faster, and its store is as good
            os.link(beside, path)
    finally:
        Path(beside).unlink()


def open_store(path: Path, form: Format) -> sqlite3.Connection:
    """Open the store at *path*.

    Raises:
        StoreError: What is there is not a store of this format.
        sqlite3.Error: SQLite cannot open it; nothing is ever made by this.
    """
    uri = f"{path.absolute().as_uri()}?mode=rw"
    connection = sqlite3.connect(uri, uri=True, timeout=WAIT, isolation_level=None, check_same_thread=False)
    try:
        _prepare(connection, path, form)
    except BaseException:
        connection.close()
        raise
    return connection


def identify(path: Path, form: Format) -> Identity:
    """Which file stands at *path*.

    Raises:
        StoreError: It is no file of this user alone.
        OSError: There is none.
    """
    found = path.lstat()
    if not stat.S_ISREG(found.st_mode):
        raise StoreError(f"{form.name} `{path}` is not a regular file")
    if hasattr(os, "geteuid") and (found.st_uid != os.geteuid() or found.st_mode & 0o077):
        raise StoreError(f"{form.name} `{path}` does not belong to its user alone")
    return found.st_dev, found.st_ino


@contextmanager
def begun(connection: sqlite3.Connection, mode: str) -> Iterator[sqlite3.Cursor]:
    """A transaction of that mode, committed at the end and taken back where anything is raised."""
    cursor = connection.execute(f"BEGIN {mode}")
    try:
        yield cursor
        cursor.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            cursor.execute("ROLLBACK")
        raise


def _prepare(connection: sqlite3.Connection, path: Path, form: Format) -> None:
    ours = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
    if ours != [form.application, form.version]:
        raise StoreError(f"`{path}` is not {form.kind}, or one of another version")
    connection.execute(f"PRAGMA max_page_count = {_PAGES}")
    connection.execute(f"PRAGMA synchronous = {form.synchronous}")
    connection.execute("PRAGMA trusted_schema = OFF")
