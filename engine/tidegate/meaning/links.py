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
_PLAIN = re.compile(r"(?!/(?:proc|dev|\.vol|System)(?:/|$))(?:/(?!\.{0,2}(?:/|$))[^/]+)+")
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
    if is_plain(path):
        if files is None:
            return Walk([path, NO_FILES], None)
        if not passes_link(path if follow else path.rpartition("/")[0], files):
            return Walk([path], path)
    trail = _Trail(path, files, cwds)
    while trail.pending:
        if not trail.step(follow=follow):
            return Walk(list(dict.fromkeys(trail.names)), None)
    trail.names.append(trail.here or "/")
    if files is None:
        trail.names.append(NO_FILES)
    return Walk(list(dict.fromkeys(trail.names)), None if files is None else trail.here or "/")


class _Trail:
    """The way so far: the names met, what is still to follow (the next last), and the directory reached."""

    __slots__ = ("cwds", "files", "here", "hops", "names", "pending")

    def __init__(self, path: str, files: Files | None, cwds: Sequence[Value]) -> None:
        self.names: list[Value] = [lexical(path)]
        self.pending = path.split("/")[::-1]
        self.files = files
        self.cwds = cwds
        self.here = ""
        self.hops = 0

    def step(self, *, follow: bool) -> bool:
        """Follow the next component; false where nobody knows where it leads."""
        name = self.pending.pop()
        if name == "..":
            self.here = self.here.rpartition("/")[0]
        if name in ("", ".", ".."):
            return True
        entry = f"{self.here}/{name}"
        last = not self.pending
        link = _link(entry, self.files, self.cwds, last=last) if follow or not last else None
        if link is None:
            self.here = entry
            return True
        return self._through(entry, link)

    def _through(self, entry: str, link: _Link) -> bool:
        rest = "/".join(self.pending[::-1])
        self.names.append(lexical(f"{entry}/{rest}"))
        self.hops += 1
        if link.text == entry:
            link = _Link(None, f"`{entry}` may not be looked at")
        elif self.hops > MOST_LINKS:
            link = _Link(None, f"`{entry}` leads through too many symbolic links")
        if link.doubt:
            self.names += elsewhere(rest, link.doubt)
        if link.text is None:
            return False
        self.pending += link.text.split("/")[::-1]
        if link.text.startswith("/"):
            self.here = ""
        return True


def is_plain(path: str) -> bool:
    """Whether an absolute path has nothing to fold and none of the system's own links."""
    return _PLAIN.fullmatch(path) is not None


def passes_link(path: str, files: Files) -> bool:
    """Whether a component of a plain path is a symbolic link."""
    at = path.find("/", 1)
    while at > 0:
        if files.readlink(path[:at]) is not None:
            return True
        at = path.find("/", at + 1)
    return path != "" and files.readlink(path) is not None


def elsewhere(rest: str, reason: str) -> list[Value]:
    """The names of the relative path *rest* beneath a directory that is not known."""
    tail = lexical(rest)
    if tail == "/" or ".." in rest.split("/"):
        return [unknown(reason)]
    return [Partial((Hole.ANY, tail), reason), unknown(reason)]


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
