"""Which rules and patterns examples, tests and recorded calls reach, and which of them they match."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from logging import getLogger
from typing import Literal

from attrs import define, evolve, field, frozen

from ..call import Call
from ..compile.compiler import Outcome, Subject
from ..compile.stage import HOME, ROOT, Judged, Stage, Watch, World, applies, shape_of
from ..kind import Case, Output, Phase
from ..lang.document import Span
from ..lang.scan import KeyPath
from ..plan.rule import Rule
from ..plan.sitting import Sitting
from .points import Found, Point, differs, points_of

State = Literal["matched", "reached", "never"]

_log = getLogger("tidegate")


@frozen
class PointCoverage:
    """One point of a rule: where it stands, and how many calls or results reached it, and matched it."""

    path: KeyPath
    text: str
    span: Span
    reached: int
    matched: int

    @property
    def state(self) -> State:
        """Matched at least once, reached but never matched, or never reached."""
        return "matched" if self.matched else "reached" if self.reached else "never"


@frozen
class RuleCoverage:
    """One rule: what became of itself, then of its patterns."""

    address: str
    kind: str
    layer: str
    points: tuple[PointCoverage, ...]

    @property
    def state(self) -> State:
        """That of the rule itself."""
        return self.points[0].state


@frozen
class Coverage:
    """All rules in load order."""

    rules: tuple[RuleCoverage, ...]

    @property
    def points(self) -> tuple[PointCoverage, ...]:
        """The points of all rules."""
        return tuple(point for rule in self.rules for point in rule.points)

    @property
    def matched(self) -> int:
        """How many points are matched."""
        return sum(point.matched > 0 for point in self.points)

    @property
    def total(self) -> int:
        """How many points there are."""
        return len(self.points)


def percent(part: int, whole: int) -> int:
    """The whole number of percent, rounded down: 100 only where nothing is missing, and where there is nothing."""
    return part * 100 // whole if whole else 100


def reaches(part: int, whole: int, wanted: int) -> bool:
    """Whether *part* of *whole* is at least *wanted* percent, without any rounding."""
    return part * 100 >= wanted * whole


@define
class _Tracked:
    """A rule with its points, and how often each was reached and matched."""

    subject: Subject
    points: Sequence[Point]
    reached: list[int]
    matched: list[int]

    def count(self, index: int, found: Found) -> None:
        """Count one call or result."""
        self.reached[index] += found[0]
        self.matched[index] += found[1]


@define
class Collector:
    """Counts what calls and results do with the points of a rule set."""

    outcome: Outcome
    _tracked: dict[tuple[int, str], _Tracked] = field(init=False)

    def __attrs_post_init__(self) -> None:
        """Find all points."""
        self._tracked = {}
        for subject in self.outcome.subjects:
            points = points_of(subject, self.outcome)
            counts = _Tracked(subject, points, [0] * len(points), [0] * len(points))
            self._tracked.setdefault((subject.rule.layer, subject.rule.id), counts)

    def of_rule(self, subject: Subject) -> Watch:
        """What watches the examples of one rule, which stand before that rule alone."""
        return _Watching((self._tracked[subject.rule.layer, subject.rule.id],), alone=True)

    def of_all(self) -> Watch:
        """What watches tests, which stand before all rules together."""
        return _Watching(tuple(self._tracked.values()), alone=False)

    def result(self) -> Coverage:
        """The counts so far."""
        layers = [rule_set.layer for rule_set in self.outcome.rule_sets]
        return Coverage(tuple(_covered(one, layers[one.subject.rule.layer]) for one in self._tracked.values()))


@frozen
class _Watching:
    """Sees calls and results, and counts them for these rules."""

    tracked: tuple[_Tracked, ...]
    alone: bool

    def judged(self, judged: Judged) -> None:
        """Count a call."""
        for one in self.tracked:
            if one.subject.phase is not Phase.OUTPUT:
                self._count(one, judged)

    def shaped(self, rules: Sequence[Rule], cases: Sequence[Case], given: Output) -> None:
        """Count a result; every rule gets it as the rules before have left it."""
        known = {one.subject.rule.id: one for one in self.tracked if one.subject.phase is Phase.OUTPUT}
        for rule in rules:
            case = cases[rule.layer]
            if rule.id not in known or not applies(rule, case):
                continue
            one, shaped = known[rule.id], shape_of(rule).apply(given, case)
            one.count(0, (True, differs(given, shaped)))
            for index, point in enumerate(one.points):
                if point.of_result is not None:
                    one.count(index, point.of_result(case, given))
                elif point.of_call is not None:
                    one.count(index, point.of_call(case))
            if rule.enforced:
                given = shaped

    def _count(self, one: _Tracked, judged: Judged) -> None:
        sitting, rule = judged.sitting, one.subject.rule
        layer = 0 if self.alone else rule.layer
        case = _case(sitting, layer, one.subject.phase)
        about = rule.denies_tool is None or rule.denies_tool(case.call.tool.name)
        for index, point in enumerate(one.points):
            if point.path[:1] == ("tools",) and point.of_call is not None:
                one.count(index, point.of_call(case))
        if not about or not sitting.case.effects:
            return
        holds = rule.when is None or rule.when.applies(case) is not False
        if holds:
            one.count(0, (True, _spoke(judged, rule, layer)))
        for index, point in enumerate(one.points):
            if point.of_call is not None and point.path[0] != "tools" and (holds or point.path == ("when",)):
                one.count(index, _asked(point, case))


def _asked(point: Point, case: Case) -> Found:
    """What a call does with a point; a pattern that fails on it does not match it."""
    assert point.of_call is not None  # noqa: S101 - the caller has looked
    try:
        return point.of_call(case)
    except Exception:  # noqa: BLE001 - a matcher that raises proves nothing about its pattern, and the log has it
        _log.exception("a pattern failed on a call")
        return True, False


def _case(sitting: Sitting, layer: int, phase: Phase) -> Case:
    """The call as the rule saw it: as it came, where the rule rewrites."""
    case = sitting.cases[layer]
    if phase is not Phase.REWRITE:
        return case
    return Case(sitting.original, case.effects, case.places, case.now, case.past)


def _spoke(judged: Judged, rule: Rule, layer: int) -> bool:
    """Whether the rule said anything of the call."""
    decision, sitting = judged.decision, judged.sitting
    if any(late.id == rule.id for late in judged.late) or decision.rule == rule.id:
        return True
    guards = any(one.rule == rule.id and one.says != "pass" for one in sitting.answers[layer])
    others = (one for one in decision.trace if one.rule == rule.id and one.says in ("rewrite", "deny", "ask", "remind"))
    return guards or any(one.field not in ("deny", "only", "allow", "code") for one in others)


def _covered(one: _Tracked, layer: str) -> RuleCoverage:
    raw = one.subject.raw
    points = tuple(
        PointCoverage(point.path, point.text, raw.span(point.path), reached, matched)
        for point, reached, matched in zip(one.points, one.reached, one.matched, strict=True)
    )
    return RuleCoverage(raw.address, raw.kind, layer, points)


def judge_recorded(outcome: Outcome, calls: Iterable[Call], watch: Watch) -> int:
    """Put recorded calls before all rules, in a world without a disk; returns how many there were.

    They are never executed. A call that does not say where it was made is taken to come from the place of examples.
    """
    assert outcome.plan is not None  # noqa: S101 - whoever measures has looked whether the rules are broken
    stage, world, count = Stage(outcome.plan, watch), World({}, {}, {}), 0
    for call in calls:
        stage.judge(evolve(call, cwd=call.cwd or ROOT, root=call.root or ROOT, home=call.home or HOME), world)
        count += 1
    return count
