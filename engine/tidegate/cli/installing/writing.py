"""Writing a settings file: whole or not at all, with what was there put beside it."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from tempfile import mkstemp

from ...errors import TidegateError

MOST = 16 * 1024 * 1024
"""The most bytes of a settings file that are read."""

BACKUP = ".before-tidegate"
"""What the name of a backup ends in; no harness takes such a file for one of its own."""


class NotWritten(TidegateError):
    """A settings file could not be read or written; it is as it was."""

    code = "NOT_WRITTEN"


def read_settings(path: Path) -> str | None:
    """The text of a settings file, `None` where there is none.

    Raises:
        NotWritten: It cannot be read, is no plain file, or is no UTF-8.
    """
    try:
        with path.open("rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise NotWritten(f"`{path}` is no plain file")
            data = file.read(MOST + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise NotWritten(f"`{path}` cannot be read: {_why(error)}") from error
    if len(data) > MOST:
        raise NotWritten(f"`{path}` is longer than {MOST} bytes")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotWritten(f"`{path}` is not UTF-8 at byte {error.start + 1}; it was left as it is") from None


def write_settings(path: Path, before: str | None, after: str) -> Path | None:
    """Put *after* in the place of *before*, and give the path of the backup, `None` where nothing was there.

    A link is followed, so that the file stays where its owner keeps it.

    Raises:
        NotWritten: The folder cannot be written, or the file has changed meanwhile.
    """
    target = Path(os.path.realpath(path))
    if read_settings(target) != before:
        raise NotWritten(f"`{path}` has changed while it was edited; try again")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        mode = None
        if before is not None:
            mode = stat.S_IMODE(target.stat().st_mode)
            _put(target.with_name(target.name + BACKUP), before, mode)
        _put(target, after, mode)
    except OSError as error:
        raise NotWritten(f"`{error.filename or path}` cannot be written: {_why(error)}; nothing was changed") from error
    return None if before is None else target.with_name(target.name + BACKUP)


def remove_settings(path: Path) -> None:
    """Delete a settings file that was ours alone.

    Raises:
        NotWritten: It cannot be deleted.
    """
    try:
        path.unlink()
    except OSError as error:
        raise NotWritten(f"`{path}` cannot be deleted: {_why(error)}") from error


def _put(path: Path, text: str, mode: int | None) -> None:
    descriptor, name = mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644 & ~_umask() if mode is None else mode)  # noqa: PTH101 - `mkstemp` gives a text
        os.replace(name, path)  # noqa: PTH105
    except BaseException:
        with suppress(OSError):
            os.unlink(name)  # noqa: PTH108
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _why(error: OSError) -> str:
    said = error.strerror or str(error)
    return said[:1].lower() + said[1:]
