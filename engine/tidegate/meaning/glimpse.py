"""The file system as one call sees it."""

from __future__ import annotations

from collections.abc import Hashable

from .indexes.linked import stamp_of
from .scene import Files


class Glimpse:
    """A file system that is asked about each link once; made for one call, and kept no longer."""

    __slots__ = ("_files", "_links", "kind", "names")

    def __init__(self, files: Files) -> None:
        self._files = files
        self._links: dict[str, str | None] = {}
        self.kind = files.kind
        self.names = files.names

    def readlink(self, path: str) -> str | None:
        """The target of the symlink at *path*."""
        links = self._links
        if path in links:
            return links[path]
        found = links[path] = self._files.readlink(path)
        return found

    def stamp(self, path: str) -> Hashable | None:
        """What the directory at *path* is while nothing changes in it."""
        return stamp_of(self._files, path)
