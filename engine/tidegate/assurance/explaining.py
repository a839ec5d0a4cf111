"""How the decision about one call comes about, as values."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from ..call import Call
from ..decision import Answer, Decision, Verdict
from ..engine import Engine
from ..kind import Case, Guard
from ..meaning.effects import Effect
from ..plan.judge import needs_grant
from ..plan.phrases import describe
from ..plan.plan import LayerRules
from ..plan.rule import Rule
from ..plan.sitting import Sitting


@frozen
class Consulted:
    """One rule that was consulted, in which phase, and what it said; `why` in words, `covers` by number of effect."""

    rule: str
    kind: str
    phase: str
    says: str
    why: str
    effect: int | None = None
    covers: tuple[int, ...] = ()
    monitored: bool = False


@frozen
class LayerView:
    """What one layer says: its rules, the effects that none of its grants covers, and its default.

    A layer that `monitors` says what its `default` would be, and refuses nothing.
    """

    name: str
    default: Verdict
    delegates: bool
    monitors: bool
    rules: tuple[Consulted, ...]
    uncovered: tuple[int, ...]


@frozen
class Explanation:
    """The decision about a call, and everything that led to it.

    `before` is what was said before any rule. `elsewhere` counts the rules that are not about this tool. `offers`
    says by rule what would be allowed.
    """

    call: Call
    decision: Decision
    effects: tuple[Effect, ...]
    before: tuple[Consulted, ...]
    rewrites: tuple[Consulted, ...]
    layers: tuple[LayerView, ...]
    limits: tuple[Consulted, ...]
    offers: tuple[tuple[str, str], ...]
    elsewhere: int


def explain(engine: Engine, call: Call) -> Explanation:
    """Judge *call*, taking nothing from any limit, and keep what every rule says of it."""
    sitting = Sitting(engine.plan, call, engine.facts, trace=True)
    sitting.take_all()
    return explained(sitting, sitting.settle())


def explained(sitting: Sitting, decision: Decision) -> Explanation:
    """How *decision* came about in a sitting that kept a trace."""
    said = {one.rule: one for one in decision.trace}
    rules = sitting.rules
    names = [layer.name for layer in sitting.plan.layers]
    layers = [
        _layer(name, layer, answers, case, decision.effects)
        for name, layer, answers, case in zip(names, rules.layers, sitting.answers, sitting.cases, strict=True)
    ]
    everything = sum(
        len(group)
        for layer in sitting.plan.layers
        for group in (layer.rewrites, layer.guards, layer.limits, layer.shapes)
    )
    here = len(rules.rewrites) + len(rules.limits) + len(rules.shapes) + sum(len(one.guards) for one in rules.layers)
    return Explanation(
        call=sitting.call,
        decision=decision,
        effects=decision.effects,
        before=tuple(_ours(one, decision.effects) for one in decision.trace if one.rule.startswith(OURS)),
        rewrites=tuple(_rewrite(rule, said.get(rule.id)) for rule in rules.rewrites),
        layers=tuple(layers),
        limits=tuple(_limit(rule, said.get(rule.id), sitting.cases[rule.layer]) for rule in rules.limits),
        offers=() if decision.allowed else _offers(sitting),
        elsewhere=everything - here,
    )


OURS = "tidegate/"
"""How the names begin that no rule of a file has."""


def _ours(said: Answer, effects: tuple[Effect, ...]) -> Consulted:
    index = effects.index(said.effect) if said.effect in effects else None
    return Consulted(said.rule, said.kind or "-", "before", said.says, said.note or said.message, index)


def _rewrite(rule: Rule, said: Answer | None) -> Consulted:
    if said is None:
        return Consulted(rule.id, rule.kind, "rewrite", "pass", "it changes nothing about this call")
    why = said.note or "it changed the arguments"
    return Consulted(rule.id, rule.kind, "rewrite", said.says, why, monitored=said.monitored)


def _limit(rule: Rule, said: Answer | None, case: Case) -> Consulted:
    if said is None:
        applies = rule.when is None or rule.when.applies(case) is not False
        return Consulted(rule.id, rule.kind, "limit", "pass", "there is room" if applies else NOT_WHEN)
    return Consulted(rule.id, rule.kind, "limit", said.says, said.note, monitored=said.monitored)


NOT_WHEN = "its `when` does not hold"


def _layer(
    name: str, layer: LayerRules, answers: Sequence[Answer], case: Case, effects: tuple[Effect, ...]
) -> LayerView:
    """What the rules of one layer said; *effects* are those that are shown, of which it may see fewer or others."""
    views: list[Consulted] = []
    for rule, grants in layer.guards:
        said = [one for one in answers if one.rule == rule.id]
        views += [
            _silent(rule, case, grants=grants) if _is_silence(one) else _spoken(rule, one, case, effects)
            for one in said
        ]
    covered = 0
    for one in answers:
        covered |= one.covers
    uncovered = sum(
        1 << index
        for index, effect in enumerate(case.effects)
        if needs_grant(effect) and not (covered >> index & 1 or (index == 0 and covered))
    )
    left = _numbers(uncovered, case, effects)
    return LayerView(name, layer.default, layer.delegates, layer.monitors, tuple(views), left)


def _numbers(some: int, case: Case, effects: tuple[Effect, ...]) -> tuple[int, ...]:
    """The places, among those that are shown, of *some* effects of a case, which are bits."""
    found = (effect for index, effect in enumerate(case.effects) if some >> index & 1)
    return tuple(effects.index(effect) for effect in found if effect in effects)


def _spoken(rule: Rule, said: Answer, case: Case, effects: tuple[Effect, ...]) -> Consulted:
    index = effects.index(said.effect) if said.effect in effects else None
    covers = _numbers(said.covers, case, effects)
    where = f"its list `{said.field}`" if said.field in ("allow", "deny", "only") else f"its field `{said.field}`"
    if said.says == "grant":
        why = f"{where} names {'these effects' if len(covers) > 1 else 'this effect'}"
    elif said.field == "only":
        why = "it lies outside of what the rule confines to"
    else:
        why = f"{where} names it"
    described = describe(said.effect) if said.effect is not None else ""
    if said.note and said.note != described:
        why = said.note
    return Consulted(rule.id, rule.kind, "guard", said.says, why, index, covers, said.monitored)


def _is_silence(said: Answer) -> bool:
    """Whether the answer stands only for a rule that was asked; a grant that failed says so in its note."""
    return said.says == "pass" and not said.note


def _silent(rule: Rule, case: Case, *, grants: bool) -> Consulted:
    """Why a rule says nothing."""
    guard = rule.part
    assert isinstance(guard, Guard)  # noqa: S101 - the plan sorts rules by phase
    applies = True if rule.when is None else rule.when.applies(case)
    if applies is False:
        why = NOT_WHEN
    elif guard.grants is not None and guard.denies is None and guard.confines is None and not grants:
        why = "its `tools` name this tool only by a look-alike, which grants nothing"
    elif guard.grants is not None and rule.expired(case.now):
        why = "it has expired"
    elif guard.grants is not None and applies is not True:
        why = f"whether its `when` holds is not known ({applies.reason}), so it grants nothing"
    elif guard.grants is not None:
        why = "it covers nothing that the call does"
    else:
        why = "its lists name nothing that the call does"
    return Consulted(rule.id, rule.kind, "guard", "pass", why)


def _offers(sitting: Sitting) -> tuple[tuple[str, str], ...]:
    """What the rules about this tool would allow."""
    found: dict[str, str] = {}
    for layer in sitting.rules.layers:
        for rule, grants in layer.guards:
            part = rule.part
            if isinstance(part, Guard) and part.offer and (grants or part.confines is not None):
                found[rule.id] = part.offer
    return tuple(found.items())
