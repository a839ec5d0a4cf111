"""Following a path through the file system, component by component, as the kernel does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from .scene import Files
from .values import Hole, Partial, Value, unknown

MOST_LINKS = 40
NO_FILES = unknown("symbolic links cannot be seen here")
_PROCESS = re.compile(
    r"/proc/(self|thread-self|[0-9]+)(?:/task/[0-9]+)?/(?:(root)|(cwd)|fd/([^/]+)|exe|map_files/[^/]+)", re.ASCII
)
_STANDARD = re.compile(r"/dev/std(?:in|out|err)|/proc/(?:self|thread-self)(?:/task/[0-9]+)?/fd/[012]", re.ASCII)
_SPECIAL = ("/proc/", "/dev/", "/.vol", "/System/Volumes/Data")


class Walk(NamedTuple):
    """What a path stands for.

    `names` are its spelling without `..`, its spelling after each link that was followed, and what it reaches;
    `real` is the last of these, `None` where it is not known.
    """

    names: list[Value]
    real: str | None


class _Link(NamedTuple):
    """Where a link leads, `None` where that is not known; `doubt` says why it may lead elsewhere."""

    text: str | None
    doubt: str = ""


def lexical(path: str) -> str:
    """An absolute path without `.`, `..` and repeated slashes, as if no name were a link."""
    names: list[str] = []
    for name in path.split("/"):
        if name == "..":
            del names[-1:]
        elif name not in ("", "."):
            names.append(name)
    return "/" + "/".join(names)


def walk(path: str, files: Files | None, cwds: Sequence[Value], *, follow: bool) -> Walk:
    """Follow the absolute *path*.

    Without *files* only links that every system has are known (`/proc/self/root`). *cwds* is what
    `/proc/self/cwd` may be. Without *follow* the last component stays what it is, unless a slash follows it.
    """
    names: list[Value] = [lexical(path)]
    pending = path.split("/")[::-1]
    here, hops = "", 0
    while pending:
        name = pending.pop()
        if name == "..":
            here = here.rpartition("/")[0]
        if name in ("", ".", ".."):
            continue
        entry = f"{here}/{name}"
        link = _link(entry, files, cwds, last=not pending) if pending or follow else None
        if link is None:
            here = entry
            continue
        hops += 1
        if hops > MOST_LINKS:
            link = _Link(None, f"`{entry}` leads through too many symbolic links")
        rest = "/".join(pending[::-1])
        names.append(lexical(f"{entry}/{rest}"))
        if link.doubt:
            names += elsewhere(rest, link.doubt)
        if link.text is None:
            return Walk(_distinct(names), None)
        pending += link.text.split("/")[::-1]
        here = "" if link.text.startswith("/") else here
    names.append(here or "/")
    if files is None:
        names.append(NO_FILES)
    return Walk(_distinct(names), None if files is None else here or "/")


def elsewhere(rest: str, reason: str) -> list[Value]:
    """The names of the relative path *rest* beneath a directory that is not known."""
    tail = lexical(rest)
    if tail == "/" or ".." in rest.split("/"):
        return [unknown(reason)]
    return [Partial((Hole.ANY, tail), reason), unknown(reason)]


def _distinct(names: list[Value]) -> list[Value]:
    return list(dict.fromkeys(names))


def _link(entry: str, files: Files | None, cwds: Sequence[Value], *, last: bool) -> _Link | None:
    """Where *entry* leads, `None` where it is no link."""
    if entry.startswith(_SPECIAL):
        if entry in ("/proc/self", "/proc/thread-self") or (last and _STANDARD.fullmatch(entry)):
            return None  # followed by the engine these would be its own process
        special = _special(entry, cwds)
        if special is not None:
            return special
    text = files.readlink(entry) if files is not None else None
    return None if text is None else _Link(text)


def _special(entry: str, cwds: Sequence[Value]) -> _Link | None:
    """Links of the system that the file system shows to the engine otherwise than to the tool, or not at all."""
    if entry == "/dev/fd":
        return _Link("/proc/self/fd")
    if entry == "/System/Volumes/Data":
        return _Link("/")
    if entry == "/.vol":
        return _Link(None, "`/.vol` names files by number")
    process = _PROCESS.fullmatch(entry)
    if process is None:
        return _Link(None, f"what `{entry}` stands for is not known") if _STANDARD.fullmatch(entry) else None
    owner, root, cwd, _ = process.groups()
    own = not owner.isdigit()
    if root:
        return _Link("/", "" if own else f"`{entry}` may be another file system")
    if cwd and own and len(cwds) == 1 and isinstance(cwds[0], str):
        return _Link(cwds[0])
    return _Link(None, f"what `{entry}` stands for is not known")
