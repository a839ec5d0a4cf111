"""Rule files with marks: which stretches of which lines are points of coverage, and what became of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ..assurance.coverage import Coverage, PointCoverage, RuleCoverage, State
from ..lang import RuleSet
from ..lang.document import Document

_STRETCH = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'[^'\n]*'|\{[^{}\n]*\}|\[\[[^\]\n]*\]\]|[^\s=,\]}]+")


class Mark(NamedTuple):
    """A stretch of a line, in characters from 0, with the point that stands there."""

    start: int
    end: int
    rule: RuleCoverage
    point: PointCoverage


class MarkedLine(NamedTuple):
    """A line of a file with its marks, in their order."""

    number: int
    text: str
    marks: tuple[Mark, ...]

    @property
    def state(self) -> State | None:
        """The worst of its points, `None` where it has none."""
        states = {mark.point.state for mark in self.marks}
        return next((state for state in _WORST if state in states), None)


_WORST: tuple[State, ...] = ("never", "reached", "matched")


def marked(coverage: Coverage, rule_sets: tuple[RuleSet, ...]) -> Iterator[tuple[str, list[MarkedLine]]]:
    """Every file in which a point stands, with its lines."""
    by_line: dict[tuple[str, int], list[Mark]] = {}
    documents = _documents(rule_sets)
    for rule in coverage.rules:
        for point in rule.points:
            document = documents[point.span.file]
            start = point.span.column - 1
            stretch = _STRETCH.match(document.text.split("\n")[point.span.line - 1], start)
            end = stretch.end() if stretch else start + 1
            by_line.setdefault((point.span.file, point.span.line), []).append(Mark(start, end, rule, point))
    for file in dict.fromkeys(file for file, _ in by_line):
        lines = documents[file].text.split("\n")
        yield (
            file,
            [
                MarkedLine(number, text, tuple(sorted(by_line.get((file, number), ()), key=lambda mark: mark.start)))
                for number, text in enumerate(lines[:-1] if lines[-1] == "" else lines, 1)
            ],
        )


def _documents(rule_sets: tuple[RuleSet, ...]) -> Mapping[str, Document]:
    """Every file in which a field of a rule is written, by its shown name."""
    found: dict[str, Document] = {}
    for rule in (rule for rule_set in rule_sets for rule in rule_set.rules):
        for document in (rule.document, *(one.document for one in (*rule.replaced.values(), *rule.added))):
            found[document.file] = document
    return found
