"""Rows of calls that two rule sets decide alike until the last, looked for where their bounds differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from attrs import evolve, frozen

from ...call import Call
from ...compile.ends import End
from ...decision import Decision
from ...kernel.json_values import snapshot
from ...kind import Output, Phase
from ...pointers import parse_pointer
from ..witnesses.slots import placed
from .bounds import Bound
from .searching import Found, Side, is_enough, with_shown
from .verdicts import Shown

MOST_TRIED = 100
"""How many calls are looked at to find such as both rule sets allow."""
MOST_BASES = 3
"""With how many of them rows are made."""
MOST_TIMES = 2_000
"""How many calls a row has at most."""


@frozen
class Row:
    """One call made so many times, the last of which may be another one.

    Attributes:
        before: The calls before the last.
        call: The last call.
        times: How many there are in all, at most.
        every: The seconds from one to the next.
        fails: Whether each of them fails.
        takes: How many seconds each of them takes, `None` where nobody sees it end.
    """

    before: Call
    call: Call
    times: int
    every: float = 0.0
    fails: bool = False
    takes: float | None = None

    def shown(self, sides: tuple[Side, Side]) -> Shown | None:
        """The first call of the row that the two decide differently, if there is one."""
        judges = [side.bench.row() for side in sides]
        for number in range(1, self.times + 1):
            at = (number - 1) * self.every
            last = number == self.times
            call = evolve(self.call if last else self.before, at=at)
            old, new = (judge(call, self._end(at)) for judge in judges)
            if old.effect != new.effect:
                if not last and self.before.tool != self.call.tool:
                    return None  # it shows something of the other tool
                before = self.before if last and self.before != self.call else None
                return self._shown(old, new, number, before)
            if old.effect != "allow" and not self.every and self.before == self.call:
                return None
        return None

    def _end(self, at: float) -> End | None:
        if self.takes is not None:
            return End(at + self.takes, Output(()))
        return End(None, Output((), None, is_error=True)) if self.fails else None

    def _shown(self, old: Decision, new: Decision, number: int, before: Call | None) -> Shown:
        call = self.call if before is not None else self.before
        return Shown(call, old, new, number, self.every, before, self.fails, self.takes)


def search_in_rows(
    sides: tuple[Side, Side],
    candidates: Iterable[Call],
    found: Found,
    wanted: tuple[bool, bool],
    bounds: Sequence[Bound],
) -> Found:
    """What was found, with rows for each direction in which they are *wanted* and nothing was found before."""
    for base in _bases(sides, candidates) if not is_enough(found, wanted) else ():
        for row in _rows(base, sides, bounds):
            shown = row.shown(sides)
            if shown is not None:
                found = with_shown(found, shown)
                if is_enough(found, wanted):
                    return found
    return found


def _bases(sides: tuple[Side, Side], candidates: Iterable[Call]) -> Iterator[Call]:
    """Calls that both rule sets allow as long as no limit is reached: no other is ever counted."""
    allowed = (
        evolve(call, at=None)
        for call in islice(candidates, MOST_TRIED)
        if all((decision := side.bench.decide(call)) is not None and decision.effect == "allow" for side in sides)
    )
    return islice(allowed, MOST_BASES)


def _rows(base: Call, sides: tuple[Side, Side], bounds: Sequence[Bound]) -> Iterator[Row]:
    """Rows of a call in which a bound may show: of it alone at several paces, and of others before it."""
    for seconds in sorted({float(-one.strict[0]) for one in bounds if one.phase is Phase.RUN and one.strict}):
        yield Row(base, base, 1, takes=seconds)
        yield Row(base, base, 1, takes=seconds + 1)
    counts = sorted({one.most for one in bounds if 0 < one.most < MOST_TIMES})
    if not counts:
        return
    longest = min(3 * counts[-1] + 2, MOST_TIMES)
    for pace in sorted({pace for one in bounds for pace in one.pace}):
        yield Row(base, base, longest, pace)
    yield Row(base, base, longest, fails=True)
    for other in _others(base, sides, bounds):
        for count in counts:
            yield Row(other, base, count + 1)


def _others(base: Call, sides: tuple[Side, Side], bounds: Sequence[Bound]) -> Iterator[Call]:
    """Calls that may count together with the base for one rule set and apart from it for the other."""
    parts = {part for one in bounds for part in one.parts}
    if "session" in parts:
        yield evolve(base, session="another")
    if "agent" in parts:
        yield evolve(base, agent="another")
    for part in sorted(parts):
        if part.startswith("/"):
            value = placed(parse_pointer(part), "another")
            if isinstance(value, dict):
                yield evolve(base, arguments=snapshot({**base.arguments, **value}))
    globs = {glob for one in bounds for glob in one.tools or ()}
    for side in sides:
        for name in side.prober.tools.of(sorted(globs))[:MOST_BASES] if globs else ():
            if name != base.tool.name:
                yield evolve(side.prober.make(name, dict(base.arguments)), at=None)
