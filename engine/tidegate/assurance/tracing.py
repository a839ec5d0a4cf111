"""A trace in plain lines: what a call does, and what every rule that was consulted said of it."""

from __future__ import annotations

from collections.abc import Iterator

from ..plan.phrases import describe
from ..shown import escape
from .explaining import Consulted, Explanation
from .fields import DEFAULT

_WIDEST = 60


def trace_lines(explanation: Explanation) -> Iterator[str]:
    """The effects of the call with their numbers, and a row for each rule; everything is escaped."""
    if explanation.effects:
        yield "what it does"
        for number, effect in enumerate(explanation.effects):
            yield f"  {number:>2}  {describe(effect)}"
    rows = list(_rows(explanation))
    if rows:
        yield "what the rules say"
    widths = [max(len(row[column]) for row in rows) for column in range(3)] if rows else []
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        yield f"  {'  '.join([*cells, row[3]])}".rstrip()
    if explanation.elsewhere:
        more = "1 more rule is" if explanation.elsewhere == 1 else f"{explanation.elsewhere} more rules are"
        yield f"{more} not about this tool"


def _rows(explanation: Explanation) -> Iterator[tuple[str, str, str, str]]:
    """Rule, kind, answer and why, in the order in which rules are consulted."""
    for one in (*explanation.before, *explanation.rewrites):
        yield _row(one, "")
    many = len(explanation.layers) > 1
    for layer in explanation.layers:
        place = f"{layer.name}: " if many else ""
        for one in layer.rules:
            yield _row(one, place)
        if layer.uncovered:
            numbers = ", ".join(map(str, layer.uncovered))
            says = "-" if layer.monitors else layer.default
            yield f"{place}{DEFAULT}", "", says, f"covered by no grant: {numbers}"
    for one in explanation.limits:
        yield _row(one, "")


def _row(one: Consulted, place: str) -> tuple[str, str, str, str]:
    numbers = list(one.covers) if one.says == "grant" else [one.effect] if one.effect is not None else []
    about = f" {', '.join(map(str, numbers))}" if one.says in ("deny", "ask", "grant") and numbers else ""
    says = "-" if one.says == "pass" else f"{one.says}{about}"
    monitored = " (monitored, does not count)" if one.monitored else ""
    return f"{place}{escape(one.rule, _WIDEST)}", one.kind, says, f"{escape(one.why)}{monitored}"
