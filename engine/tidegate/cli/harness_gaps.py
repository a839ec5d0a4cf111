"""What a harness cannot enforce of a rule set, rule by rule."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from ..adapters.hook_abilities import ABILITIES, Abilities
from ..kind import Guard, Limit, Rewrite, Shape, Timeout
from ..plan.plan import LayerPlan, Plan
from ..plan.rule import Rule

NEVER_ENDS = "a hook does not see how a call ends"


@frozen
class Gap:
    """One thing of a rule that does not come about as it is written, and what comes about instead.

    `rule` is `None` for what is so whatever the rules say. `looser` tells that something passes which the rules
    would have stopped or changed; else the harness is merely stricter, or says it in other words.
    """

    rule: str | None
    what: str
    instead: str
    looser: bool


def gaps(harness: str, plan: Plan) -> list[Gap]:
    """Everything that *harness* cannot enforce of *plan*: what is about single rules first, in file order."""
    can = ABILITIES[harness]
    found = [gap for layer in plan.layers for gap in _of_layer(can, layer)]
    if can.asks:
        found.append(Gap(None, "a rule that cannot tell, which asks", can.asks, looser=False))
    found += [Gap(None, "the answer of the hook", lapse, looser=True) for lapse in can.lapses]
    return found + [Gap(None, "calls and results", unseen, looser=True) for unseen in can.unseen]


def _of_layer(can: Abilities, layer: LayerPlan) -> Iterator[Gap]:
    if can.asks and layer.default == "ask":
        yield Gap(f"the default of layer `{layer.name}`", "asks", can.asks, looser=False)
    for rule in (*layer.rewrites, *layer.guards, *layer.limits, *layer.timeouts, *layer.shapes):
        if rule.enforced:
            yield from _of_rule(can, rule)


def _of_rule(can: Abilities, rule: Rule) -> Iterator[Gap]:
    part = rule.part
    if can.asks and _asks(rule):
        yield Gap(rule.id, "asks", can.asks, looser=False)
    if can.rewrites and isinstance(part, Rewrite):
        yield Gap(rule.id, "rewrites arguments", can.rewrites, looser=False)
    if can.results and isinstance(part, Shape):
        yield Gap(rule.id, "shapes results", can.results, looser=can.results_pass)
    if isinstance(part, Timeout):
        yield Gap(rule.id, "ends calls", f"nothing is ended: {NEVER_ENDS}", looser=True)
    if isinstance(part, Limit):
        yield from _of_limit(can, rule, part)
    if isinstance(part, Guard) and part.observes is not None:
        instead = f"a step that has to succeed never has, and no result is a source: {NEVER_ENDS}"
        yield Gap(rule.id, "looks at how earlier calls ended", instead, looser=False)


def _of_limit(can: Abilities, rule: Rule, part: Limit) -> Iterator[Gap]:
    if can.reminders and part.says == "remind":
        yield Gap(rule.id, "reminds the model", can.reminders, looser=True)
    if rule.kind == "repeat":
        yield Gap(rule.id, "may count failures", f"`failures` counts none: {NEVER_ENDS}", looser=True)
    elif part.settled is not None:
        yield Gap(rule.id, "counts what results come to", f"each call counts as guessed: {NEVER_ENDS}", looser=True)
    elif rule.kind == "concurrency":
        yield Gap(rule.id, "counts running calls", f"a slot is held until its lease ends: {NEVER_ENDS}", looser=False)


def _asks(rule: Rule) -> bool:
    """Whether a rule asks by what is written in it, and not merely where it cannot tell."""
    part = rule.part
    if isinstance(part, Limit):
        return "ask" in (part.says, part.on_error)
    if not isinstance(part, Guard):
        return False
    by_list = (part.denies is not None and rule.effect == "ask") or (
        part.confines is not None and rule.otherwise == "ask"
    )
    return part.terms is not None or by_list or rule.code == "ask"
