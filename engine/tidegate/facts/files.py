"""The real file system as a fact."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Hashable
from typing import Literal

Kind = Literal["file", "dir", "link", "other", "absent", "unknown"]
_SETTLED = 3 * 10**9
"""Nanoseconds after which a change of a directory has another time than the one before, on any file system."""
_NO_LINK = frozenset({errno.EINVAL, errno.ENOENT, errno.ENOTDIR})


class LocalFiles:
    """The file system of this machine as `meaning.scene.Files`.

    Paths are absolute names; those of Windows have a slash before the drive (`/C:/work`). Nothing raises: what
    may not be looked at is `unknown`, a link to itself, and no list of names.
    """

    def readlink(self, path: str) -> str | None:
        """The target of the symlink at *path* as it is written, `None` where there is no symlink."""
        try:
            return _named(os.readlink(_native(path)))  # noqa: PTH115  half the price
        except OSError as error:
            return None if error.errno in _NO_LINK else path
        except ValueError:
            return path

    def kind(self, path: str) -> Kind:
        """What stands at *path*, not following a symlink."""
        try:
            mode = os.lstat(_native(path)).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return "absent"
        except (OSError, ValueError):
            return "unknown"
        if stat.S_ISDIR(mode):
            return "dir"
        if stat.S_ISLNK(mode):
            return "link"
        return "file" if stat.S_ISREG(mode) else "other"

    def names(self, path: str) -> list[str] | None:
        """The entries of the directory at *path*, sorted, or `None` where it is not one or may not be read."""
        try:
            return sorted(os.listdir(_native(path)))  # noqa: PTH208  half the price
        except (OSError, ValueError):
            return None

    def stamp(self, path: str) -> Hashable | None:
        """What the directory at *path* is, and no other, as long as no entry of it is made, renamed or removed.

        What is absent has a stamp as well. `None` where that cannot be told: where something else stands there, or a
        directory that changed a moment ago, and where the system keeps no time of change.
        """
        if os.name == "nt":
            return None
        try:
            seen = os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            return "absent"
        except (OSError, ValueError):
            return None
        if not stat.S_ISDIR(seen.st_mode) or time.time_ns() - seen.st_ctime_ns < _SETTLED:
            return None
        return seen.st_dev, seen.st_ino, seen.st_ctime_ns


class NothingThere:
    """A file system on which nothing is there, for calls whose own is not at hand."""

    def readlink(self, _: str) -> str | None:
        """No link."""
        return None

    def kind(self, _: str) -> Kind:
        """Nothing."""
        return "absent"

    def names(self, _: str) -> list[str] | None:
        """No folder."""
        return None


def _native(path: str) -> str:
    """The name as the system spells it."""
    return path[1:] if os.name == "nt" and path[2:3] == ":" else path


def _named(target: str) -> str:
    """A link's target as the system spells it, as a name."""
    if os.name != "nt":
        return target
    plain = target.removeprefix("\\\\?\\").replace("\\", "/")
    return f"/{plain}" if plain[1:2] == ":" else plain
