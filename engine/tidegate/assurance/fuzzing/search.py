"""Hypothesis looks for calls that break a property, and shrinks what it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random
from time import monotonic
from typing import Any, NamedTuple

from attrs import define, evolve, field, frozen
from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis import strategies as st
from hypothesis.database import ExampleDatabase
from hypothesis.errors import FlakyFailure

from ...compile.compiler import Outcome
from ..fuzz import PROPERTIES
from ..respelling import RESPELLINGS
from .approving import has_terms, machines, unapproved
from .databases import Shelf
from .invariants import Invariant
from .properties import Ground, Violation, breaking, evasive, lawful, unfriendly
from .respelled import DEPTH, Chance
from .rows import rows
from .vocabulary import Table

_ROW = 4
"""A row takes the time of many calls."""

Check = Callable[[Any], Violation | None]


class Trial(NamedTuple):
    """A property with what it is tried on; *cost* is by how much fewer examples it gets than others."""

    property: str
    given: st.SearchStrategy[Any]
    check: Check
    cost: int = 1


@frozen
class Effort:
    """How hard to look: examples for each property, seconds for all of them, and where chance begins.

    The search ends once it has found *enough*.
    """

    examples: int = 500
    seconds: float | None = None
    seed: int = 0
    database: ExampleDatabase | None = None
    enough: int = 40


@define
class Found:
    """What a search came to: the violations, and how many examples it tried for each property."""

    violations: list[Violation] = field(factory=list)
    tried: dict[str, int] = field(factory=dict)
    seconds: float = 0.0

    def add(self, other: Found) -> None:
        """Take in what another search came to; what both found counts once."""
        known = {_key(one) for one in self.violations}
        self.violations += [one for one in other.violations if _key(one) not in known]
        for name, number in other.tried.items():
            self.tried[name] = self.tried.get(name, 0) + number
        self.seconds = max(self.seconds, other.seconds)


class _Broken(Exception):
    """Carries what Hypothesis is to shrink."""

    def __init__(self, violation: Violation) -> None:
        super().__init__(violation.told)
        self.violation = violation


def trials(
    ground: Ground, outcome: Outcome, invariants: Sequence[Invariant], wanted: Iterable[str] = PROPERTIES
) -> list[Trial]:
    """The properties that are tried, each with its calls or rows of calls."""
    calls, chance = ground.maker.calls(), chances()
    both: st.SearchStrategy[tuple[Table, Chance]] = st.tuples(calls, chance)
    found = {
        "law": [Trial("law", calls, lambda call: lawful(ground, call))],
        "evasion": [Trial("evasion", both, lambda drawn: evasive(ground, *drawn))],
        "friction": [Trial("friction", both, lambda drawn: unfriendly(ground, *drawn))],
        "approval": [Trial("approval", machines(ground.maker), lambda drawn: unapproved(outcome, drawn), _ROW)]
        if has_terms(ground.plan)
        else [],
        "invariant": list(_of_invariants(ground, invariants)),
    }
    return [trial for name in PROPERTIES if name in wanted for trial in found[name]]


def chances() -> st.SearchStrategy[Chance]:
    """What is left to chance where a call is said otherwise; the first ways are the plainest."""
    ways = st.lists(st.integers(0, len(RESPELLINGS) - 1), min_size=1, max_size=DEPTH).map(tuple)
    return st.builds(Chance, ways, st.integers(0, 2**16).map(Random))


def _of_invariants(ground: Ground, invariants: Sequence[Invariant]) -> Iterator[Trial]:
    """Single calls first, since most invariants break by one; rows for those that count, and for what sessions do."""
    single = [invariant for invariant in invariants if invariant.rate is None]
    if single:
        yield Trial("invariant", ground.maker.calls(), lambda call: breaking(ground, single, [call]))
    if invariants:
        yield Trial("invariant", rows(ground.maker), lambda row: breaking(ground, invariants, row), _ROW)


def search(given_trials: Sequence[Trial], effort: Effort, step: Callable[[], None] = lambda: None) -> Found:
    """Try every property until its examples or the time are used up.

    What was found once is passed over afterwards, so that one weak rule does not hide another. With the same *effort*
    and no database the outcome is always the same, unless seconds end it. *step* is called for every example.
    """
    found, began = Found(), monotonic()
    end = None if effort.seconds is None else began + effort.seconds
    for trial in given_trials:
        _try(trial, effort, end, found, step)
    while end is not None and monotonic() < end and given_trials:
        effort = evolve(effort, seed=effort.seed + 1)
        for trial in given_trials:
            _try(trial, effort, end, found, step)
    found.seconds = monotonic() - began
    return found


def _try(trial: Trial, effort: Effort, end: float | None, found: Found, step: Callable[[], None]) -> None:
    """Look for violations of one property, one after the other."""
    left = max(1, effort.examples // trial.cost)
    while left > 0 and len(found.violations) < effort.enough:
        if end is not None and monotonic() >= end:
            return
        count = _Count()
        violation = _first(trial, effort, left, end, count, {_key(one) for one in found.violations}, step)
        found.tried[trial.property] = found.tried.get(trial.property, 0) + count.before
        left -= max(1, count.before)
        if violation is None:
            return
        found.violations.append(violation)


@define
class _Count:
    """Examples tried, and those of them before the first violation: shrinking is no search."""

    all: int = 0
    before: int = 0
    broken: bool = False


def _first(
    trial: Trial,
    effort: Effort,
    examples: int,
    end: float | None,
    count: _Count,
    known: set[tuple[str, str, str]],
    step: Callable[[], None],
) -> Violation | None:
    """The first violation that is not *known*, shrunk."""
    best: list[Violation] = []

    def holds(drawn: Any) -> None:
        if end is not None and monotonic() >= end and not count.broken:
            return
        count.before += not count.broken
        step()
        violation = trial.check(drawn)
        if violation is not None and _key(violation) not in known:
            if count.broken and best and _key(violation) != _key(best[0]):
                return  # shrinking one violation must not end in another
            count.broken = True
            best[:] = [violation]
            raise _Broken(violation)

    test = settings(
        max_examples=examples,
        database=None if effort.database is None else Shelf(effort.database, [trial.property, *sorted(known)]),
        deadline=None,
        phases=(Phase.reuse, Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
        report_multiple_bugs=False,
        print_blob=False,
    )(seed(effort.seed)(given(trial.given)(holds)))
    try:
        test()
    except _Broken as broken:
        return broken.violation
    except FlakyFailure:
        if not best:
            raise
        return best[0]
    return None


def _key(violation: Violation) -> tuple[str, str, str]:
    """What tells violations apart: the property, what it is about, and the rules that let it happen."""
    return violation.property, violation.about, violation.by
