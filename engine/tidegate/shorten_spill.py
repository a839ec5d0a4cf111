"""Putting text away in files that only their owner can read, and whose names nobody can guess."""

from __future__ import annotations

import os
import stat
from pathlib import Path

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_BYTES = 16


def spill(folder: str, data: bytes) -> str:
    """Write *data* into a new file in *folder*, and give its path; the folder is made if only it is missing.

    Raises:
        OSError: It cannot be written, or the folder is a link, belongs to somebody else or is open to others. No file
            is left then.
    """
    Path(folder).mkdir(mode=0o700, exist_ok=True)
    _check(folder)
    path = spilled(folder, os.urandom(_BYTES).hex())
    descriptor = os.open(path, _NEW, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
    except OSError:
        Path(path).unlink(missing_ok=True)
        raise
    return path


def spilled(folder: str, name: str = "0" * (2 * _BYTES)) -> str:
    """The path of a file of that name in *folder*; without one, of a file that could be there."""
    return os.path.join(folder, f"{name}.txt")  # noqa: PTH118 - it is shown as text


def _check(folder: str) -> None:
    found = Path(folder).lstat()
    if not stat.S_ISDIR(found.st_mode):
        raise NotADirectoryError(f"`{folder}` is a link or no folder")
    if os.name == "posix" and (found.st_uid != os.geteuid() or found.st_mode & 0o077):
        raise PermissionError(f"`{folder}` belongs to another user or is open to others")
