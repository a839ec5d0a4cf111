"""Decision records as lines of JSON in a file that only its owner can read."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Self

from ..errors import StateError
from .record import Record

_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT
_CAREFUL = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


class JsonlSink:
    """Appends each record to a file, one line each; threads may share it, and so may processes.

    A line is written at once, so that lines of several writers do not mix on a local file system. Records hold
    the arguments, without what rules about the tool redact in its results; the file must not be readable by others.
    """

    def __init__(self, path: Path) -> None:
        """Open the file, or make it.

        Raises:
            StateError: It is a link or no regular file, belongs to somebody else, or others may read or write it.
            OSError: It cannot be opened.
        """
        self._lock = Lock()
        try:
            self._descriptor = os.open(path, _FLAGS | _CAREFUL, 0o600)
        except OSError as error:
            if path.is_symlink():
                raise StateError(f"`{path}` is a link; decision records go to a real file only") from error
            raise
        try:
            _check(path, os.fstat(self._descriptor))
        except BaseException:
            self.close()
            raise

    def __call__(self, record: Record) -> None:
        """Append one record; in ASCII, so that nothing in it can be taken for anything else."""
        line = json.dumps(record.as_json(), allow_nan=False).encode() + b"\n"
        with self._lock:
            while line:
                line = line[os.write(self._descriptor, line) :]

    def close(self) -> None:
        """Close the file; a second time does nothing."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _check(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise StateError(f"`{path}` is no regular file; decision records go to one that belongs to you alone")
    if os.name != "posix":
        return
    if found.st_uid != os.geteuid():
        raise StateError(f"the file `{path}` belongs to another user, who could change the records")
    if found.st_mode & 0o077:
        mode = stat.S_IMODE(found.st_mode)
        raise StateError(f"the file `{path}` is open to others (mode {mode:o}); run `chmod 600` on it")
