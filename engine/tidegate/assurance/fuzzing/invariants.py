"""What a team says must never, or always, be so: `[[invariant]]` of a test file, over what calls do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

from attrs import evolve, frozen

from ...compile.conditions import compile_condition
from ...compile.fields import ConditionFields, Globs
from ...decision import Verdict
from ...kind import Case, CommandPattern, Comparison, PathPattern, Problem, Setting, UrlPattern, param, parse_pattern
from ...limiting.rates import Rate, read_rate
from ...meaning.comparing import denies_path, denies_url
from ...meaning.effects import PATH_EFFECTS, Effect, EffectKind, Invocation, PathTarget, UrlTarget
from ...meaning.tri import Tri, any_of
from ...plan.condition import Condition

Does = EffectKind | tuple[EffectKind, ...]


@frozen
class WhenFields:
    """Which calls an invariant is about; where keys speak of what a call does, one effect of it must meet all."""

    tool: Globs | None = param("Globs of tool names.", default=None)
    agent: Globs | None = param("Globs of agent names.", default=None)
    session: Globs | None = param("Globs of session names.", default=None)
    mode: Globs | None = param("Globs of the harness's own permission mode.", default=None)
    args: dict[str, Any] | None = param("Arguments by name or JSON pointer, as in `when` of a rule.", default=None)
    does: Does | None = param(
        "What the effect is: `read`, `write`, `delete`, `list`, `connect`, `exec`, `code` …", default=None
    )
    path: Globs | None = param("Globs, one of which names the path of the effect.", default=None)
    outside: Globs | None = param("Globs, none of which names the path of the effect.", default=None)
    url: Globs | None = param("Patterns, one of which names the URL of the effect.", default=None)
    beyond: Globs | None = param("Patterns, none of which names the URL of the effect.", default=None)
    command: Globs | None = param("Command patterns, one of which names what the effect runs.", default=None)


@frozen
class InvariantFields:
    """Something that must hold of every call, or of every row of calls, whatever an agent thinks of."""

    id: str = param("Names the invariant in reports.")
    when: WhenFields | None = param("Which calls it is about; without it, all.", default=None)
    never: Literal["allow", "ask", "deny"] | None = param("The decision that such a call must not get.", default=None)
    always: Literal["allow", "ask", "deny"] | None = param("The decision that such a call must get.", default=None)
    at_most: str | None = param(
        'How many such calls may be allowed in any window of time, in whatever order: "20/minute".', default=None
    )
    why: str = param("Why it matters; shown where it does not hold.", default="")


class Seen(NamedTuple):
    """An allowed, asked or denied call of a row: what was decided, when, and as which case."""

    verdict: Verdict
    at: float
    case: Case


@frozen
class Invariant:
    """One invariant, compiled."""

    fields: InvariantFields
    about: Condition | None
    effects: Callable[[Effect, Case], bool] | None
    rate: Rate | None

    @property
    def id(self) -> str:
        """Its name."""
        return self.fields.id

    @property
    def wants(self) -> tuple[Verdict, ...]:
        """The decisions that it allows a call that it is about."""
        if self.fields.always is not None:
            return (self.fields.always,)
        words: tuple[Verdict, ...] = ("deny", "ask", "allow")
        return tuple(word for word in words if word != (self.fields.never or "allow"))

    def is_about(self, case: Case) -> bool:
        """Whether the call is certainly one of those that it is about."""
        if self.about is not None and self.about.holds_of(case.call, case.places.scene) is not True:
            return False
        return self.effects is None or any(self.effects(effect, case) for effect in case.effects)

    def broken_by(self, row: Sequence[Seen]) -> str:
        """How the last call of a row breaks it, nothing where it does not."""
        last = row[-1]
        if self.rate is not None:
            return self._too_many(row) if last.verdict == "allow" and self.is_about(last.case) else ""
        if last.verdict in self.wants or not self.is_about(last.case):
            return ""
        return f"the call is {_PAST[last.verdict]}, and {self._said()}"

    def _said(self) -> str:
        return f"must be {_PAST[self.fields.always]}" if self.fields.always else "must not be"

    def _too_many(self, row: Sequence[Seen]) -> str:
        assert self.rate is not None  # noqa: S101 - asked only then
        since = row[-1].at - self.rate.window
        within = [one for one in row if one.at > since and one.verdict == "allow" and self.is_about(one.case)]
        if len(within) <= self.rate.limit:
            return ""
        return f"{len(within)} calls are allowed within {self.rate.window} seconds, and {self.rate.limit} may be"


_PAST = {"allow": "allowed", "ask": "asked about", "deny": "denied"}


def compile_invariant(fields: InvariantFields, setting: Setting) -> Invariant:
    """Compile one invariant; what is wrong with it is noted in *setting*, at keys of its table."""
    said = [key for key in ("never", "always", "at_most") if getattr(fields, key) is not None]
    if len(said) != 1:
        what = f"it says {' and '.join(f'`{key}`' for key in said)}" if said else "it says neither `never` nor `always`"
        why = "an invariant has one thing to hold"
        setting.problem(
            (), "missing-key", what, why, 'write one of `never = "allow"`, `always = "deny"`, `at_most = "20/minute"`'
        )
    rate = None if fields.at_most is None else read_rate(fields.at_most, "at_most", setting)
    when = fields.when
    if when is None:
        return Invariant(fields, None, None, rate)
    about = None
    call = ConditionFields(**{key: getattr(when, key) for key in _OF_CALL})
    if call != ConditionFields():
        about = compile_condition(call, setting, ("when",))
    return Invariant(fields, about, _effects(when, setting), rate)


_OF_CALL = ("tool", "agent", "session", "mode", "args")
_OF_EFFECT = ("does", "path", "outside", "url", "beyond", "command")


def _effects(when: WhenFields, setting: Setting) -> Callable[[Effect, Case], bool] | None:
    """What one effect must be, as a test that answers only where it is certain."""
    if all(getattr(when, key) is None for key in _OF_EFFECT):
        return None
    inner = Setting(setting.rule, setting.default, setting.otherwise, setting.table)
    kinds = None if when.does is None else frozenset(_many(when.does))
    tests: list[Callable[[Effect, Case], bool]] = []
    if kinds is not None:
        tests.append(lambda effect, _: effect.kind in kinds)
    for key, wanted in (("path", True), ("outside", False)):
        if getattr(when, key) is not None:
            tests.append(_paths(inner.patterns(key, _many(getattr(when, key)), PathPattern.compile), wanted))
    for key, wanted in (("url", True), ("beyond", False)):
        if getattr(when, key) is not None:
            tests.append(_urls(inner.patterns(key, _many(getattr(when, key)), UrlPattern.compile), wanted))
    if when.command is not None:
        tests.append(_runs(inner.patterns("command", _many(when.command), lambda it: parse_pattern(it, inner.table))))
    for problem in inner.problems:
        setting.problems.append(_beneath_when(problem, when))
    return lambda effect, case: all(test(effect, case) for test in tests)


def _beneath_when(problem: Problem, when: WhenFields) -> Problem:
    single = isinstance(getattr(when, str(problem.path[0])), str)  # a pattern alone is no item of an array
    return evolve(problem, path=("when", *(problem.path[:1] if single else problem.path)))


def _many(words: Any) -> tuple[Any, ...]:
    return (words,) if isinstance(words, str) else tuple(words)


def _paths(patterns: tuple[PathPattern, ...], wanted: Tri) -> Callable[[Effect, Case], bool]:
    def test(effect: Effect, case: Case) -> bool:
        if not isinstance(effect.target, PathTarget) or not effect.target.names:
            return False
        return effect.kind in PATH_EFFECTS and denies_path(patterns, effect, case.places) is wanted

    return test


def _urls(patterns: tuple[UrlPattern, ...], wanted: Tri) -> Callable[[Effect, Case], bool]:
    def test(effect: Effect, _: Case) -> bool:
        return isinstance(effect.target, UrlTarget) and denies_url(patterns, effect.target) is wanted

    return test


def _runs(patterns: tuple[CommandPattern, ...]) -> Callable[[Effect, Case], bool]:
    def test(effect: Effect, case: Case) -> bool:
        target, compare = effect.target, Comparison(case.places)
        return isinstance(target, Invocation) and any_of(one.match_deny(target, compare) for one in patterns) is True

    return test
