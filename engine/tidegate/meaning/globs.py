"""What a glob says about a name, also about one that is only partly known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import re2
from attrs import frozen

from .automata import Automaton
from .globsyntax import parse
from .globtokens import DEEP, Atom, BadGlob, Segment, Star
from .regexsets import RegexSet
from .steps import ANY, NOT_SLASH, SLASH, Many, Maybe, One, Step, literal, regex
from .tri import Tri, Unknown
from .values import Hole, Partial, Value, concat

_BENEATH = Partial(("/", Hole.ANY), "what stands beneath is not known")
_ANY_NAME: Segment = (Star(),)

Line = tuple[Segment, ...]
"""The segments of one branch."""


@frozen
class Glob:
    """One or several ways to name something, any of which will do.

    A `rooted` glob names absolute paths: each of its segments has a slash before it, and the empty text is `/`
    itself. Any other names plain text, such as the name of a tool.
    """

    text: str
    lines: tuple[Line, ...]
    rooted: bool = True

    @classmethod
    def compile(cls, text: str, base: str | None = None) -> Glob:
        """Compile *text*; a relative glob stands beneath the absolute directory *base* where one is given.

        *base* is taken as it is, whatever characters it has.

        Raises:
            BadGlob: The glob is broken, too large, or begins with a place other than `/`.
        """
        branches = parse(text)
        if any(branch.place not in ("", "/") or (branch.up and base is None) for branch in branches):
            raise BadGlob("the glob begins with a place", "write it without, or use it where paths are meant", 0)
        if base is None and len({branch.place for branch in branches}) > 1:
            raise BadGlob("the glob is absolute in one alternative only", "write two globs", 0)
        absolute = [branch.place == "/" for branch in branches]
        lines = [
            branch.segments if base is None or fixed else names_of(base, branch.up) + branch.segments
            for branch, fixed in zip(branches, absolute, strict=True)
        ]
        return cls(text, tuple(lines), rooted=base is not None or absolute[0])

    @cached_property
    def _shortcut(self) -> Callable[[str], bool] | None:
        return _shortcut(self.lines[0]) if self.rooted and len(self.lines) == 1 else None

    @cached_property
    def steps(self) -> tuple[tuple[Step, ...], ...]:
        """The branches as steps of an automaton."""
        return tuple(tuple(_steps(line, rooted=self.rooted)) for line in self.lines)

    @cached_property
    def _automaton(self) -> Automaton:
        return Automaton(self.steps)

    @cached_property
    def _regex(self) -> re2._Regexp:
        return re2.compile(regex(self.steps))

    def match(self, value: Value, *, absolute: bool = False) -> Tri:
        """Whether *value* is named.

        Partly known text gets yes if all that it can be is named, no if nothing of it is, and else unknown.
        With *absolute*, a text that begins with a hole is known to be an absolute path.
        """
        if not isinstance(value, str):
            return self._automaton.answer(value, absolute=absolute)
        if self._shortcut is not None:
            return self._shortcut(value)
        try:
            return self._regex.fullmatch(value) is not None
        except UnicodeEncodeError:  # a file name that is no text, which RE2 does not take
            return self._automaton.accepts(value)

    def covers_beneath(self, value: Value) -> Tri:
        """Whether everything that could stand beneath the directory *value* is named."""
        answer = self._automaton.answer(_beneath(value), absolute=True)
        return False if isinstance(answer, Unknown) and isinstance(value, str) else answer

    def may_match_beneath(self, value: Value) -> Tri:
        """Whether something that could stand beneath the directory *value* is named."""
        answer = self._automaton.answer(_beneath(value), absolute=True)
        return True if isinstance(answer, Unknown) and isinstance(value, str) else answer

    def under(self, base: str) -> Glob:
        """The same glob beneath the directory *base*, taken as it is."""
        names = names_of(base)
        return Glob(self.text, tuple(names + line for line in self.lines))


class GlobSet:
    """Many globs, asked about one known text at once."""

    def __init__(self, globs: Sequence[Glob]) -> None:
        self._globs = tuple(globs)
        self._set = RegexSet([regex(glob.steps) for glob in globs])

    def matches(self, text: str) -> list[int]:
        """The positions of the globs that name *text*, in order."""
        found = self._set.matches(text)
        if found is None:
            return [at for at, glob in enumerate(self._globs) if glob.match(text) is True]
        return sorted(found)


def names_of(directory: str, up: int = 0) -> Line:
    """The names on the way to an absolute *directory*, or to the one *up* levels above it, as segments."""
    names = tuple((name,) for name in directory.split("/") if name)
    return names[: max(len(names) - up, 0)]


def _steps(line: Line, *, rooted: bool) -> list[Step]:
    steps: list[Step] = []
    if rooted and not line:
        return [Maybe((One(SLASH),))]
    for at, segment in enumerate(line):
        bare = at == 0 and not rooted
        if segment == DEEP and bare:
            steps += [Many(ANY)] if len(line) == 1 else [Maybe((Many(ANY), One(SLASH)))]
            continue
        if segment == DEEP:
            steps.append(Maybe((One(SLASH), Many(ANY))))
            continue
        if not bare and not (at == 1 and not rooted and line[0] == DEEP):
            steps.append(One(SLASH))
        if segment == _ANY_NAME:
            steps.append(One(NOT_SLASH))  # a name is never empty
        for atom in segment:
            steps += _atom_steps(atom)
    return steps


def _atom_steps(atom: Atom) -> list[Step]:
    if isinstance(atom, str):
        return literal(atom)
    return [Many(NOT_SLASH) if isinstance(atom, Star) else One(atom.chars)]


def _beneath(directory: Value) -> Value:
    return concat(["" if directory == "/" else directory, _BENEATH])


def _shortcut(line: Line) -> Callable[[str], bool] | None:
    """A plain comparison for the commonest shapes of rooted globs: `/a/b`, `/a/b/**` and `/**/b`."""
    head = line[:1] == (DEEP,) and len(line) > 1
    tail = line[-1:] == (DEEP,) and not head
    plain = line[head : len(line) - tail]
    if not all(len(segment) == 1 and isinstance(segment[0], str) for segment in plain):
        return None
    path = "".join(f"/{segment[0]}" for segment in plain)
    if head:
        return lambda text: text.endswith(path) and text.startswith("/")
    if tail:
        return lambda text: text.startswith(path + "/") or text == path
    return lambda text: text == path or (not path and text == "/")
