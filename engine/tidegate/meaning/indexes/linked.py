"""Directories that patterns begin with, and which of them lead elsewhere: the file system is asked in each call."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import NamedTuple

from ..places import Places
from ..scene import Files

_MANY = 16


class _Seen(NamedTuple):
    """What was in a directory when it had this stamp: the links among what patterns name, and other directories."""

    stamp: Hashable
    links: tuple[_Node, ...]
    others: tuple[tuple[str, _Node], ...]


class _Node:
    """One directory: those in it by name, and the numbers of the patterns that begin with it."""

    __slots__ = ("inner", "numbers", "seen")

    def __init__(self) -> None:
        self.inner: dict[str, _Node] = {}
        self.numbers: list[int] = []
        self.seen: _Seen | None = None

    def all(self) -> Iterator[int]:
        """The numbers here and beneath."""
        yield from self.numbers
        for node in self.inner.values():
            yield from node.all()

    def moved(self, here: str, files: Files) -> Iterator[int]:
        """The numbers beneath the directory *here* that are reached through a link."""
        seen = self._look(here, files)
        for node in seen.links:
            yield from node.all()
        for name, node in seen.others:
            yield from node.moved(f"{here}/{name}", files)

    def _look(self, here: str, files: Files) -> _Seen:
        """What is there: the last look holds as long as the directory has its stamp."""
        stamp = stamp_of(files, here or "/")
        seen = self.seen
        if seen is None or stamp is None or stamp != seen.stamp:
            seen = _look(self.inner, here, files, stamp)
            # The stamp comes before and after the look, so that what changes meanwhile is seen next time.
            self.seen = seen if stamp is not None and stamp_of(files, here or "/") == stamp else None
        return seen


def _look(inner: dict[str, _Node], here: str, files: Files, stamp: Hashable) -> _Seen:
    there = _there(here or "/", files) if len(inner) > _MANY else None
    links: list[_Node] = []
    others: list[tuple[str, _Node]] = []
    for name, node in inner.items():
        if there is not None and name.casefold() not in there:
            continue
        if files.readlink(f"{here}/{name}") is not None:
            links.append(node)
        elif node.inner and not (stamp is not None and files.kind(f"{here}/{name}") in ("absent", "file")):
            others.append((name, node))
    return _Seen(stamp, tuple(links), tuple(others))


class Directories:
    """A tree of plain directories beneath one place.

    What is not there has nothing in it, so that what is asked depends on how many of the directories exist, and hardly
    on how many there are.
    """

    __slots__ = ("_top",)

    def __init__(self) -> None:
        self._top = _Node()

    def add(self, path: str, number: int) -> None:
        """Add the pattern of that *number*, which begins with the directory *path* beneath the place."""
        node = self._top
        for name in path.split("/")[1:]:
            node = node.inner.setdefault(name, _Node())
        node.numbers.append(number)

    def moved(self, start: str, places: Places) -> Iterable[int]:
        """The numbers of the patterns whose directory beneath *start* is reached through a link, now."""
        files = places.scene.files
        return () if files is None or not self._top.inner else self._top.moved(start, files)


def stamp_of(files: Files, directory: str) -> Hashable | None:
    """What the directory is as long as nothing in it is made, renamed or removed; few file systems can tell."""
    stamp = getattr(files, "stamp", None)
    return None if stamp is None else stamp(directory)


def _there(directory: str, files: Files) -> frozenset[str] | None:
    """What is in a directory by any case, `None` where that cannot be seen."""
    kind = files.kind(directory)
    if kind in ("absent", "file"):
        return frozenset()
    names = files.names(directory) if kind == "dir" else None
    return None if names is None else frozenset(name.casefold() for name in names)
