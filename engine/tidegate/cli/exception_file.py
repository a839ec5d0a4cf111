"""A rule file of exceptions that end: overrides of the rules that refused, each with how often it was seen."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from attrs import define, field, frozen

from ..lang import Loaded, RawRule
from ..lang.inline import inline
from ..limiting.rates import counted
from ..meaning.names import is_glob
from ..plan.rule import Rule
from .drafts import commented

LONGEST_REASON = 200


@define
class Seen:
    """One exception: what is written of it, how many calls it lets pass, and when the last of them was."""

    table: Mapping[str, Any]
    count: int = 0
    last: float | None = None

    def note(self, at: float | None) -> None:
        """Count one more call."""
        self.count += 1
        if at is not None:
            self.last = at if self.last is None else max(at, self.last)


@define
class Excepted:
    """The exceptions of one rule, with what it said to the model."""

    rule: RawRule
    said: str
    exceptions: dict[str, Seen] = field(factory=dict)

    def add(self, table: Mapping[str, Any], at: float | None) -> None:
        """Note an exception that a call needs."""
        self.exceptions.setdefault(inline(table), Seen(table)).note(at)


@frozen
class Reach:
    """Which rules an override in a file at *folder* reaches, which the project's rule file includes."""

    loaded: Loaded
    folder: Path

    def raw(self, rule: Rule) -> RawRule:
        """The rule as its file says it."""
        return next(one for one in self.loaded.rule_sets[rule.layer].rules if one.address == rule.id)

    def why_not(self, rule: Rule) -> str:
        """Why no override may except something from the rule; nothing where one may."""
        raw, own = self.raw(rule), self._project()
        if raw.layer == "managed" and not raw.overridable:
            return f"`{rule.id}` is a rule of the managed layer that is not marked `overridable`"
        if raw.layer == "user":
            return f"`{rule.id}` stands in the layer of the person, beneath the project's"
        if raw.layer == "project" and raw.source.path == own:
            return f"no override reaches `{rule.id}`, which stands in {raw.source.shown} itself; write `except` there"
        if raw.layer == "project" and not raw.source.pack and is_glob(raw.source.path):
            return f"`{rule.id}` stands in a file that no `include` can name"
        return ""

    def includes(self, rules: Iterable[RawRule]) -> list[str]:
        """What the file has to include, so that it reaches the rules."""
        return list(dict.fromkeys(self._include(rule) for rule in rules if rule.layer == "project"))

    def name(self, rule: RawRule) -> str:
        """How an override names the rule."""
        return rule.address if rule.layer == "project" else f"{rule.layer}:{rule.address}"

    def _include(self, rule: RawRule) -> str:
        if rule.source.pack:
            return f"pack:{rule.source.pack}"
        path = Path(os.path.relpath(rule.source.path, self.folder)).as_posix()
        return path if path.startswith(".") else f"./{path}"

    def _project(self) -> str | None:
        return next((one.sources[-1].path for one in self.loaded.rule_sets if one.layer == "project"), None)


def rendered(excepted: Iterable[Excepted], reach: Reach, today: dt.date, ends: dt.date) -> str:
    """The file as TOML; the exceptions end with the day *ends*."""
    rules = list(excepted)
    included = reach.includes(one.rule for one in rules)
    lines = [
        *commented(f"Exceptions from recorded decisions, written on {today}; they end with {ends}."),
        *commented("What was refused was refused for a reason: look at each, and take away what should stay refused."),
        *commented("They count once the rule file of the project includes this file."),
        "",
        "version = 1",
    ]
    if included:
        lines.append(f"include = {inline(included)}")
    for one in rules:
        lines += ["", *_override(one, reach, ends)]
    return "\n".join(lines) + "\n"


def _override(one: Excepted, reach: Reach, ends: dt.date) -> Iterable[str]:
    if one.said:
        yield from commented(f"It said: {one.said[:LONGEST_REASON]}")
    yield "[[override]]"
    yield f"rule = {inline(reach.name(one.rule))}"
    yield "except = ["
    for seen in one.exceptions.values():
        yield f"  # {_sum(seen)}"
        yield f"  {inline({**seen.table, 'expires': ends})},"
    yield "]"


def _sum(seen: Seen) -> str:
    last = "" if seen.last is None else f", the last on {dt.datetime.fromtimestamp(seen.last, dt.UTC).date()}"
    return f"{counted(seen.count, 'call')}{last}"
