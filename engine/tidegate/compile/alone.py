"""A rule before a call as a plan judges it that holds no other rule, in the small world of an example."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import attrs

from ..call import Call, Tool
from ..facts import Facts
from ..facts.counters import MemoryCounters
from ..facts.history import MemoryHistory
from ..facts.texts import Texts
from ..kernel.json_values import same_json
from ..kind import Output, Phase, Shape
from ..plan.claims import Claims
from ..plan.noting import PROMPT, SessionPast, begin, hear
from ..plan.noting import end as note_end
from ..plan.plan import LayerPlan, Plan
from ..plan.protection import Protection
from ..plan.reading import Reader
from ..plan.rule import Rule
from ..plan.sitting import Sitting
from ..plan.timing import seconds, timed
from .ends import End
from .fields import ExampleFields
from .lookups import Book

ROOT, HOME = "/srv/project", "/home/dev"
"""The places of an example that does not say its own; nothing there is a symlink unless `links` says so, and no
name leads anywhere unless `resolves` does."""


class World(NamedTuple):
    """What there is in the small world of one example."""

    links: Mapping[str, str]
    resolves: Mapping[str, Sequence[str]]
    variables: Mapping[str, str]

    @classmethod
    def of(cls, example: ExampleFields) -> World:
        """What the example says that there is."""
        return cls(example.links or {}, example.resolves or {}, example.env or {})


class Said(NamedTuple):
    """What the rule says of one call (`deny`, `ask`, `allow` or `pass`), and the arguments as it leaves them."""

    word: str
    arguments: Mapping[str, Any]
    rewritten: bool


class Alone:
    """One rule and nothing else, with counters that last from one call to the next."""

    def __init__(self, rule: Rule, phase: Phase, reader: Reader) -> None:
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
        self._plan = Plan((layer,), (reader,), Protection(), ROOT, "")
        self._counters = MemoryCounters()
        self._running: list[tuple[float, Claims, Output]] = []
        self._noted: list[tuple[float, Sitting, Output]] = []
        history, self._texts = MemoryHistory(), Texts()
        self._history = lambda _: history

    def judge(self, call: Call, world: World, end: End | None = None) -> Said:
        """What the rule says of *call*, which is counted like any other and ends by *end*, if anybody sees that."""
        self._end_by(call.at or 0.0)
        sitting = self._sitting(call, world)
        decision = sitting.settle()
        word: str = decision.effect
        if word == "allow" and (
            sitting.claims.reserve() is not None or not sitting.claims.commit(attended=end is not None)
        ):
            word = "deny"
        begun = word != "deny" and begin(sitting) is None
        if end is not None and begun and sitting.rules.observers:
            self._noted.append((sitting.now if end.at is None else end.at, sitting, end.output))
        if end is not None and sitting.claims.running:
            self._running.append((sitting.now if end.at is None else end.at, sitting.claims, end.output))
        if (
            end is not None
            and end.at is not None
            and any(end.at - sitting.now > seconds(one) for one in timed(sitting))
        ):
            word = "deny"
        if self._phase is Phase.GUARD:
            word = "pass" if word != "allow" and decision.rule is None else word
        elif word == "allow":
            word = "pass"
        arguments = sitting.call.arguments
        return Said(word, arguments, not same_json(arguments, call.arguments))

    def _end_by(self, now: float) -> None:
        """End the calls whose time has come, one after the other."""
        ended = sorted((one for one in self._running if one[0] <= now), key=lambda one: one[0])
        self._running = [one for one in self._running if one[0] > now]
        for at, claims, output in ended:
            claims.settle(output, at)
        noted = sorted((one for one in self._noted if one[0] <= now), key=lambda one: one[0])
        self._noted = [one for one in self._noted if one[0] > now]
        for _, sitting, output in noted:
            note_end(sitting, output)
            hear(sitting, output)

    def said(self, call: Call, text: str) -> None:
        """A person says *text* in the session of *call*, before it."""
        facts = Facts(_Standing(), lambda _: self._counters, history=self._history, texts=self._texts)
        SessionPast(facts, call.session, recorded=call.at is not None).hear(PROMPT, text)

    def shape(self, call: Call | None, output: Output, world: World) -> Output:
        """What the rule makes of the result of *call*, or of that of any call that it is about; errors go on."""
        sitting = self._sitting(call or Call(Tool("any"), {}, cwd=ROOT, root=ROOT, home=HOME), world)
        for rule in sitting.rules.shapes if call is not None else self._plan.layers[0].shapes:
            assert isinstance(rule.part, Shape)  # noqa: S101 - the plan sorts rules by phase
            if call is None or rule.when is None or rule.when.applies(sitting.case) is not False:
                output = rule.part.apply(output, sitting.case)
        return output

    def _sitting(self, call: Call, world: World) -> Sitting:
        facts = Facts(
            clock=_Standing(),
            counters=lambda _: self._counters,
            files=_Links({_absolute(path, call): target for path, target in world.links.items()}),
            environment=world.variables,
            home=HOME,
            resolver=Book(world.resolves),
            history=self._history,
            texts=self._texts,
        )
        sitting = Sitting(self._plan, call, facts)
        sitting.take_all()
        return sitting


class _Standing:
    """A clock that shows the time at which examples begin."""

    def now(self) -> float:
        return 0.0

    def steady(self) -> float:
        return 0.0


class _Links(NamedTuple):
    """A file system that holds the symlinks of one example and nothing else."""

    links: Mapping[str, str]

    def readlink(self, path: str) -> str | None:
        return self.links.get(path)

    def kind(self, path: str) -> Any:
        return "link" if path in self.links else "absent"

    def names(self, path: str) -> list[str] | None:
        beneath = path.rstrip("/") + "/"
        return [
            link[len(beneath) :] for link in self.links if link.startswith(beneath) and "/" not in link[len(beneath) :]
        ]


def _absolute(path: str, call: Call) -> str:
    return path if path.startswith("/") else f"{call.cwd}/{path}"
