r"""Paths as Windows spells them, as names with slashes (`/C:/work/a.py`).

A scene is one of Windows where its working directory begins with a drive. Anywhere else these spellings are
unknown: a tool that takes them does not follow the host's own rules.
"""

from __future__ import annotations

import re

from .values import Hole, Partial, Value, unknown

_DRIVE = re.compile(r"([A-Za-z]):(?=[\\/]|$)")
_ANY_DRIVE = re.compile(r"([A-Za-z]):[\\/]*(.*)", re.DOTALL)
_STREAM = re.compile(r":(?:[^\\/:]*:)?\$[A-Za-z_]+(?=[\\/]|$)")
_LONG = re.compile(r"^[\\/]{2}\?[\\/](?=[A-Za-z]:)")
_DEVICE = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])[ .]*(?:[.:].*)?", re.IGNORECASE)


def is_windows(directory: str | None) -> bool:
    """Whether the absolute *directory* is one of Windows."""
    return directory is not None and directory[1:2] == ":" and _DRIVE.match(directory) is not None


def foreign(text: str) -> str | None:
    """What a path of Windows would name there, to a host that is none; `None` for a path that is none.

    A path relative to a drive is taken from its root, a share or device is put beneath `/UNC`: these names only
    show that the path leads elsewhere.
    """
    plain = _LONG.sub("", text, count=1)
    drive = _ANY_DRIVE.fullmatch(plain)
    if drive is not None:
        path = f"/{drive[1].upper()}:/{drive[2]}"
    elif plain.startswith("\\\\"):
        path = f"/UNC/{plain.lstrip(chr(92))}"
    elif _STREAM.search(plain):
        path = plain
    else:
        return None
    return _STREAM.sub("", path).replace("\\", "/")


def windows_name(text: str, cwd: Value) -> Value:
    """The name of *text* on Windows, still with `..`; unknown for devices, shares and paths relative to a drive.

    *cwd* is the working directory as Windows spells it.
    """
    plain = _LONG.sub("", text, count=1)
    if plain.startswith(("\\\\", "//")):
        return unknown("the path leads to a share or a device")
    slashed = plain.replace("\\", "/")
    drive = _DRIVE.match(slashed)
    if drive is None and slashed[1:2] == ":":
        return unknown("the path is relative to the working directory of a drive")
    if drive is None:
        if not isinstance(cwd, str) or not (drive := _DRIVE.match(cwd)):
            return Partial((Hole.ANY, "/" + slashed.lstrip("/")), "the working directory is not known")
        base = cwd[2:].replace("\\", "/").rstrip("/")
        slashed = f"x:{slashed}" if slashed.startswith("/") else f"x:{base}/{slashed}"
    names = [_open_name(name) for name in slashed[2:].split("/")]
    if any(name is None for name in names):
        return unknown("the path names a device")
    return f"/{drive[1].upper()}:" + "/".join(name for name in names if name is not None)


def _open_name(name: str) -> str | None:
    """A component as Windows opens it: without its stream and trailing dots and blanks; `None` for a device."""
    if _DEVICE.fullmatch(name):
        return None
    if name in ("", ".", ".."):
        return name
    head = name.split(":", 1)[0]
    return head.rstrip(". ") or head
