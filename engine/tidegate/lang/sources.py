"""Files as they stand on the disk: their bytes, what they are called, and which are one and the same."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from .parse import MAX_BYTES
from .ruleset import Reading, Source

Identity = tuple[int | str, ...]

_OPEN = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)


class NoFile(Exception):
    """What was to be read is a folder, a pipe or a device."""


class Content(NamedTuple):
    """The bytes of a file, and what tells it apart from every other under whatever name."""

    data: bytes
    identity: Identity


def read(path: str) -> Content:
    """The content of the regular file at *path*, one byte past the limit of a rule file at most.

    Raises:
        FileNotFoundError: There is none.
        NoFile: A folder, pipe or device stands there.
        OSError: It may not be read.
        ValueError: No file system takes such a path.
    """
    if Path(path).is_dir():
        raise NoFile
    # Without O_NONBLOCK a named pipe would wait for a writer for ever.
    with os.fdopen(os.open(path, _OPEN), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise NoFile
        # Some file systems of Windows give no file number.
        identity: Identity = (status.st_dev, status.st_ino)
        if not status.st_ino:
            identity = (os.path.normcase(os.path.realpath(path)),)
        return Content(file.read(MAX_BYTES + 1), identity)


def shown(path: str, base: str) -> str:
    """The name of *path* in findings: relative to the folder *base* where it lies beneath it.

    Both are absolute and spelled with `/`. A `..` stays, because behind a symlink it leads elsewhere.
    """
    return path.removeprefix(f"{base.rstrip('/')}/")


def source(path: str, name: str, pack: str, data: bytes) -> Source:
    """The source that stands for the file at *path* with the content *data*."""
    return Source(name, path, os.path.realpath(path), hashlib.sha256(data).hexdigest(), pack)


def reading(path: str, content: Content) -> Reading:
    """That *content* was read at *path*."""
    return Reading(path, os.path.realpath(path), content.identity, hashlib.sha256(content.data).hexdigest())


def digest(sources: Iterable[Source]) -> str:
    """The SHA-256 over the contents of all sources and the packs they belong to, in their order."""
    total = hashlib.sha256()
    for one in sources:
        total.update(f"{one.pack}\0{one.digest}\n".encode())
    return total.hexdigest()
