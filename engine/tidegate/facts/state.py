"""Where state lives: one folder for each user, which belongs to that user alone."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from ..errors import StateError


def state_folder(environ: Mapping[str, str], platform: str) -> Path:
    """The folder for tidegate's state, made if it is missing.

    It is `$XDG_STATE_HOME/tidegate` or `~/.local/state/tidegate`, on macOS `~/Library/Application Support/tidegate`
    and on Windows `%LOCALAPPDATA%/tidegate`. *platform* is as in `sys.platform`.

    Raises:
        StateError: The environment names no home, or the folder is not safe (`checked_folder`).

    Source: the XDG Base Directory Specification 0.8; relative paths are ignored as it asks.
    """
    return checked_folder(state_path(environ, platform))


def state_path(environ: Mapping[str, str], platform: str) -> Path:
    """The path of that folder; nothing is made or looked at.

    Raises:
        StateError: The environment names no home.
    """
    return _base(environ, platform) / "tidegate"


def checked_folder(folder: Path) -> Path:
    """*folder*, made with its parents if it is missing, once it is certain that nobody else can get at it.

    Raises:
        StateError: It is a link or no folder, another user owns it, others may read or write it, or everybody may
            put something else in the place of a folder above it. On Windows, access lists are not looked at.
    """
    try:
        _make(folder)
        found, above = folder.lstat(), [parent.stat() for parent in folder.parent.resolve().parents]
        above.append(folder.parent.stat())
    except OSError as error:
        raise StateError(f"the folder `{folder}` cannot be used: {error.strerror}") from error
    if not stat.S_ISDIR(found.st_mode) or getattr(found, "st_file_attributes", 0) & stat.FILE_ATTRIBUTE_REPARSE_POINT:
        raise StateError(f"`{folder}` is a link or no folder; state is kept in a real one only")
    if hasattr(os, "geteuid"):
        _belongs_to_user(folder, found)
        if any(one.st_mode & stat.S_IWOTH and not one.st_mode & stat.S_ISVTX for one in above):
            raise StateError(
                f"a folder above `{folder}` is open to everybody, who could replace it; close it to others"
            )
    return folder


def _make(folder: Path) -> None:
    missing = [path for path in (folder, *folder.parents) if not os.path.lexists(path)]
    for path in reversed(missing):
        path.mkdir(mode=0o700, exist_ok=True)


def _belongs_to_user(folder: Path, found: os.stat_result) -> None:
    if found.st_uid != os.geteuid():
        raise StateError(f"the folder `{folder}` belongs to another user")
    if found.st_mode & 0o077:
        mode = stat.S_IMODE(found.st_mode)
        raise StateError(f"the folder `{folder}` is open to others (mode {mode:o}); run `chmod 700` on it")


def _base(environ: Mapping[str, str], platform: str) -> Path:
    if platform == "win32":
        return _absolute(environ, "LOCALAPPDATA")
    if platform == "darwin":
        return _absolute(environ, "HOME") / "Library" / "Application Support"
    named = Path(environ.get("XDG_STATE_HOME", ""))
    return named if named.is_absolute() else _absolute(environ, "HOME") / ".local" / "state"


def _absolute(environ: Mapping[str, str], name: str) -> Path:
    folder = Path(environ.get(name, ""))
    if not folder.is_absolute():
        raise StateError(f"the environment variable `{name}` names no absolute folder, so that state has no place")
    return folder
