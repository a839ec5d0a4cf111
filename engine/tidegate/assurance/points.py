"""What can be covered of a rule: the rule itself, its conditions and exceptions, and every pattern that it lists."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import inf
from typing import Any

import attrs
from attrs import evolve, frozen

from ..compile.compiler import Outcome, Subject
from ..compile.fields import GuardFields
from ..compile.problems import key_of
from ..compile.rules import Around, compile_rule
from ..kernel.json_values import same_json
from ..kind import Case, Guard, Output, Part, Phase, Rewrite, Shape
from ..lang.inline import inline
from ..lang.scan import KeyPath
from ..meaning.effects import Effect
from ..meaning.names import name_test
from ..plan.condition import Condition
from ..plan.judge import answer
from ..plan.rule import Rule

_REFUSING = ("deny", "deny_ranges", "deny_statements", "deny_tables")
_NAMING = ("allow", "only")
_DOING = "effects"
_CHANGING = ("set", "default", "remove", "clamp", "replace_prefix", "options")
_HIDING = ("secrets", "personal", "patterns")

COMMON: frozenset[str] = frozenset(map(key_of, (field.name for field in attrs.fields(GuardFields))))
"""The fields of every rule, which say nothing of a kind's own patterns."""

Found = tuple[bool, bool]
"""Whether a point was reached, and whether it matched."""

OfCall = Callable[[Case], Found]
OfResult = Callable[[Case, Output], Found]


@frozen
class Point:
    """One thing of a rule that a call can reach and match.

    `path` leads from the rule to it and is empty for the rule itself; `text` is what stands there. `of_call` tells
    what a call does with it that the rule applies to, `of_result` what a result does; for the rule itself both are
    `None`, since what it says is in the decision.
    """

    path: KeyPath
    text: str
    of_call: OfCall | None = None
    of_result: OfResult | None = None


def points_of(subject: Subject, outcome: Outcome) -> list[Point]:
    """The points of a rule, the rule itself first, then in the order in which its fields are written.

    A pattern matches a call where the rule would speak of it had it no other pattern: each is compiled and asked
    alone, so that a list whose first pattern answers does not hide the others.
    """
    around = outcome.arounds[subject.rule.layer]
    points = [Point((), subject.raw.address)]
    for key, value in subject.raw.fields.items():
        if key == "when" and subject.rule.when is not None:
            points.append(Point(("when",), inline(value, inf), of_call=_condition(subject.rule.when)))
        elif key == "except" and isinstance(value, list):
            points += _exceptions(subject.rule, value)
        elif key == "tools" and isinstance(value, list):
            points += [Point((key, index), str(glob), of_call=_tool(str(glob))) for index, glob in enumerate(value)]
        elif key not in COMMON:
            points += _patterns(subject, around, key, value)
    return points


def _condition(when: Condition) -> OfCall:
    def holds(case: Case) -> Found:
        return True, when.applies(case) is True

    return holds


def _tool(glob: str) -> OfCall:
    named = name_test((glob,))
    return lambda case: (True, named(case.call.tool.name))


def _exceptions(rule: Rule, written: Sequence[Any]) -> Iterator[Point]:
    """Exceptions match where they take something from what the rule refuses without any."""
    bare = evolve(rule, excepts=())

    def of(exception: Condition) -> OfCall:
        def excepts(case: Case) -> Found:
            refused = [effect for effect in case.effects if answer(bare, _only(case, effect), grants=False)]
            return bool(refused), any(exception.excepts(effect, case) is True for effect in refused)

        return excepts

    for index, exception in enumerate(rule.excepts):
        yield Point(("except", index), inline(written[index], inf), of_call=of(exception))


def _only(case: Case, effect: Effect) -> Case:
    return Case(case.call, (effect,), case.places, case.now, case.past)


def _patterns(subject: Subject, around: Around, key: str, value: Any) -> Iterator[Point]:
    """A point for each item of an array or table of patterns."""
    items: Iterable[tuple[str | int, Any]]
    if isinstance(value, list):
        items = list(enumerate(value))
    elif isinstance(value, Mapping):
        items = list(value.items())
    else:
        return
    for step, item in items:
        text = item if isinstance(item, str) and isinstance(step, int) else inline(item, inf)
        found = _asked_alone(subject, around, key, step, item)
        if found is not None:
            of_call, of_result = found
            yield Point((key, step), text, of_call, of_result)


def _asked_alone(
    subject: Subject, around: Around, key: str, step: str | int, item: Any
) -> tuple[OfCall | None, OfResult | None] | None:
    """What asks one item of a field, or `None` where it is no pattern."""
    alone: Any = [item] if isinstance(step, int) else {step: item}
    phase = subject.phase
    if phase is Phase.GUARD and key == _DOING:
        part = _part(subject, around, {key: subject.raw.fields[key]})
        return (_doing(part, item), None) if isinstance(part, Guard) and part.grants is not None else None
    if phase is Phase.GUARD and key in _NAMING:
        # What a confinement names is what a grant of the same patterns would name; some kinds can only refuse it.
        for field in ("allow", "deny"):
            part = _part(subject, around, {field: alone})
            if isinstance(part, Guard):
                return (_granted(subject.rule, part) if key == "allow" else _named(part)), None
        return None
    if phase is Phase.GUARD and key in _REFUSING:
        part = _part(subject, around, {key: alone})
        return (_named(part), None) if isinstance(part, Guard) else None
    if phase is Phase.REWRITE and key in _CHANGING:
        part = _part(subject, around, {key: alone})
        return (_changed(part), None) if isinstance(part, Rewrite) else None
    if phase is Phase.OUTPUT and key in _HIDING:
        part = _part(subject, around, {key: alone})
        return (None, _hidden(part)) if isinstance(part, Shape) else None
    return None


def _part(subject: Subject, around: Around, fields: Mapping[str, Any]) -> Part | None:
    """What the kind makes of the rule with nothing of its patterns but *fields*; `None` where that is no rule."""
    lists = {*_REFUSING, *_NAMING, _DOING, *_CHANGING, *_HIDING}
    kept = {key: value for key, value in subject.raw.fields.items() if key not in COMMON and key not in lists}
    raw = evolve(subject.raw, fields={**kept, **fields}, replaced={}, added=())
    compiled = compile_rule(raw, evolve(around, default="deny"))
    return compiled.rule.part if compiled.rule is not None else None


def _named(guard: Guard) -> OfCall:
    """Matched where a list of one pattern names an effect, as a deny or as a grant."""
    matches, kinds = (guard.denies, guard.about) if guard.denies is not None else (guard.grants, guard.covers)

    def named(case: Case) -> Found:
        about = [effect for effect in case.effects if effect.kind in kinds and effect.kind not in ("unknown", "code")]
        return bool(about), matches is not None and any(matches(effect, case) is True for effect in about)

    return named


def _granted(rule: Rule, guard: Guard) -> OfCall:
    """Matched where a grant of one pattern covers an effect, as the plan asks grants."""

    def grants(case: Case) -> Found:
        about = [effect for effect in case.effects if effect.kind in guard.covers]
        named = rule.grants_tool is None or rule.grants_tool(case.call.tool.name)
        return bool(about), named and any(one.says == "grant" for one in answer(_bare(rule, guard), case))

    return grants


def _bare(rule: Rule, guard: Guard) -> Rule:
    """The rule with one pattern, and nothing that could keep it from speaking."""
    return evolve(rule, part=guard, when=None, expires=None)


def _doing(guard: Guard, doing: object) -> OfCall:
    """Matched where the whole list grants an effect of that kind."""
    grants = guard.grants

    def does(case: Case) -> Found:
        about = [effect for effect in case.effects if effect.kind in guard.covers]
        named = (effect for effect in about if effect.kind == doing)
        return bool(about), grants is not None and any(grants(effect, case) is True for effect in named)

    return does


def _changed(rewrite: Rewrite) -> OfCall:
    return lambda case: (True, not same_json(rewrite.apply(case), case.call.arguments))


def _hidden(shape: Shape) -> OfResult:
    return lambda case, given: (True, differs(given, shape.apply(given, case)))


def differs(given: Output, shaped: Output) -> bool:
    """Whether an output rule has changed a result."""
    return shaped is not given and (shaped.blocks, shaped.structured) != (given.blocks, given.structured)
