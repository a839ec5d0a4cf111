"""The real file system as a fact, and a way to open a path beneath a root without a race."""

from __future__ import annotations

from typing import Literal


class LocalFiles:
    """The file system of this machine as `meaning.scene.Files`; never raises."""

    def readlink(self, path: str) -> str | None:
        """The target of the symlink at *path* as written, or `None`."""
        raise NotImplementedError

    def kind(self, path: str) -> Literal["file", "dir", "link", "other", "absent", "unknown"]:
        """What stands at *path*."""
        raise NotImplementedError

    def names(self, path: str) -> list[str] | None:
        """The entries of the directory at *path*, or `None`."""
        raise NotImplementedError


def open_beneath(root: str, path: str, flags: int, mode: int = 0o666) -> int:
    """Open *path* beneath *root* and return its descriptor; raises `UnsafePath` where it leaves the root."""
    raise NotImplementedError
