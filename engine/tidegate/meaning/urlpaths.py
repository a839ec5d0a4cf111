"""The path of a URL as clients send it."""

from __future__ import annotations

import re

from .values import Hole, Partial, Value

_ENCODED = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_UNCLEAR = re.compile(r"%(?:2f|5c|00|25)|\\|;|//", re.IGNORECASE)


def normal_path(raw: str) -> Value:
    """The path without `.` and `..` and with plain characters decoded; at least `/`.

    From where servers read it in two ways (an encoded slash, a parameter, an empty name) it is not known.
    """
    path = _ENCODED.sub(_decoded, raw)
    unclear = _UNCLEAR.search(path)
    if unclear is None:
        return _folded(path)
    head = _folded(path[: unclear.start()].rpartition("/")[0])
    if ".." in re.split(r"[/\\]|%2f|%5c|;", path[unclear.start() :].lower()):
        head = ""
    return Partial((head, Hole.ANY) if head.strip("/") else (Hole.ANY,), "servers read the path in two ways")


def _decoded(match: re.Match[str]) -> str:
    char = chr(int(match[1], 16))
    return char if char in _UNRESERVED else match[0].lower()


def _folded(path: str) -> str:
    names: list[str] = []
    *inner, last = path.split("/")
    for name in inner:
        if name == "..":
            del names[-1:]
        elif name not in ("", "."):
            names.append(name)
    if last == "..":
        del names[-1:]
    ending = "" if last in ("", ".", "..") else last
    return "/" + "".join(f"{name}/" for name in names) + ending
