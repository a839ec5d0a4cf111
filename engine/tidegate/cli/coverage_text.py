"""Coverage for people: what is not matched, or the rule files with marks in their margin; and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..assurance.coverage import PointCoverage, RuleCoverage, State, percent
from ..assurance.measuring import Measured
from ..lang import RuleSet
from ..shown import escape, quote
from .jsonlines import dump
from .marks import marked
from .terminal import Screen, Style

WORDS: Mapping[State, str] = {
    "matched": "matched",
    "reached": "reached, never matched",
    "never": "never reached",
}
SIGNS: Mapping[State, str] = {"matched": "+", "reached": "!", "never": "-"}
_STYLES: Mapping[State, Style] = {"matched": "allow", "reached": "ask", "never": "deny"}


def gaps(measured: Measured, screen: Screen) -> Iterator[str]:
    """A line for each point that is not matched, and the sum."""
    for rule in measured.coverage.rules:
        for point in rule.points:
            if point.state != "matched":
                place = f"{point.span.file}:{point.span.line}:{point.span.column}"
                yield f"{escape(place)}: {screen.paint(WORDS[point.state], _STYLES[point.state])}: {named(rule, point)}"
    yield summary(measured)


def named(rule: RuleCoverage, point: PointCoverage) -> str:
    """What a point is: "`"**/.env"` in `deny` of rule `secrets`"."""
    if not point.path:
        return f"rule {quote(rule.address)}"
    where = f"of rule {quote(rule.address)}"
    if len(point.path) == 1:
        return f"`{point.path[0]}` {where}"
    return f"{quote(point.text)} in `{point.path[0]}` {where}"


def summary(measured: Measured) -> str:
    """How much is matched, by what."""
    coverage = measured.coverage
    ran = [
        f"{number} {noun}{'' if number == 1 else 's'}"
        for number, noun in (
            (measured.examples, "example"),
            (measured.tests, "test"),
            (measured.calls, "recorded call"),
        )
        if number
    ]
    several = " and ".join(filter(None, [", ".join(ran[:-1]), *ran[-1:]]))
    by = f", by {several}" if ran else ", by nothing: there is no example and no test"
    share = percent(coverage.matched, coverage.total)
    return f"{coverage.matched} of {coverage.total} rules and patterns are matched ({share} %){by}"


def source(measured: Measured, rule_sets: tuple[RuleSet, ...], screen: Screen) -> Iterator[str]:
    """The rule files, each line with the state of its worst point and how often that was matched."""
    for file, lines in marked(measured.coverage, rule_sets):
        yield screen.paint(escape(file), "bold")
        for line in lines:
            state = line.state
            margin = " " * 7
            if state is not None:
                times = min(mark.point.matched for mark in line.marks)
                margin = screen.paint(f"{SIGNS[state]}{times or '':>5} ", _STYLES[state])
            yield f"{margin}{line.number:>4}  {escape(line.text)}".rstrip()
        yield ""
    yield "+ matched, with the least count of the line   ! reached, never matched   - never reached"
    yield summary(measured)


def as_json(measured: Measured) -> str:
    """Everything as one JSON object."""
    coverage = measured.coverage
    value: dict[str, Any] = {
        "matched": coverage.matched,
        "total": coverage.total,
        "percent": percent(coverage.matched, coverage.total),
        "examples": measured.examples,
        "tests": measured.tests,
        "recorded_calls": measured.calls,
        "failing": [one.name for one in measured.failing],
        "rules": [_rule(rule) for rule in coverage.rules],
    }
    return dump(value)


def _rule(rule: RuleCoverage) -> dict[str, Any]:
    return {
        "rule": rule.address,
        "kind": rule.kind,
        "layer": rule.layer,
        "state": rule.state,
        "points": _points(rule.points),
    }


def _points(points: Sequence[PointCoverage]) -> list[dict[str, Any]]:
    return [
        {
            "path": list(point.path),
            "text": point.text,
            "file": point.span.file,
            "line": point.span.line,
            "column": point.span.column,
            "state": point.state,
            "reached": point.reached,
            "matched": point.matched,
        }
        for point in points
    ]
