"""What the places that a pattern can begin with stand for in one call."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from .links import NO_FILES, is_plain
from .lookalikes import fold
from .paths import NO_CWD, resolve
from .resolving import Names
from .scene import Scene
from .values import Partial, Value, unknown
from .widen import widen

# Where accounts have their homes unless somebody moved them; a deny of `~/x` counts there as well.
_USUAL_HOME = re.compile(r"/(?:home|users)/[^/]+(?=/|$)|/(?:var/)?root(?=/|$)")
MOST_BENEATH = 5_000


# Pure: remembering changes nothing but the cost.
@lru_cache(maxsize=16)
def _widened(homes: tuple[str, ...]) -> frozenset[str]:
    return frozenset(fold(home) for home in homes if home != "/")


class Places:
    """The directories that `{root}`, `~`, `{cwd}` and plain prefixes of patterns stand for, each looked up once.

    It is made for one call and handed to every pattern; kept longer it would not see links made meanwhile.
    `budget` is how many names beneath a directory may be looked at for one question.
    """

    __slots__ = ("_directories", "_homes", "_linked", "_names", "_wide", "budget", "root", "scene")

    def __init__(self, scene: Scene, root: str | None = None, budget: int = MOST_BENEATH) -> None:
        self.scene = scene
        self.root = root
        self.budget = budget
        self._directories: dict[tuple[str, int, str], tuple[Value, ...]] = {}
        self._homes: frozenset[str] | None = None
        self._linked: dict[str, bool] = {}
        self._wide: dict[Value, tuple[Value, ...]] = {}
        self._names: Names | None = None

    def widened(self, name: Value) -> tuple[Value, ...]:
        """The spellings of *name* for a deny."""
        found = self._wide.get(name)
        if found is None:
            found = self._wide[name] = widen(name)
        return found

    def directories(self, place: str, up: int, path: str) -> tuple[Value, ...]:
        """The names, links followed, of the directory *path* beneath the one *up* levels above *place*.

        The empty text is `/`.
        """
        key = (place, up, path)
        found = self._directories.get(key)
        if found is None:
            found = self._directories[key] = tuple(self._followed(self._start(place), up, path))
        return found

    def homes_above(self, name: str) -> Iterator[str]:
        """The homes of accounts in which a widened *name* lies, by the facts and by where homes usually are."""
        homes = self.homes
        at = name.find("/", 1)
        while at > 0:
            if name[:at] in homes:
                yield name[:at]
            at = name.find("/", at + 1)
        if name in homes:
            yield name
        usual = _USUAL_HOME.match(name)
        if usual is not None:
            yield usual[0]

    def has_homes_beneath(self, name: str) -> bool:
        """Whether a home lies beneath a widened *name*, or usually does."""
        above = f"{name.rstrip('/')}/"
        return any(home.startswith(above) for home in (*self.homes, "/home/x", "/users/x", "/root", "/var/root"))

    @property
    def names(self) -> Names:
        """Where the names of hosts lead in this call."""
        if self._names is None:
            self._names = Names(self.scene.resolver)
        return self._names

    @property
    def homes(self) -> frozenset[str]:
        """The widened homes of all accounts."""
        if self._homes is None:
            self._homes = _widened(tuple(self.scene.homes.values()))
        return self._homes

    def _start(self, place: str) -> Value:
        scene = self.scene
        if place == "/":
            return ""
        if place == "{root}":
            return unknown("the root is not known") if self.root is None else self.root
        if place in ("", "{cwd}"):
            return NO_CWD if scene.cwd is None else scene.cwd
        if place == "~":
            return unknown("the home is not known") if scene.home is None else scene.home
        account = place[1:]
        return scene.homes.get(account) or unknown(f"the home of `{account}` is not known")

    def _followed(self, start: Value, up: int, path: str) -> list[Value]:
        if isinstance(start, Partial):
            return [start]
        full = f"{start}{'/..' * up}{path}"
        if not full or (is_plain(full) and not self._passes_link(full)):
            return [full]
        # Without a file system the place is what it is called; what a call reaches is unknown there anyway.
        names = resolve(full, (), self.scene).names
        return ["" if name == "/" else name for name in names if name != NO_FILES]

    def _passes_link(self, path: str) -> bool:
        """Whether a component of a plain path is a link; the directories that many patterns share are asked once."""
        files = self.scene.files
        if files is None or not path:
            return False
        found = self._linked.get(path)
        if found is None:
            found = self._passes_link(path.rpartition("/")[0]) or files.readlink(path) is not None
            self._linked[path] = found
        return found
