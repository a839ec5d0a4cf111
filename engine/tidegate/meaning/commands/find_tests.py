"""The expression of `find`, asked about one name: whether one of its actions is reached."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import NamedTuple

from ..tri import Tri, Unknown, all_of, any_of
from ..values import Value
from .sorting import Found, Sorted

_OPEN = Unknown("whether a test of `find` holds is not known")
_OR = frozenset({"-o", "-or"})
_AND = frozenset({"-a", "-and"})
_NOT = frozenset({"!", "-not"})
_ENDS = _OR | {",", ")"}
_TRUE = frozenset(
    [
        *("-true", "-print", "-print0", "-printf", "-ls", "-fls", "-fprint", "-fprint0", "-fprintf", "-prune", "-quit"),
        *("-H", "-L", "-P", "-O", "-daystart", "-depth", "-d", "-follow", "-maxdepth", "-mindepth", "-mount"),
        *("-noleaf", "-regextype", "-warn", "-nowarn", "-xdev", "-x", "-ignore_readdir_race"),
        "-noignore_readdir_race",
    ]
)
_NAMES = frozenset({"-name", "-iname"})
_PATHS = frozenset({"-path", "-wholename", "-ipath", "-iwholename"})
_FOLDED = frozenset({"-iname", "-ipath", "-iwholename"})
_OF_LINKS = frozenset({"-lname", "-ilname"})
_FOLLOWING = frozenset({"-H", "-L", "-follow"})
_LETTERS = {"file": "f", "dir": "d", "link": "l"}
_PRINTING = frozenset({"-print", "-print0", "-printf"})
_DOING = frozenset({"-ls", "-fls", "-fprint", "-fprint0", "-fprintf", "-delete", "-exec", "-execdir", "-ok", "-okdir"})
_ASKING_NAMES = _TRUE | _NAMES | _PATHS | _DOING | {"-false", "-type", "-xtype"}


class Named(NamedTuple):
    """A name that `find` comes by: as it spells it, how far beneath the start, and what stands there.

    `text` and `kind` are `None` where they are not known; so is `depth` of what lies beneath, nobody knows how far.
    """

    text: str | None
    depth: int | None
    kind: str | None


ANYTHING_BENEATH = Named(None, None, None)
Wanted = Callable[[Found], bool]


def is_printing(option: Found) -> bool:
    """Whether an action prints names alone."""
    return option.name in _PRINTING


def is_decided_by_names(found: Sorted) -> bool:
    """Whether the names and kinds of files are all that the expression asks about."""
    return all(option.name in _ASKING_NAMES or _is_operator(option) for option in found.options)


def reached(found: Sorted, name: Named, wanted: Wanted) -> Tri:
    """Whether an action that is *wanted* is done to *name*; where there is no action at all, that is to print it."""
    if not found.complete or any(option.spec is None and not _is_operator(option) for option in found.options):
        return _OPEN
    reading = _Reading(found.options, name, wanted)
    value = reading.list(active=True)
    if reading.at < len(found.options):
        return _OPEN
    prints = not any(option.name in _PRINTING | _DOING for option in found.options)
    said = all_of([_in_depth(found, name), value if prints else any_of(reading.reached)])
    given = {option.name for option in found.options}
    stops = "-quit" in given or (name.depth != 0 and "-prune" in given)
    return _OPEN if said is True and stops else said


def _is_operator(option: Found) -> bool:
    return option.name in _OR | _AND | _NOT | {",", "(", ")"}


def _in_depth(found: Sorted, name: Named) -> Tri:
    """Whether the name lies as deep as `-mindepth` and `-maxdepth` say."""
    answers: list[Tri] = []
    for option, deepest in (("-maxdepth", True), ("-mindepth", False)):
        limit = found.found(option)
        if limit is None:
            continue
        if not isinstance(limit.value, str) or not (limit.value.isascii() and limit.value.isdecimal()):
            return _OPEN
        most = int(limit.value)
        if name.depth is not None:
            answers.append(name.depth <= most if deepest else name.depth >= most)
        elif deepest:
            answers.append(_OPEN if most else False)
        else:
            answers.append(True if most <= 1 else _OPEN)
    return all_of(answers)


class _Reading:
    """Reads the expression once from left to right; `reached` are the answers for each action that is wanted."""

    def __init__(self, options: tuple[Found, ...], name: Named, wanted: Wanted) -> None:
        self.options = options
        self.name = name
        self.wanted = wanted
        self.at = 0
        self.reached: list[Tri] = []
        self.follows = any(option.name in _FOLLOWING for option in options)

    def list(self, *, active: Tri) -> Tri:
        """Expressions with commas between; of several, GNU `find` does not always count the last as it says."""
        value = self._either(active)
        while self._takes({","}):
            self._either(active)
            value = _OPEN
        return value

    def _either(self, active: Tri) -> Tri:
        value = self._all(active)
        while self._takes(_OR):
            value = any_of([value, self._all(all_of([active, _negated(value)]))])
        return value

    def _all(self, active: Tri) -> Tri:
        value: Tri = True
        while self.at < len(self.options) and self.options[self.at].name not in _ENDS:
            if not self._takes(_AND):
                value = all_of([value, self._one(all_of([active, value]))])
        return value

    def _one(self, active: Tri) -> Tri:
        if self._takes(_NOT):
            return _negated(self._one(active)) if self.at < len(self.options) else _OPEN
        if self._takes({"("}):
            value = self.list(active=active)
            return value if self._takes({")"}) else _OPEN
        option = self.options[self.at]
        if option.name in _ENDS:
            return _OPEN
        self.at += 1
        if self.wanted(option):
            self.reached.append(active)
        return self._holds(option)

    def _takes(self, names: frozenset[str] | set[str]) -> bool:
        if self.at < len(self.options) and self.options[self.at].name in names:
            self.at += 1
            return True
        return False

    def _holds(self, option: Found) -> Tri:
        """Whether a test holds; what an action that is not known to go well comes to is open."""
        name, text = option.name, self.name.text
        if name in _TRUE:
            return True
        if name == "-false":
            return False
        if name in _NAMES:
            return _matches(option.value, None if text is None else text.rstrip("/").rpartition("/")[2] or text, name)
        if name in _PATHS:
            return _matches(option.value, text, name)
        if name in _OF_LINKS and self.name.kind in ("file", "dir"):
            return False
        if name == "-xtype" and self.name.kind == "link":
            return _OPEN
        return self._is_of(option.value) if name in ("-type", "-xtype") else _OPEN

    def _is_of(self, letters: Value | None) -> Tri:
        kind = self.name.kind
        if not isinstance(letters, str) or kind not in _LETTERS or (kind == "link" and self.follows):
            return _OPEN
        return _LETTERS[kind] in letters.split(",")


def _negated(value: Tri) -> Tri:
    return not value if isinstance(value, bool) else value


def _matches(glob: Value | None, text: str | None, test: str) -> Tri:
    """Whether the text matches; brackets and backslashes are left open."""
    if not isinstance(glob, str) or text is None or set(glob) & set("[\\"):
        return _OPEN
    if test not in _FOLDED:
        return fnmatchcase(text, glob)
    return fnmatchcase(text.lower(), glob.lower()) if text.isascii() and glob.isascii() else _OPEN
