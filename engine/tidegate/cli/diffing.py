"""The answer of `diff` in its forms: for people, for programs, and for a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from attrs import frozen

from ..assurance.diff import Comparison, Direction, Row, Shown
from ..assurance.witnesses import line_of
from ..decision import Decision
from ..limiting.rates import counted
from ..shown import quote
from .jsonlines import dump
from .terminal import safe

FORMS = ("text", "json", "markdown")

_OTHERS = "every other tool"
_MOST_NAMES = 6


@frozen
class Group:
    """Rows of which the same is said, each shown by the calls of the first."""

    rows: tuple[Row, ...]

    @property
    def names(self) -> str:
        """The tools in words."""
        names = [quote(row.tool) if row.tool else _OTHERS for row in self.rows]
        more = len(names) - _MOST_NAMES
        return ", ".join(names) if more <= 0 else f"{', '.join(names[:_MOST_NAMES])} and {more} more"

    @property
    def word(self) -> str:
        """The verdict, with what is left open."""
        row = self.rows[0]
        if row.word == "not decided":
            parts = [f"not {name}" for name, one in _directions(row) if one.none]
            return f"{', '.join(parts)}, else not decided" if parts else "not decided"
        still = [name for name, one in _directions(row) if not one.none and one.shown is None]
        return row.word if not still else f"{row.word}; whether it is {still[0]} as well is not decided"


def write(form: str, comparison: Comparison) -> Iterator[str]:
    """The lines of the answer."""
    if form == "json":
        return iter([dump(as_json(comparison))])
    groups = grouped(comparison.rows)
    return _markdown(groups) if form == "markdown" else _text(groups)


def grouped(rows: Sequence[Row]) -> list[Group]:
    """Rows that say the same together, what is looser first and what is equal last."""
    groups: dict[object, list[Row]] = {}
    for row in rows:
        key = (row.word, *((one.none, one.shown is None, one.rules, one.doubts) for _, one in _directions(row)))
        groups.setdefault(key, []).append(row)
    order = ("looser", "incomparable", "not decided", "stricter", "equal")
    return sorted((Group(tuple(found)) for found in groups.values()), key=lambda group: order.index(group.rows[0].word))


def _directions(row: Row) -> tuple[tuple[str, Direction], tuple[str, Direction]]:
    return ("looser", row.looser), ("stricter", row.stricter)


def _by(decision: Decision) -> str:
    return (
        f"{decision.effect} by {quote(decision.rule)}"
        if decision.rule is not None
        else f"{decision.effect} by `default`"
    )


def _when(shown: Shown) -> str:
    """How the row is made whose last call shows something, where it is not the first."""
    how = f", one every {_seconds(shown.every)}" if shown.every and shown.times > 1 else ""
    how += ", each of which fails" if shown.fails and shown.times > 1 else ""
    if shown.takes is not None:
        return f"where it takes {_seconds(shown.takes)}, it is "
    if shown.times == 1:
        return ""
    if shown.before is None:
        return f"made {shown.times} times in a row{how}, the last is "
    return f"after {counted(shown.times - 1, 'call')} like {line_of(shown.before)}{how}, it is "


def _seconds(number: float) -> str:
    return f"{number:.9g} s"


def _text(groups: Sequence[Group]) -> Iterator[str]:
    for group in groups:
        yield f"{group.word}: {group.names}"
        for name, one in _directions(group.rows[0]):
            if one.shown is not None:
                yield f"  {name}: {line_of(one.shown.call)}"
                said = f"{_when(one.shown)}{_by(one.shown.old)}, now {_by(one.shown.new)}"
                yield f"          {safe(said)}"
            if one.rules:
                yield f"  rules:  {', '.join(map(quote, one.rules))}"
            for doubt in one.doubts:
                yield f"  {name} is not decided: {safe(doubt)}"
    yield _sum(groups)


def _sum(groups: Sequence[Group]) -> str:
    counts: dict[str, int] = {}
    for group in groups:
        word = group.rows[0].word
        counts[word] = counts.get(word, 0) + len(group.rows)
    return ", ".join(f"{number} {word}" for word, number in counts.items())


def _markdown(groups: Sequence[Group]) -> Iterator[str]:
    """A table for a pull request, and the calls beneath it."""
    yield f"### Rules: {_sum(groups)}"
    yield ""
    yield "| tools | verdict | rules |"
    yield "| --- | --- | --- |"
    for group in groups:
        rules = dict.fromkeys(rule for _, one in _directions(group.rows[0]) for rule in one.rules)
        yield f"| {_cell(group.names)} | {_cell(group.word)} | {_cell(', '.join(map(quote, rules)))} |"
    for group in groups:
        for name, one in _directions(group.rows[0]):
            if one.shown is not None:
                yield ""
                said = f"{_when(one.shown)}{_by(one.shown.old)}, now {_by(one.shown.new)}"
                yield f"{_cell(group.names)}: {name}, {_cell(said)}"
                yield ""
                yield "```json"
                yield line_of(one.shown.call)
                yield "```"
            for doubt in one.doubts:
                yield ""
                yield f"{_cell(group.names)}: {name} is not decided: {_cell(doubt)}"


def _cell(text: str) -> str:
    return safe(text).replace("|", "\\|")


def as_json(comparison: Comparison) -> dict[str, Any]:
    """The rows as they are; the tool of the last is null."""
    return {"looser": comparison.looser, "stricter": comparison.stricter, "tools": list(map(_row, comparison.rows))}


def _row(row: Row) -> dict[str, Any]:
    return {
        "tool": row.tool or None,
        "verdict": row.word,
        **{name: _direction(one) for name, one in _directions(row)},
    }


def _direction(one: Direction) -> dict[str, Any]:
    value: dict[str, Any] = {"ruled_out": one.none, "rules": list(one.rules), "undecided": list(one.doubts)}
    if one.shown is not None:
        value["call"] = line_of(one.shown.call)
        value["times"] = one.shown.times
        value["every"] = one.shown.every
        value["before"] = None if one.shown.before is None else line_of(one.shown.before)
        value["fails"] = one.shown.fails
        value["takes"] = one.shown.takes
        for name, decision in (("old", one.shown.old), ("new", one.shown.new)):
            value[name] = {"effect": decision.effect, "rule": decision.rule}
    return value
