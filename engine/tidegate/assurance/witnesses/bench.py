"""Calls before compiled rules: as a whole, without some rules, and before one rule alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from typing import Any

import attrs

from ...call import Call, Tool
from ...compile.compiler import Outcome, Subject
from ...compile.ends import End
from ...compile.stage import Stage, World
from ...decision import Decision, Verdict
from ...errors import Veto
from ...facts import Facts
from ...facts.counters import MemoryCounters
from ...facts.history import MemoryHistory
from ...facts.texts import Texts
from ...kind import Phase
from ...meaning.addresses import Address
from ...meaning.effects import Effect
from ...plan.plan import LayerPlan, Plan
from ...plan.protection import Protection
from ...plan.rule import Rule
from ...plan.sitting import Sitting
from ...served import served

_PHASES = {
    Phase.REWRITE: "rewrites",
    Phase.GUARD: "guards",
    Phase.LIMIT: "limits",
    Phase.OUTPUT: "shapes",
    Phase.RUN: "timeouts",
}


class Bench:
    """Judges calls by compiled rules, each as the first that there ever was.

    No name of a host is looked up: a call whose decision depends on where names lead has none here.
    """

    def __init__(self, outcome: Outcome, facts: Facts) -> None:
        """Judge by the plan of *outcome*, which must have one, with the clock, disk and variables of *facts*."""
        assert outcome.plan is not None  # noqa: S101 - whoever compares rules has looked at their findings
        self.outcome = outcome
        self._plan = outcome.plan
        self._facts = facts

    def decide(self, call: Call) -> Decision | None:
        """The decision about a call, `None` where it depends on a lookup."""
        return self._judge(self._plan, call)

    def decide_without(self, addresses: Collection[str], call: Call) -> Decision | None:
        """The decision where these rules are not there."""
        return self.decide_with(lambda rule: None if rule.id in addresses else rule, call)

    def decide_with(self, change: Callable[[Rule], Rule | None], call: Call) -> Decision | None:
        """The decision where each rule is what *change* makes of it, or is not there."""
        layers = tuple(_changed(layer, change) for layer in self._plan.layers)
        return self._judge(attrs.evolve(self._plan, layers=layers), call)

    def effects(self, call: Call) -> tuple[Effect, ...]:
        """What the call does, before any rewrite; nothing where it cannot be read."""
        try:
            return self._plan.reader.read(call, self._plan.places(call, self._facts).scene)
        except Veto:
            return ()

    def row(self) -> Callable[[Call, End | None], Decision]:
        """What decides calls one after the other; each allowed one counts, and ends by its end where that is seen."""
        stage, world = Stage(self._plan), World({}, {}, {})
        return lambda call, end: stage.judge(call, world, end).decision

    def alone(self, subject: Subject, call: Call, change: Callable[[Rule], Rule] = lambda rule: rule) -> str | None:
        """What one rule says where there is no other: `deny`, `ask`, `allow` or `pass`; `None` after a lookup."""
        rule = attrs.evolve(change(subject.rule), enforced=True, layer=0)
        default: Verdict = "ask" if subject.phase is Phase.GUARD else "allow"
        own: dict[str, Any] = dict.fromkeys(_PHASES.values(), ()) | {_PHASES[subject.phase]: (rule,)}
        layer = LayerPlan(name="alone", default=default, delegates=lambda _: False, monitors=False, **own)
        reader = self.outcome.readers[subject.rule.layer]
        decision = self._judge(Plan((layer,), (reader,), Protection(), self._plan.folder, ""), call)
        if decision is None:
            return None
        return "pass" if decision.rule is None and decision.effect == default else decision.effect

    def _judge(self, plan: Plan, call: Call) -> Decision | None:
        resolver = _Asked()
        counters, history = MemoryCounters(), MemoryHistory()
        facts = attrs.evolve(
            self._facts,
            counters=lambda _: counters,
            history=lambda _: history,
            texts=Texts(),
            approvals=None,
            resolver=resolver,
        )
        sitting = Sitting(plan, call, facts)
        sitting.take_all()
        decision = sitting.settle()
        return None if resolver.asked else decision


class _Asked:
    """Looks nothing up, and remembers that it should have."""

    def __init__(self) -> None:
        self.asked = False

    def __call__(self, host: str) -> Sequence[Address]:
        """No address, ever."""
        self.asked = True
        raise OSError(f"{host} is not looked up here")


def _changed(layer: LayerPlan, change: Callable[[Rule], Rule | None]) -> LayerPlan:
    lists: dict[str, Any] = {
        name: tuple(new for rule in getattr(layer, name) if (new := change(rule)) is not None)
        for name in _PHASES.values()
    }
    return attrs.evolve(layer, **lists)


def line_of(call: Call) -> str:
    """The call as a line that `tidegate decide` reads."""
    value: dict[str, Any] = {"tool": _named(call.tool), "args": call.arguments}
    for key in ("cwd", "root", "home", "agent", "session", "mode", "at"):
        if getattr(call, key) is not None:
            value[key] = getattr(call, key)
    if not call.interactive:
        value["interactive"] = False
    return json.dumps(value, allow_nan=False)


def _named(tool: Tool) -> str | dict[str, str]:
    """The tool as a line names it: by its server, where that leads to the same one."""
    if tool.server and tool.raw:
        for key in ("name", "resource", "prompt"):
            table = {"server": tool.server, key: tool.raw}
            if served(table) == tool:
                return table
    return tool.name
