"""Many patterns of paths, of which a path finds those that could name it.

Patterns stand under the plain directory that they begin with, and a name is looked up under each directory above it.
What a name and a directory are called is compared as `PathPattern` does, exactly and widely; where that is not a
matter of their text alone (links, odd spellings, text that is not known), every pattern of the kind could name it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from ..globs import Glob, GlobSet
from ..links import is_plain
from ..lookalikes import fold
from ..pathpatterns import PathPattern, Reach
from ..places import Places
from ..values import Value
from ..widen import widen
from .linked import Directories

_FEW = 4


class PathIndex:
    """Patterns of paths, each with the number of what it belongs to."""

    __slots__ = ("_groups", "everything")

    def __init__(self, patterns: Sequence[tuple[PathPattern, int]]) -> None:
        """Take *patterns* with their numbers; `everything` are these."""
        self.everything = frozenset(number for _, number in patterns)
        groups: dict[tuple[str, int], _Group] = {}
        for pattern, number in patterns:
            for reach in pattern.reaches:
                key = (reach.branch.place, reach.branch.up)
                group = groups.get(key)
                if group is None:
                    group = groups[key] = _Group(*key)
                group.add(reach, number)
        self._groups = tuple(groups.values())

    def prepare(self) -> None:
        """Make what is else made when it is first needed."""
        for group in self._groups:
            group.prepare()

    def possible(self, names: Iterable[Value], places: Places, *, beneath: bool = False) -> Iterable[int]:
        """The numbers of all patterns that could name one of *names*, or with *beneath* something under one."""
        found: set[int] = set()
        for name in names:
            spellings = places.widened(name)
            if not isinstance(name, str) or len(spellings) != 1 or "~" in name:
                return self.everything
            wide = spellings[0]
            assert isinstance(wide, str)  # noqa: S101 - what is known has known spellings
            for group in self._groups:
                group.find(name, wide, places, found, beneath=beneath)
        return found


class _Bucket:
    """What stands under one directory: globs with their numbers."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self._globs: list[tuple[Glob, Glob]] = []

    def add(self, exact: Glob, wide: Glob, number: int) -> None:
        self.numbers.append(number)
        self._globs.append((exact, wide))

    @cached_property
    def _exact(self) -> GlobSet:
        return GlobSet([exact for exact, _ in self._globs])

    @cached_property
    def _wide(self) -> GlobSet:
        return GlobSet([wide for _, wide in self._globs])

    def prepare(self) -> None:
        if len(self.numbers) > _FEW:
            self.possible("", wide=True)
            self.possible("", wide=False)

    def possible(self, rest: str, *, wide: bool) -> Iterable[int]:
        """The numbers of the globs that name *rest*; of a few it is not asked."""
        numbers = self.numbers
        if len(numbers) <= _FEW:
            return numbers
        return [numbers[at] for at in (self._wide if wide else self._exact).matches(rest)]


class _Group:
    """Patterns that begin with one place."""

    __slots__ = (
        "_always",
        "_directories",
        "_exact",
        "_excludes",
        "_numbers",
        "_place",
        "_plain",
        "_sorted",
        "_up",
        "_wide",
    )

    def __init__(self, place: str, up: int) -> None:
        self._place = place
        self._up = up
        self._excludes = False
        self._plain: str | None = None
        self._numbers: set[int] = set()
        self._always: set[int] = set()
        self._exact: dict[str, _Bucket] = {}
        self._wide: dict[str, _Bucket] = {}
        self._directories = Directories()
        self._sorted: list[str] | None = None

    def add(self, reach: Reach, number: int) -> None:
        path = reach.path
        self._excludes = self._excludes or reach.excludes
        self._numbers.add(number)
        if path and not (is_plain(path) and path.isascii() and len(widen(path)) == 1):
            self._always.add(number)  # it is called otherwise than it is spelled
            return
        for table, key in ((self._exact, path), (self._wide, fold(path))):
            bucket = table.get(key)
            if bucket is None:
                bucket = table[key] = _Bucket()
            bucket.add(reach.glob, reach.wide, number)
        self._directories.add(path, number)

    def prepare(self) -> None:
        for bucket in (*self._exact.values(), *self._wide.values()):
            bucket.prepare()

    def find(self, name: str, wide: str, places: Places, found: set[int], *, beneath: bool) -> None:
        """Add the numbers of what could name *name*, whose only wide spelling is *wide*."""
        start = self._start(places)
        if start is None:
            found |= self._numbers
            return
        found |= self._always
        found.update(self._directories.moved(start, places))
        folded = fold(start)
        # As for one pattern: what is spelled as it is folded is named exactly only where it is named widely.
        if self._excludes or name != wide or start != folded:
            self._under(name, start, found, wide=False, beneath=beneath)
        self._under(wide, folded, found, wide=True, beneath=beneath)
        if self._place == "~":
            for home in places.homes_above(wide):
                self._under(wide, home, found, wide=True, beneath=beneath)
            if beneath and places.has_homes_beneath(wide):
                found |= self._numbers

    def _start(self, places: Places) -> str | None:
        """The directory that the place stands for where it is called that and nothing else."""
        if self._up:
            return None
        names = places.directories(self._place, 0, "")
        start = names[0] if len(names) == 1 else None
        if not isinstance(start, str) or start == self._plain:
            return start if isinstance(start, str) else None
        if (start and not (is_plain(start) and start.isascii())) or len(places.widened(start)) != 1:
            return None
        self._plain = start  # what is plain stays so: the last one is seldom another
        return start

    def _under(self, name: str, start: str, found: set[int], *, wide: bool, beneath: bool) -> None:
        if name == "/":
            name = ""
        if beneath and start.startswith(f"{name}/"):
            found |= self._numbers
            return
        rest = name[len(start) :]
        if not name.startswith(start) or (rest and rest[0] != "/"):
            return
        table = self._wide if wide else self._exact
        for end in _ends(rest):
            bucket = table.get(rest[:end])
            if bucket is not None:
                found.update(bucket.numbers if beneath else bucket.possible(rest[end:], wide=wide))
        if beneath and wide:
            found.update(number for key in self._beneath(f"{rest}/") for number in table[key].numbers)

    def _beneath(self, above: str) -> Iterator[str]:
        """The wide directories that begin with *above*."""
        keys = self._sorted
        if keys is None:
            keys = self._sorted = sorted(self._wide)
        at = bisect_left(keys, above)
        while at < len(keys) and keys[at].startswith(above):
            yield keys[at]
            at += 1


def _ends(path: str) -> Iterator[int]:
    """Where the directories above *path* end, the whole of it included."""
    yield 0
    at = path.find("/", 1)
    while at > 0:
        yield at
        at = path.find("/", at + 1)
    if path:
        yield len(path)
