"""What limits, timeouts and shapes of results bound, in numbers that can be compared.

Two rule sets are compared as far as they decide alike: at a call before which the same calls have run. There a bound
covers another one where it counts at least as much of what has run, for at least as long, and lets at most as much
through. What it says of the calls after the first difference is held against neither.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Literal

from attrs import frozen

from ...compile.compiler import Outcome, Subject
from ...compile.structure import structure_rule
from ...decision import STRICTNESS
from ...facts.bucket import FINE
from ...kind import Phase, Setting
from ...kinds import builtin
from ...limiting.rates import DAY, read_rate, read_row, read_span
from ...meaning.names import name_test
from ..clauses.written import SILENT, canonical, without

_Measures = dict[str, Any]
"""The fields of a bound that its kind says, by name."""


@frozen
class Bound:
    """One bound of one rule.

    Attributes:
        address: The rule.
        phase: When it acts.
        about: All that must be the same for two bounds to be compared, as a text.
        tools: The globs of the rule, `None` for every tool.
        apart: Whether it was taken apart; else it is as it is written, and nothing of the following is known.
        shared: What the tools of the rule share: `""` where each counts for itself, `count` where what one uses up is
            gone for all, `row` where the calls of all stand in one row.
        parts: What has a count of its own.
        strict: How strict it is in each respect; more is stricter.
        window: For how many seconds a unit counts, at least and at most.
        found: What is looked for in results.
        most: How many calls it lets through at once, 0 where that has no number.
        pace: Seconds between calls that may show it.
    """

    address: str
    phase: Phase
    about: str
    tools: tuple[str, ...] | None
    apart: bool = True
    shared: Literal["", "count", "row"] = ""
    parts: frozenset[str] = frozenset()
    strict: tuple[Fraction, ...] = ()
    window: tuple[Fraction, Fraction] = (Fraction(0), Fraction(0))
    found: frozenset[str] = frozenset()
    most: int = 0
    pace: tuple[float, ...] = ()

    @property
    def noun(self) -> str:
        """What it is in words."""
        return {Phase.LIMIT: "limit", Phase.RUN: "time limit"}.get(self.phase, "bound on results")

    def covers(self, other: Bound, tool: str) -> bool:
        """Whether this one refuses each call of the tool that the other one refuses, after the same calls.

        Without a *tool* it is about all that the rules do not name.
        """
        return (
            self.about == other.about
            and self.found >= other.found
            and len(self.strict) == len(other.strict)
            and all(own >= its for own, its in zip(self.strict, other.strict, strict=True))
            and (self.window == other.window or self.window[0] >= other.window[1])
            and self.parts <= other.parts
            and _several(self.parts) == _several(other.parts)
            and self._counts_for(other, tool)
        )

    def _counts_for(self, other: Bound, tool: str) -> bool:
        """Whether it is about the tool if the other one is, and counts the calls of all tools that the other counts."""
        if self.shared == "row":
            return self.tools == other.tools
        if self.tools is None or (other.tools is not None and set(other.tools) <= set(self.tools)):
            return True
        return not self.shared and bool(tool) and name_test(self.tools)(tool)


def _several(parts: frozenset[str]) -> frozenset[str]:
    """The parts of which one call can have several; with too many of them it is refused, so that all must be there."""
    return frozenset(part for part in parts if part == "host" or "*" in part)


def bounds_of(subject: Subject, outcome: Outcome) -> list[Bound]:
    """The bounds of a rule; one that nobody takes apart covers only what is written alike."""
    raw = subject.raw
    around = outcome.arounds[subject.rule.layer]
    kind = around.kinds.get(raw.kind) or builtin(raw.kind)
    _, own, _ = structure_rule(raw.fields, kind)
    read = _READ.get(raw.kind)
    setting = Setting(raw.address, around.default, None, around.table)
    measured = None if read is None or own is None else read(own, setting)
    silent = SILENT | {"tools", "mode"}
    tools = raw.fields.get("tools")
    globs = None if tools is None else tuple(tools)
    if measured is None:
        about = canonical([subject.rule.layer, raw.kind, without(raw.fields, silent)])
        shared: Literal["", "row"] = "row" if subject.phase is Phase.LIMIT else ""
        return [Bound(raw.address, subject.phase, about, globs, apart=False, shared=shared)]
    where = [subject.rule.layer, raw.kind, without(raw.fields, silent | frozenset(_MEASURED[raw.kind]))]
    return [Bound(raw.address, subject.phase, canonical([*where, one.pop("about")]), globs, **one) for one in measured]


_MEASURED: Mapping[str, tuple[str, ...]] = {
    "rate-limit": ("limit", "burst", "per", "cost", "store", "on_error"),
    "quota": ("limit", "of", "resets", "zone", "per", "cost", "costs", "reserve", "store", "on_error"),
    "concurrency": ("limit", "per", "lease", "store", "on_error"),
    "repeat": ("same", "failures", "then", "store", "on_error"),
    "timeout": ("seconds",),
    "truncate": ("max_bytes", "max_lines", "max_tokens"),
    "redact": ("secrets", "personal"),
}
"""The fields of a kind that are compared by what they mean; all others by what is written."""


def _rate_limit(own: Any, setting: Setting) -> list[_Measures]:
    limit, window, _ = read_rate(own.limit, "limit", setting)
    most, about, strict = _least(own.cost, own.burst or limit)
    measures = {**_counted(own), "most": most}
    if own.burst is not None:
        return [{**measures, "about": ["bucket", own.store, about], "pace": (0.0, window / limit),
                 "strict": (strict, Fraction(-limit, window), _level(own.on_error))}]  # fmt: skip
    longest = Fraction(window) * (Fraction(FINE + 1, FINE) if limit > FINE else 1)
    return [{**measures, "about": ["window", own.store, about], "pace": (0.0, window / limit, float(window)),
             "strict": (strict, _level(own.on_error)), "window": (Fraction(window), longest)}]  # fmt: skip


_RESETS = {"daily": 0, "monthly": 1, "never": 2}


def _quota(own: Any, _: Setting) -> list[_Measures]:
    most, about, strict = _least(own.cost, own.limit)
    if own.costs is not None:
        most, about, strict = own.limit, [own.cost, own.costs], Fraction(-own.limit)
    answers = (Fraction(_RESETS[own.resets]), Fraction(own.reserve or 0), _level(own.on_error))
    return [{**_counted(own), "about": ["quota", own.store, own.of, own.zone, about], "strict": (strict, *answers),
             "most": most // (own.reserve or 1), "pace": (0.0, float(DAY), 31.0 * DAY)}]  # fmt: skip


def _concurrency(own: Any, setting: Setting) -> list[_Measures]:
    lease = read_span(own.lease, "lease", setting)
    strict = (Fraction(-own.limit), Fraction(lease), _level(own.on_error))
    return [{**_counted(own), "about": ["slots", own.store], "strict": strict, "most": own.limit,
             "pace": (0.0, lease / own.limit, float(lease))}]  # fmt: skip


def _repeat(own: Any, setting: Setting) -> list[_Measures]:
    if own.then == "remind":
        return []
    said = [(name, text) for name, text in (("same", own.same), ("failures", own.failures)) if text is not None]
    return [_repeated(name, text, own, setting) for name, text in said]


def _repeated(name: str, text: str, own: Any, setting: Setting) -> _Measures:
    row = read_row(text, name, setting)
    limit, window, _ = row or read_rate(text, name, setting)
    return {
        "about": ["row" if row else name, own.store],
        "shared": "row" if row else "",
        "strict": (Fraction(-limit), Fraction(window), _level(own.then), _level(own.on_error)),
        "most": limit,
        "pace": (0.0,) if row else (0.0, window / limit, float(window)),
    }


def _timeout(own: Any, _: Setting) -> list[_Measures]:
    return [{"about": "timeout", "strict": (-Fraction(own.seconds),)}]


def _truncate(own: Any, _: Setting) -> list[_Measures] | None:
    if own.spill is not None:
        return None
    bounds = (own.max_bytes, own.max_lines, own.max_tokens)
    return [{"about": "cut", "strict": tuple(Fraction(-(one or _UNBOUNDED)) for one in bounds)}]


_UNBOUNDED = 10**15
"""More than any result has."""


def _redact(own: Any, _: Setting) -> list[_Measures]:
    secrets = [f"secret {one}" for one in own.secrets or ()]
    return [{"about": "redact", "found": frozenset(secrets + [f"personal {one}" for one in own.personal or ()])}]


_READ: Mapping[str, Callable[[Any, Setting], list[_Measures] | None]] = {
    "rate-limit": _rate_limit,
    "quota": _quota,
    "concurrency": _concurrency,
    "repeat": _repeat,
    "timeout": _timeout,
    "truncate": _truncate,
    "redact": _redact,
}


def _least(cost: int | str, limit: int) -> tuple[int, object, Fraction]:
    """How many calls fit, what of their cost must be the same, and how strict the limit is."""
    if isinstance(cost, int):
        return limit // cost, "calls", Fraction(-(limit // cost))
    return limit, cost, Fraction(-limit)


def _counted(own: Any) -> _Measures:
    return {"parts": frozenset(own.per), "shared": "" if "tool" in own.per else "count"}


def _level(word: Literal["allow", "ask", "deny"]) -> Fraction:
    return Fraction(STRICTNESS[word])
