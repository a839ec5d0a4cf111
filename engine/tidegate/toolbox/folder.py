"""A folder beneath which files are opened, listed and deleted, whatever links lead where."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import ToolFailed, UnsafePath
from ..facts.opening import open_beneath
from ..shown import quote

_EXTRA = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
_DIRECTORY = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)

DEEPEST = 64
"""How many folders may be made for one file."""


class Folder:
    """The folder *root*; nothing outside of it is opened.

    What is opened is what stands beneath the root at that moment: a link that was put in the way after the call was
    judged does not lead out of it. Where the system cannot open relative to a folder (Windows), paths are resolved
    and checked first, and a link that is swapped in between goes unnoticed; *atomic* says which it is.
    """

    def __init__(self, root: str, *, atomic: bool = os.open in os.supports_dir_fd) -> None:
        self.root = str(Path(root).absolute())
        self._real = os.path.realpath(root)
        self._atomic = atomic

    def open(self, path: str, cwd: str | None, flags: int) -> int:
        """Open a regular file; *path* is relative to *cwd*, which is the root unless it is known.

        Raises:
            UnsafePath: The path leaves the root.
            ToolFailed: Something else than a file stands there.
            OSError: It cannot be opened.
        """
        descriptor = self._open(self._inner(path, cwd), flags | _EXTRA)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise ToolFailed(f"{quote(path)} is no regular file", "NO_FILE")
        return descriptor

    @contextmanager
    def directory(self, path: str, cwd: str | None) -> Iterator[int | str]:
        """A directory, as a descriptor where the system takes one in the place of a path, else as a checked path."""
        inner = self._inner(path, cwd)
        if not self._atomic:
            checked = self._checked(inner)
            if not Path(checked).is_dir():
                number = errno.ENOTDIR if os.path.lexists(checked) else errno.ENOENT
                raise OSError(number, os.strerror(number), inner)
            yield checked
            return
        descriptor = open_beneath(self.root, inner, _DIRECTORY)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def delete(self, path: str, cwd: str | None) -> None:
        """Delete a file or a link itself, never what a link leads to.

        Raises:
            UnsafePath: The path leaves the root, or names no entry of a folder.
            OSError: It cannot be deleted.
        """
        parent, name = os.path.split(self._inner(path, cwd))
        if name in ("", ".", ".."):
            raise UnsafePath(f"{quote(path)} names no file")
        with self.directory(parent or ".", None) as folder:
            if isinstance(folder, int):
                os.unlink(name, dir_fd=folder)
            else:
                Path(folder, name).unlink()

    def make_parents(self, path: str, cwd: str | None) -> None:
        """Make the folders above a file that are missing."""
        missing: list[str] = []
        parent = os.path.split(self._inner(path, cwd))[0]
        while parent not in ("", "/", ".") and len(missing) < DEEPEST:
            try:
                with self.directory(parent, None):
                    break
            except FileNotFoundError:
                missing.append(parent)
                parent = os.path.split(parent)[0]
        for folder in reversed(missing):
            above, name = os.path.split(folder)
            if name in ("", ".", ".."):
                continue
            with self.directory(above or ".", None) as place:
                if isinstance(place, int):
                    os.mkdir(name, dir_fd=place)
                else:
                    Path(place, name).mkdir()

    def _inner(self, path: str, cwd: str | None) -> str:
        """The path relative to the root as it is spelled; nothing is folded."""
        if not path or "\0" in path:
            raise UnsafePath("the path is empty or holds a NUL")
        whole = path if Path(path).is_absolute() else f"{cwd or self.root}/{path}"
        for root in (self.root, self._real):
            base = root.rstrip("/\\")
            if whole.rstrip("/\\") == base:
                return "."
            if whole.startswith((f"{base}/", f"{base}{os.sep}")):
                return whole[len(base) + 1 :].lstrip("/") or "."
        raise UnsafePath(f"{quote(path)} leaves the root")

    def _open(self, inner: str, flags: int) -> int:
        if self._atomic:
            return open_beneath(self.root, inner, flags)
        return os.open(self._checked(inner), flags, 0o666)

    def _checked(self, inner: str) -> str:
        real = os.path.realpath(f"{self._real}/{inner}")
        if os.path.commonpath([real, self._real]) != self._real:
            raise UnsafePath(f"{quote(inner)} leaves the root")
        return real
