"""Calls that two rule sets decide differently, looked for where their clauses differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from attrs import frozen

from ...call import Call
from ...compile.compiler import Outcome
from ...decision import STRICTNESS
from ...meaning.names import widened_name_test
from ..clauses import Clause, clauses_of
from ..witnesses import Bench, Prober, line_of
from ..witnesses.probing import in_examples
from .verdicts import Shown

MOST_CALLS = 500
"""How many calls are tried for one tool."""


@frozen
class Side:
    """One of two rule sets, with what is needed to ask it."""

    outcome: Outcome
    bench: Bench
    clauses: tuple[Clause, ...]
    prober: Prober

    @classmethod
    def of(cls, bench: Bench) -> Side:
        """The side whose rules *bench* has."""
        return cls(bench.outcome, bench, clauses_of(bench.outcome, links=True), Prober(bench.outcome))


@frozen
class Open:
    """A clause that nothing of the other side is proved to cover, and why that could not be told, if so."""

    clause: Clause
    against: tuple[Clause, ...]
    doubt: str = ""


Found = tuple[Shown | None, Shown | None]
"""A call that is decided more loosely by the new rules, and one that is decided more strictly."""


@frozen
class Candidates:
    """Calls of the tool, or of tools that are not named, in which the rule sets may differ; each once."""

    sides: tuple[Side, Side]
    tool: str
    apart_from: Sequence[str]
    opened: Sequence[Open]

    def __iter__(self) -> Iterator[Call]:
        """Go through them, those that are likely to differ first."""
        seen = set()
        looks_named = widened_name_test(self.apart_from)
        for call in _candidates(self.sides, self.tool, self.opened):
            name, line = call.tool.name, line_of(call)
            if line not in seen and (name == self.tool if self.tool else not looks_named(name)):
                seen.add(line)
                yield call


def search(sides: tuple[Side, Side], candidates: Iterable[Call], wanted: tuple[bool, bool]) -> Found:
    """Calls that are decided differently, for each direction in which they are *wanted*."""
    found: Found = (None, None)
    for call in islice(candidates, MOST_CALLS) if any(wanted) else ():
        old, new = (side.bench.decide(call) for side in sides)
        if old is not None and new is not None:
            found = with_shown(found, Shown(call, old, new))
        if is_enough(found, wanted):
            break
    return found


def with_shown(found: Found, shown: Shown) -> Found:
    """What was found, with a call where it shows a direction that nothing showed before."""
    change = STRICTNESS[shown.new.effect] - STRICTNESS[shown.old.effect]
    return (found[0] or (shown if change < 0 else None), found[1] or (shown if change > 0 else None))


def is_enough(found: Found, wanted: tuple[bool, bool]) -> bool:
    """Whether each direction that is wanted is shown."""
    return all(shown is not None or not wish for shown, wish in zip(found, wanted, strict=True))


def _candidates(sides: tuple[Side, Side], tool: str, opened: Sequence[Open]) -> Iterator[Call]:
    """Calls in which the rule sets may differ: first such as what differs names, then what either names at all."""
    names = [tool] if tool else None
    for one in opened:
        against = [item for other in one.against for item in other.items]
        for side in sides:
            yield from side.prober.calls(one.clause, against, names)
    for side in sides:
        if tool:
            yield side.prober.make(tool, {})
        for clause in side.clauses:
            yield from side.prober.calls(clause, (), names)
        for rule_set in side.outcome.rule_sets:
            yield from in_examples(rule_set.rules)
    for side in sides:
        yield from (side.prober.make(name, {}) for name in (names or side.prober.tools.names))
        if not tool:
            yield side.prober.make("some_other_tool", {"text": "x"})
