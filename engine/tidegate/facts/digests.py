"""Digests of the files that a call would run, so that an approval holds for the code that was there."""

from __future__ import annotations

import os
import stat
from hashlib import sha256
from pathlib import Path

MOST_BYTES = 64 * 1024 * 1024
"""The largest file of code that is read."""

ABSENT = "absent"


def digest_of(path: str) -> str:
    """The SHA-256 of the plain file at *path* in hex, links followed, or `absent` where there is nothing.

    Raises:
        OSError: It is no plain file, is too large, or may not be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (FileNotFoundError, NotADirectoryError):
        return ABSENT
    try:
        return _read(descriptor, Path(path).name)
    finally:
        os.close(descriptor)


def _read(descriptor: int, name: str) -> str:
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or found.st_size > MOST_BYTES:
        raise OSError(f"`{name}` is no plain file, or too large to be read")
    digest, left = sha256(), MOST_BYTES
    while chunk := os.read(descriptor, 1 << 20):
        left -= len(chunk)
        if left < 0:
            raise OSError(f"`{name}` is no plain file, or too large to be read")
        digest.update(chunk)
    return digest.hexdigest()
