"""Coverage as one HTML file that needs no other: the rule files, coloured, with counts under the pointer."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape as html
from importlib.resources import files
from string import Template

from ..assurance.coverage import percent
from ..assurance.measuring import Measured
from ..lang import RuleSet
from ..shown import escape
from .coverage_text import WORDS, named, summary
from .marks import Mark, MarkedLine, marked


def page(measured: Measured, rule_sets: tuple[RuleSet, ...]) -> str:
    """The whole file; it runs no script and loads nothing."""
    template = Template(files("tidegate.cli").joinpath("templates/coverage.html.txt").read_text("utf-8"))
    coverage = measured.coverage
    return template.substitute(
        summary=html(summary(measured)),
        percent=percent(coverage.matched, coverage.total),
        matched=coverage.matched,
        total=coverage.total,
        rules="\n".join(_rules(measured)),
        files="\n".join(_files(measured, rule_sets)),
    )


def _rules(measured: Measured) -> Iterator[str]:
    for rule in measured.coverage.rules:
        hits = sum(point.matched > 0 for point in rule.points)
        place = f"{rule.points[0].span.file}:{rule.points[0].span.line}"
        yield (
            f'<tr><td><a href="#{html(_anchor(place), quote=True)}">{html(escape(rule.address))}</a></td>'
            f"<td>{html(escape(rule.kind))}</td><td class={rule.state}>{WORDS[rule.state]}</td>"
            f"<td class=count>{hits} of {len(rule.points)}</td>"
            f"<td><meter min=0 max={len(rule.points)} value={hits}></meter></td></tr>"
        )


def _files(measured: Measured, rule_sets: tuple[RuleSet, ...]) -> Iterator[str]:
    for file, lines in marked(measured.coverage, rule_sets):
        yield f"<h2>{html(escape(file))}</h2>\n<pre>"
        for line in lines:
            anchor = html(_anchor(f"{file}:{line.number}"), quote=True)
            yield f'<span class="line {line.state or ""}" id="{anchor}"><b>{line.number}</b>{_line(line)}</span>'
        yield "</pre>"


def _line(line: MarkedLine) -> str:
    parts, at = [], 0
    for mark in line.marks:
        if mark.start < at:
            continue
        parts.append(html(escape(line.text[at : mark.start])))
        title = html(_title(line, mark.start), quote=True)
        parts.append(f'<mark class={mark.point.state} title="{title}" tabindex=0>')
        parts.append(f"{html(escape(line.text[mark.start : mark.end]))}</mark>")
        at = mark.end
    return "".join([*parts, html(escape(line.text[at:]))])


def _title(line: MarkedLine, start: int) -> str:
    """What is told of the points that begin there."""
    return "\n".join(_told(mark) for mark in line.marks if mark.start == start)


def _told(mark: Mark) -> str:
    point = mark.point
    return f"{named(mark.rule, point)}: matched {point.matched} of the {point.reached} times that it was reached"


def _anchor(place: str) -> str:
    return "".join(char if char.isascii() and char.isalnum() else f"-{ord(char):x}-" for char in place)
