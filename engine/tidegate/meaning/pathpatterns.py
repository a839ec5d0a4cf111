"""Patterns of paths: globs whose places (`{root}`, `~`, the working directory) are those of the call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import takewhile
from typing import NamedTuple

from attrs import field, frozen

from .effects import PathTarget
from .globs import Glob
from .globsyntax import Branch, parse
from .globtokens import DEEP, Set
from .lookalikes import fold
from .places import Places
from .tri import Tri, Unknown, all_of, any_of
from .values import Partial, Possible, Value
from .widen import short_names, widen_glob

_MOST_MOVED = 16


class Question(NamedTuple):
    """What is asked of a glob about a name, and the answer where the glob's directory lies beneath that name."""

    ask: Callable[[Glob, Value], Tri]
    above: bool


NAMED = Question(lambda glob, name: glob.match(name, absolute=True), above=False)
COVERED = Question(Glob.covers_beneath, above=False)
POSSIBLE = Question(Glob.may_match_beneath, above=True)


@frozen
class Reach:
    """One branch of a pattern: what `glob` names beneath the directory `path`, which is under a place."""

    branch: Branch
    path: str
    glob: Glob
    _moved: dict[tuple[str | None, bool], Glob] = field(factory=dict, init=False, eq=False, repr=False)

    @cached_property
    def wide(self) -> Glob:
        """The glob for the spellings of a deny."""
        return widen_glob(self.glob)

    @cached_property
    def _wide_path(self) -> str:
        return fold(self.path)

    @cached_property
    def excludes(self) -> bool:
        """Whether a `[!…]` names things exactly that its wide form does not."""
        sets = (atom for line in self.glob.lines for segment in line for atom in segment if isinstance(atom, Set))
        return any(atom.negated for atom in sets)

    @cached_property
    def _short(self) -> list[Glob]:
        """The names that Windows may give to the directory and what is beneath it, counted from the place."""
        return short_names(Glob("", (self.branch.segments,)))

    @cached_property
    def _endings(self) -> tuple[str, ...]:
        """What every name ends with, one text for each way of folding; nothing where that can be anything."""
        last = [line[-1][-1] if line else None for line in self.wide.lines]
        texts = tuple(atom for atom in last if isinstance(atom, str))
        return texts if len(texts) == len(last) else ()

    def names(self, name: Value, places: Places, *, widen: bool) -> Tri:
        """Whether *name* is named; a known name with another ending is refused before any place is looked up."""
        if isinstance(name, str) and self._endings and "~" not in name and name.isascii():
            for spelling in places.widened(name):
                if isinstance(spelling, str) and spelling.endswith(self._endings):
                    break
            else:
                return False
        return any_of(self.answers(name, places, NAMED, widen=widen))

    def answers(self, name: Value, places: Places, question: Question, *, widen: bool) -> Iterator[Tri]:
        """The answer for each name that the directory has."""
        branch = self.branch
        bases = places.directories(branch.place, branch.up, self.path)
        spellings = places.widened(name) if widen else ()
        # Folding makes a slash of a backslash, which a hole for one name never holds.
        if self.excludes or spellings != (name,) or not isinstance(name, str):
            for base in bases:
                yield self._within(name, base, question, wide=False)
        for spelling in spellings:
            for base in bases:
                for folded in places.widened(base):
                    yield self._within(spelling, folded, question, wide=True)
            if isinstance(spelling, str):
                yield from self._further(spelling, places, question)

    def _further(self, name: str, places: Places, question: Question) -> Iterator[Tri]:
        """The answers for homes that no fact names, and for short names."""
        branch = self.branch
        if branch.place == "~" and not branch.up:
            for home in places.homes_above(name):
                yield self._within(name, home + self._wide_path, question, wide=True)
            if question.above:
                yield places.has_homes_beneath(name)
        if "~" in name and self._short:
            for base in places.directories(branch.place, branch.up, ""):
                start = places.widened(base)[-1]
                for glob in self._short:
                    if isinstance(start, str) and name.startswith(f"{start}/"):
                        yield question.ask(glob, name[len(start) :])

    def _within(self, name: Value, base: Value, question: Question, *, wide: bool) -> Tri:
        if isinstance(base, Partial):
            found = question.ask(self._elsewhere(None, wide=wide), name)
            return False if found is False else Unknown(base.reason)
        if isinstance(name, str):
            if name == "/":
                name = ""
            if name.startswith(base):  # what goes on without a slash is named by no glob
                return question.ask(self.wide if wide else self.glob, name[len(base) :])
            return question.above and base.startswith(f"{name}/")
        prefix = name.prefix
        if prefix.startswith(f"{base}/"):
            inner = Partial((prefix[len(base) :], *name.parts[1:]), name.reason)
            return question.ask(self.wide if wide else self.glob, inner)
        return question.ask(self._elsewhere(base, wide=wide), name) if f"{base}/".startswith(prefix) else False

    def _elsewhere(self, base: str | None, *, wide: bool) -> Glob:
        """The glob beneath *base*, or beneath any directory."""
        found = self._moved.get((base, wide))
        if found is None:
            glob = self.wide if wide else self.glob
            anywhere = tuple((DEEP, *line) for line in glob.lines)
            found = Glob(glob.text, anywhere) if base is None else glob.under(base)
            if len(self._moved) >= _MOST_MOVED:
                self._moved.clear()
            self._moved[base, wide] = found
        return found


def _reach(branch: Branch) -> Reach:
    """Split the plain directories off, which a call follows through links."""
    plain = list(takewhile(lambda segment: len(segment) == 1 and isinstance(segment[0], str), branch.segments))
    if len(plain) == len(branch.segments):
        plain = plain[:-1]
    path = "".join(f"/{segment[0]}" for segment in plain)
    return Reach(branch, path, Glob("", (branch.segments[len(plain) :],)))


@frozen
class PathPattern:
    """A glob of absolute names that may begin with a place.

    A relative glob stands under the working directory. In a deny one that begins with `**` stands anywhere, `~`
    is the home of every account, also those that no fact names (`/home/*`, `/Users/*`, `/root`), and names are
    compared in the spellings of `widen`. Only the call's own home is followed through links.
    """

    text: str
    _reaches: tuple[Reach, ...]

    @cached_property
    def reaches(self) -> tuple[Reach, ...]:
        """All reaches, with those of a deny, whose globs that begin with `**` stand anywhere."""
        branches = (reach.branch for reach in self._reaches)
        deep = (each.segments for each in branches if not each.place and not each.up and each.segments[:1] == (DEEP,))
        return (*self._reaches, *(_reach(Branch("/", segments)) for segments in deep))

    @classmethod
    def compile(cls, text: str) -> PathPattern:
        """Compile *text*: a glob that may begin with `/`, `{root}`, `{cwd}`, `{home}`, `~` or `~account`.

        Raises:
            BadGlob: The glob is broken or too large; `offset` says where, `mend` what to write instead.
        """
        return cls(text, tuple(map(_reach, parse(text))))

    def match(self, target: PathTarget, places: Places, *, widen: bool, every: bool) -> Tri:
        """Whether the pattern names the target.

        *every* asks for all names (a grant, a confinement), else one is enough (a deny). *widen* compares over
        case, trailing dots, streams, short names, invisible and look-alike characters (a deny, never a grant).
        """
        return match_any((self,), target, places, widen=widen, every=every)

    def match_name(self, name: Value, places: Places, *, widen: bool) -> Tri:
        """Whether the pattern names one absolute *name*."""
        doubt: Tri = False
        for reach in self.reaches if widen else self._reaches:
            answer = reach.names(name, places, widen=widen)
            if answer is True:
                return Unknown(name.reason) if widen and isinstance(name, Possible) else True
            if answer is not False and doubt is False:
                doubt = answer
        return doubt

    def covers_beneath(self, target: PathTarget, places: Places) -> Tri:
        """Whether everything that could ever stand beneath the target is named; the target itself is not asked."""
        return all_of(any_of(self._answers(name, places, COVERED, widen=False)) for name in target.names)

    def may_match_beneath(self, target: PathTarget, places: Places, *, widen: bool) -> Tri:
        """Whether something that could stand beneath the target is named."""
        return any_of(answer for name in target.names for answer in self._answers(name, places, POSSIBLE, widen=widen))

    def may_match_beneath_name(self, name: str, places: Places, *, widen: bool) -> bool:
        """Whether it cannot be ruled out that something beneath one absolute *name* is named."""
        return any_of(self._answers(name, places, POSSIBLE, widen=widen)) is not False

    def _answers(self, name: Value, places: Places, question: Question, *, widen: bool) -> Iterator[Tri]:
        for reach in self.reaches if widen else self._reaches:
            yield from reach.answers(name, places, question, widen=widen)


def match_any(patterns: Sequence[PathPattern], target: PathTarget, places: Places, *, widen: bool, every: bool) -> Tri:
    """Whether a list of patterns names the target; with *every*, each name by one pattern of the list."""
    answers = (any_of(pattern.match_name(name, places, widen=widen) for pattern in patterns) for name in target.names)
    return all_of(answers) if every else any_of(answers)
