"""What must hold of every call, or row of calls, under a policy; and what is told where it does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from attrs import frozen

from ...compile.examples import Wrong, made_of
from ...compile.stage import Judged, Stage, World
from ...decision import Verdict
from ...kernel.json_values import compact
from ...plan.plan import Plan
from ...plan.sitting import UNREADABLE
from ...shown import quote
from ..running import decided_by, trace_of
from .calls import Maker
from .invariants import Invariant, Seen
from .respelled import Chance, respelled, varied
from .vocabulary import Table

_NOTHING = World({}, {}, {})
_OWN = "tidegate/"


class Violation(NamedTuple):
    """A property that does not hold: of which calls, what the last of them should get, and what all of them get.

    `about` is the rule that denied, or the invariant. `by` names the rules that
    let it happen, and `how` the call was spelled. `trace` is there once the violation was explained.
    """

    property: str
    about: str
    told: str
    calls: tuple[Table, ...]
    wanted: Verdict
    said: tuple[Verdict, ...]
    by: str
    how: str = ""
    trace: tuple[str, ...] = ()


@frozen
class Ground:
    """A plan before which calls are tried, each in a world where nothing happened yet."""

    plan: Plan
    maker: Maker

    def judge(self, table: Table, stage: Stage | None = None, at: float | None = None) -> Judged | None:
        """What the plan says of a call; `None` where the table is none."""
        return judged_by(stage or Stage(self.plan), table, at)

    def name_of(self, judged: Judged) -> str:
        """The tool of a call as bindings know it."""
        return judged.sitting.original.tool.name


def judged_by(stage: Stage, table: Table, at: float | None) -> Judged | None:
    """What a stage says of a call *at* that time, unless it says its own; `None` where the table is no call."""
    made = made_of(table, at, ())
    return None if isinstance(made, Wrong) else stage.judge(made.call, _NOTHING, made.end)


def lawful(ground: Ground, table: Table) -> Violation | None:
    """Every call is read, and the same call gets the same decision."""
    first, again = ground.judge(table), ground.judge(table)
    if first is None or again is None:
        return None
    decision = first.decision
    if decision.reason == UNREADABLE:
        told = "reading the call fails inside tidegate: please report it"
    elif (decision.effect, decision.rule) != (again.decision.effect, again.decision.rule):
        told = f"the same call is {decision.effect} first and {again.decision.effect} then"
    else:
        return None
    return Violation("law", told, told, (table,), "deny", (decision.effect,), decided_by(decision))


def evasive(ground: Ground, table: Table, chance: Chance) -> Violation | None:
    """A call that is denied is not allowed when it is spelled otherwise."""
    first = ground.judge(table)
    if first is None or first.decision.effect != "deny" or decided_by(first.decision).startswith(_OWN):
        return None
    bound = ground.maker.sort_of(ground.name_of(first), table["args"])
    other = respelled(table["args"], bound, chance)
    if other is None:
        return None
    how, arguments = other
    spelled = {**table, "args": arguments}
    second = ground.judge(spelled)
    if second is None or second.decision.effect != "allow":
        return None
    rule = decided_by(first.decision)
    told = f"a call that {quote(rule)} denies is allowed when it is spelled otherwise: {_arguments(table)}"
    return Violation("evasion", rule, told, (spelled,), "deny", ("allow",), _granting(second), how)


def unfriendly(ground: Ground, table: Table, chance: Chance) -> Violation | None:
    """A call that is allowed is allowed as well when it is written a little differently."""
    first = ground.judge(table)
    if first is None or first.decision.effect != "allow":
        return None
    other = varied(table["args"], ground.maker.sort_of(ground.name_of(first), table["args"]), chance)
    if other is None:
        return None
    how, arguments = other
    spelled = {**table, "args": arguments}
    second = ground.judge(spelled)
    if second is None or second.decision.effect == "allow":
        return None
    by = decided_by(second.decision)
    told = f"a call that is allowed is not when it is written with {how}: {_arguments(table)}"
    return Violation("friction", by, told, (spelled,), "allow", (second.decision.effect,), by, how)


def breaking(ground: Ground, invariants: Sequence[Invariant], tables: Sequence[Table]) -> Violation | None:
    """No row of calls breaks an invariant."""
    stage = Stage(ground.plan)
    row: list[Seen] = []
    told: list[Table] = []
    now = 0.0
    for table in tables:
        judged = ground.judge(table, stage, now)
        if judged is None:
            continue
        now = judged.sitting.now
        told.append(table)
        row.append(Seen(judged.decision.effect, now, judged.sitting.case))
        for invariant in invariants:
            how = invariant.broken_by(row)
            if how:
                why = f": {invariant.fields.why}" if invariant.fields.why else ""
                said = tuple(one.verdict for one in row)
                sentence = f"the invariant {quote(invariant.id)} does not hold{why}; {how}"
                by = _granting(judged) if said[-1] == "allow" else decided_by(judged.decision)
                return Violation("invariant", invariant.id, sentence, tuple(told), invariant.wants[0], said, by)
    return None


def explained(plan: Plan, violation: Violation) -> Violation:
    """The violation with what every rule says of its last call."""
    stage, judged = Stage(plan, trace=True), None
    for table in violation.calls:
        judged = judged_by(stage, table, None)
    return violation if judged is None else violation._replace(trace=tuple(trace_of(judged)))


def _granting(judged: Judged) -> str:
    """The rules by whose grants a call is allowed, the default where there are none."""
    granting = [one.rule for one in judged.decision.trace if one.says == "grant"]
    return ", ".join(dict.fromkeys(granting)) or decided_by(judged.decision)


def _arguments(table: Mapping[str, Any]) -> str:
    return quote(compact(table["args"]), limit=300)
