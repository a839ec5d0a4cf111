"""A rule before a call as a plan judges it that holds no other rule, in the small world of an example."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import attrs

from ..call import Call, Tool
from ..kernel.json_values import same_json
from ..kind import Output, Phase
from ..plan.plan import LayerPlan, Plan
from ..plan.protection import Protection
from ..plan.reading import Reader
from ..plan.rule import Rule
from .ends import End
from .stage import HOME, ROOT, Stage, Watch, World


class Said(NamedTuple):
    """What the rule says of one call, one of the words of an example, and the arguments as it leaves them."""

    word: str
    arguments: Mapping[str, Any]
    rewritten: bool


class Alone:
    """One rule and nothing else, with counters that last from one call to the next."""

    def __init__(self, rule: Rule, phase: Phase, reader: Reader, watch: Watch | None = None) -> None:
        own = (attrs.evolve(rule, enforced=True, layer=0),)
        layer = LayerPlan(
            name="example",
            # Whatever the rule does not cover must show as uncovered, and never as refused.
            default="ask" if phase is Phase.GUARD else "allow",
            delegates=lambda _: False,
            monitors=False,
            rewrites=own if phase is Phase.REWRITE else (),
            guards=own if phase is Phase.GUARD else (),
            limits=own if phase is Phase.LIMIT else (),
            shapes=own if phase is Phase.OUTPUT else (),
            timeouts=own if phase is Phase.RUN else (),
        )
        self._phase = phase
        self._shapes = layer.shapes
        self._stage = Stage(Plan((layer,), (reader,), Protection(), ROOT, ""), watch)

    def judge(self, call: Call, world: World, end: End | None = None) -> Said:
        """What the rule says of *call*, which is counted like any other and ends by *end*, if anybody sees that."""
        sitting, decision, _ = self._stage.judge(call, world, end)
        word: str = decision.effect
        if self._phase is Phase.GUARD:
            word = "pass" if word != "allow" and decision.rule is None else word
        elif word == "allow":
            word = "remind" if sitting.claims.notices else "pass"
        arguments = sitting.call.arguments
        return Said(word, arguments, not same_json(arguments, call.arguments))

    def said(self, call: Call, text: str) -> None:
        """A person says *text* in the session of *call*, before it."""
        self._stage.said(call, text)

    def shape(self, call: Call | None, output: Output, world: World) -> Output:
        """What the rule makes of the result of *call*, or of that of any call that it is about; errors go on."""
        sitting = self._stage.sitting(call or Call(Tool("any"), {}, cwd=ROOT, root=ROOT, home=HOME), world)
        if call is not None:
            return self._stage.shape(sitting.rules.shapes, sitting.cases, output)
        return self._stage.shape([attrs.evolve(rule, when=None) for rule in self._shapes], sitting.cases, output)
