"""What stands in the lists of rules, as values that can be compared: does one name everything that another names?

`within` answers true only where that is proved, for denies and for grants by their own ways of comparing. False means
that it is not so, or that nothing is known of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import takewhile

from attrs import frozen

from ...meaning.globs import Glob
from ...meaning.globsyntax import Branch, parse
from ...meaning.globtokens import DEEP
from ...meaning.ports import PORTS
from ...meaning.urlpatterns import UrlParts, UrlPattern
from ...meaning.widen import short_names, widen_glob
from ..languages import Language, glob_language, is_within_all, name_language


class Item(ABC):
    """One item of a list."""

    text: str

    @abstractmethod
    def within(self, others: Sequence[Item], *, grant: bool) -> bool:
        """Whether all that this one names is proved to be named by one of *others*. Raises `NotDecided`."""


@frozen
class Same(Item):
    """An item that is compared as it is written."""

    text: str

    def within(self, others: Sequence[Item], *, grant: bool) -> bool:  # noqa: ARG002 - one way for both
        """Whether it is one of them."""
        return self in others


@frozen
class Doings(Item):
    """The effects that a grant admits of any program of the table."""

    text: str
    doings: frozenset[str]

    def within(self, others: Sequence[Item], *, grant: bool) -> bool:  # noqa: ARG002 - there are only grants
        """Whether one of them admits as much."""
        return any(isinstance(other, Doings) and self.doings <= other.doings for other in others)


@frozen
class Name(Item):
    """A glob of tool names."""

    text: str

    def within(self, others: Sequence[Item], *, grant: bool) -> bool:
        """By the languages of the names."""
        globs = [other.text for other in others if isinstance(other, Name)]
        return names_within([self.text], globs, wide=not grant)


def names_within(some: Iterable[str] | None, others: Iterable[str] | None, *, wide: bool) -> bool:
    """Whether each name of *some* globs is one of *others*, `None` being every name; *wide* as denies see it too."""
    if others is None:
        return True
    some, others = None if some is None else tuple(some), tuple(others)
    if some is not None and set(some) <= set(others):
        return True
    return all(
        is_within_all(_name_language(glob, each), [_name_language(other, each) for other in others])
        for glob in (some or ("*",))
        for each in ((False, True) if wide else (False,))
    )


@lru_cache(maxsize=8192)
def _name_language(glob: str, wide: bool) -> Language:
    return name_language([glob], wide=wide)


@frozen
class Path(Item):
    """A glob of paths, in one of its branches.

    With `links` the comparison holds wherever symlinks lead; else it is about places where they lead nowhere else.
    """

    text: str
    branch: Branch
    links: bool = False

    def within(self, others: Sequence[Item], *, grant: bool) -> bool:
        """By the languages of the names beneath the same folder, or beneath any."""
        paths = [other for other in others if isinstance(other, Path)]
        if self in paths:
            return True
        reaches = [other for other in paths if _reach(other.branch, self.links) == _reach(self.branch, self.links)]
        if reaches and _beneath((self.branch,), [other.branch for other in reaches], grant=grant):
            return True
        roots = [root for other in paths if (root := _from_root(other.branch, grant=grant)) is not None]
        anywhere = Branch("/", (DEEP, *self.branch.segments))
        return bool(roots) and _beneath((anywhere,), roots, grant=grant)


@lru_cache(maxsize=8192)
def _reach(branch: Branch, links: bool) -> tuple[str, int, tuple[object, ...]]:
    """The folder beneath which a glob is compared: its place, and the plain folders that are followed through links."""
    place = "" if branch.place == "{cwd}" else branch.place
    if not links:
        return place, branch.up, ()
    plain = list(takewhile(lambda segment: len(segment) == 1 and isinstance(segment[0], str), branch.segments))
    if len(plain) == len(branch.segments):
        plain = plain[:-1]
    return place, branch.up, tuple(plain)


def _from_root(branch: Branch, *, grant: bool) -> Branch | None:
    """The branch as one that is compared from `/` and follows no link, where it is one."""
    anywhere = not grant and not branch.place and not branch.up
    if (branch.place == "/" or anywhere) and branch.segments[:1] == (DEEP,):
        return Branch("/", branch.segments)
    return None


def _beneath(some: Iterable[Branch], others: Iterable[Branch], *, grant: bool) -> bool:
    """Whether the one branches name nothing that the others do not, beneath the same folder."""
    others = list(others)
    for branch in some:
        if not is_within_all(names_beneath(branch), list(map(names_beneath, others))):
            return False
        if grant:
            continue
        wide = list(map(_wide, others))
        if not is_within_all(_wide(branch), wide):
            return False
        short = _short(branch)
        if short is not None and not is_within_all(
            short, [*wide, *(one for other in others if (one := _short(other)) is not None)]
        ):
            return False
    return True


# Making a language is pure, so remembering it changes nothing but the cost.
@lru_cache(maxsize=8192)
def names_beneath(branch: Branch) -> Language:
    """What the branch names beneath its place."""
    return glob_language([Glob("", (branch.segments,))])


@lru_cache(maxsize=8192)
def _wide(branch: Branch) -> Language:
    """The same in the spellings of a deny."""
    return glob_language([widen_glob(Glob("", (branch.segments,)))])


@lru_cache(maxsize=8192)
def _short(branch: Branch) -> Language | None:
    """The short names of it, where it has some."""
    globs = short_names(Glob("", (branch.segments,)))
    return glob_language(globs) if globs else None


@frozen
class Url(Item):
    """A pattern of URLs."""

    text: str

    def within(self, others: Sequence[Item], *, grant: bool) -> bool:
        """Part by part."""
        own = _url_parts(self.text)
        return any(
            isinstance(other, Url) and (other == self or _is_url_within(own, _url_parts(other.text), grant=grant))
            for other in others
        )


@lru_cache(maxsize=4096)
def _url_parts(text: str) -> UrlParts:
    return UrlPattern.compile(text).parts


def _is_url_within(one: UrlParts, other: UrlParts, *, grant: bool) -> bool:
    return (
        _is_scheme_within(one.scheme, other.scheme, grant=grant)
        and _is_port_within(one, other, grant=grant)
        and _is_host_within(one, other, grant=grant)
        and _is_path_within(one, other, grant=grant)
    )


def _is_scheme_within(one: str, other: str, *, grant: bool) -> bool:
    if other == "*" or (not other and not grant):
        return True
    return one == other or (not other and one in ("http", "https"))


def _is_port_within(one: UrlParts, other: UrlParts, *, grant: bool) -> bool:
    if other.port == "*" or (other.port is None and not grant and not other.scheme):
        return True
    if one.port == other.port:
        return one.port is not None or one.scheme == other.scheme or (grant and not other.scheme)
    named, bare = (one, other) if other.port is None else (other, one)
    default = PORTS.get(bare.scheme)
    return default is not None and bare.port is None and named.port == default and one.scheme == other.scheme


def _is_host_within(one: UrlParts, other: UrlParts, *, grant: bool) -> bool:
    if other.labels == ("*",):
        return True
    if one.labels == ("*",):
        return False
    if one.address is not None or other.address is not None:
        return one.address == other.address
    return _is_glob_within(one.host, other.host, grant=grant)


def _is_path_within(one: UrlParts, other: UrlParts, *, grant: bool) -> bool:
    if other.path is None:
        return True
    return one.path is not None and _is_glob_within(one.path, other.path, grant=grant)


def _is_glob_within(one: tuple[Glob, Glob], other: tuple[Glob, Glob], *, grant: bool) -> bool:
    """Whether the exact glob, and for a deny the widened one, is within the other."""
    spellings = list(zip(one, other, strict=True))[: 1 if grant else 2]
    return all(is_within_all(_glob_language(mine), [_glob_language(theirs)]) for mine, theirs in spellings)


@lru_cache(maxsize=8192)
def _glob_language(glob: Glob) -> Language:
    return glob_language([glob])


def path_items(text: str, *, links: bool) -> tuple[Path, ...]:
    """A glob of paths in all its branches."""
    return tuple(Path(text, branch, links) for branch in parse(text))
