"""What a replay comes to: how many calls are decided as before, and the others by what has changed."""

from __future__ import annotations

from collections import Counter
from typing import Literal, NamedTuple

from attrs import define, field

from ...call import Call
from ...decision import STRICTNESS
from ..witnesses import line_of
from .entry import Place, Word

Change = Literal["looser", "stricter", "rewritten", "not compared"]

SAMPLES = 3
MOST_ERRORS = 20
MOST_GROUPS = 10_000
"""How many groups are told apart; tools are named by whoever calls, and a hostile caller has many names."""

LONGEST = 20_000
OTHERS = ""
"""Stands for the tools of all groups past the most."""


class Flip(NamedTuple):
    """What a group of calls has in common: the old word, if there is any, the new one, and the tool."""

    change: Change
    old: Word | None
    new: Word
    tool: str


class Sample(NamedTuple):
    """One call: where it stands, the line that `tidegate decide` reads (empty where it is too long), and the reason."""

    place: Place
    line: str
    reason: str


class Unread(NamedTuple):
    """What stands somewhere and is no call, or could not be judged, and why."""

    place: Place
    why: str


@define
class Group:
    """How many calls a flip has, and the first of them."""

    calls: int = 0
    samples: list[Sample] = field(factory=list)


@define
class Tally:
    """What came of some calls; those of several workers add up to the same, whoever had which.

    `by_other_rule` are calls with the same verdict by another rule. `not_compared` have no old word, `untimed` no time
    of their own, and `backwards` were made before the one that stands before them.
    """

    calls: int = 0
    same: int = 0
    by_other_rule: int = 0
    not_compared: int = 0
    untimed: int = 0
    backwards: int = 0
    unread: int = 0
    errors: list[Unread] = field(factory=list)
    groups: dict[Flip, Group] = field(factory=dict)

    def note_error(self, place: Place, why: str) -> None:
        """Count what is no call."""
        self.unread += 1
        if len(self.errors) < MOST_ERRORS:
            self.errors.append(Unread(place, why))

    def note(self, flip: Flip, place: Place, call: Call, reason: str) -> None:
        """Count a call that is not decided as before, or is compared with nothing."""
        if flip not in self.groups and len(self.groups) >= MOST_GROUPS:
            flip = flip._replace(tool=OTHERS)
        group = self.groups.setdefault(flip, Group())
        group.calls += 1
        if len(group.samples) < SAMPLES:
            line = line_of(call)
            group.samples.append(Sample(place, line if len(line) <= LONGEST else "", reason))

    def add(self, other: Tally) -> None:
        """Take in what another worker counted."""
        for name in ("calls", "same", "by_other_rule", "not_compared", "untimed", "backwards", "unread"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.errors = sorted([*self.errors, *other.errors])[:MOST_ERRORS]
        for flip, group in other.groups.items():
            mine = self.groups.setdefault(flip, Group())
            mine.calls += group.calls
            mine.samples = sorted([*mine.samples, *group.samples])[:SAMPLES]

    def changes(self) -> Counter[str]:
        """How many calls have changed in which way."""
        counts: Counter[str] = Counter()
        for flip, group in self.groups.items():
            counts[flip.change] += group.calls
        return counts

    def ordered(self) -> list[tuple[Flip, Group]]:
        """The groups: what is looser first, and within that the largest."""
        order: tuple[Change, ...] = ("looser", "stricter", "rewritten", "not compared")
        return sorted(
            self.groups.items(),
            key=lambda item: (order.index(item[0].change), -item[1].calls, item[1].samples[0].place, str(item[0])),
        )


def change_between(old: Word, new: Word) -> Change | None:
    """In which way the verdict has changed, if it has."""
    step = STRICTNESS[new.effect] - STRICTNESS[old.effect]
    return None if step == 0 else "looser" if step < 0 else "stricter"
