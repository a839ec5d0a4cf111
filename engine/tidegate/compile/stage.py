"""A plan in the small world of an example: nothing is there but what the example says, and time is what it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from ..call import Call
from ..decision import Decision
from ..facts import Facts
from ..facts.counters import MemoryCounters
from ..facts.history import MemoryHistory
from ..facts.texts import Texts
from ..kind import Case, Output, Shape
from ..plan.claims import Claims
from ..plan.noting import PROMPT, SessionPast, begin, hear
from ..plan.noting import end as note_end
from ..plan.plan import Plan
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


class Judged(NamedTuple):
    """A call that a plan has judged: what it said, limits taken, and the sitting in which it said so.

    `late` are the rules whose time the body overran.
    """

    sitting: Sitting
    decision: Decision
    late: tuple[Rule, ...]


class Watch(Protocol):
    """Sees everything that an example or a test puts before rules."""

    def judged(self, judged: Judged) -> None:
        """A call was judged."""

    def shaped(self, rules: Sequence[Rule], cases: Sequence[Case], given: Output) -> None:
        """A result was put before output rules; *cases* are its call as each layer sees it."""


class Stage:
    """One plan, with counters and a past that last from one call to the next.

    With *trace* a sitting keeps an answer of every guard that was asked. *watch* sees every call and result.
    """

    def __init__(self, plan: Plan, watch: Watch | None = None, *, trace: bool = False) -> None:
        self._plan = plan
        self._watch = watch
        self._trace = trace
        self._counters = MemoryCounters()
        self._running: list[tuple[float, Claims, Output]] = []
        self._noted: list[tuple[float, Sitting, Output]] = []
        history, self._texts = MemoryHistory(), Texts()
        self._history = lambda _: history

    def judge(self, call: Call, world: World, end: End | None = None) -> Judged:
        """What the plan says of *call*, which is counted like any other and ends by *end*, if anybody sees that."""
        self._end_by(call.at or 0.0)
        sitting = self.sitting(call, world)
        decision = _counted(sitting, sitting.settle(), attended=end is not None)
        if decision.effect != "deny":
            unnoted = begin(sitting)
            if unnoted is not None:
                decision = decision._replace(effect="deny", reason=unnoted)
        late: tuple[Rule, ...] = ()
        if end is not None:
            at = sitting.now if end.at is None else end.at
            if decision.effect != "deny" and sitting.rules.observers:
                self._noted.append((at, sitting, end.output))
            if sitting.claims.running:
                self._running.append((at, sitting.claims, end.output))
            late = tuple(rule for rule in timed(sitting) if at - sitting.now > seconds(rule))
        enforced = next((rule for rule in late if rule.enforced), None)
        if enforced is not None and decision.effect != "deny":
            decision = decision._replace(effect="deny", rule=enforced.id, reason=enforced.message)
        judged = Judged(sitting, decision, late)
        if self._watch is not None:
            self._watch.judged(judged)
        return judged

    def said(self, call: Call, text: str) -> None:
        """A person says *text* in the session of *call*, before it."""
        facts = Facts(_Standing(), lambda _: self._counters, history=self._history, texts=self._texts)
        SessionPast(facts, call.session, recorded=call.at is not None).hear(PROMPT, text)

    def shape(self, rules: Sequence[Rule], cases: Sequence[Case], output: Output) -> Output:
        """What output rules make of a result, one after the other; errors go on."""
        if self._watch is not None:
            self._watch.shaped(rules, cases, output)
        for rule in rules:
            if applies(rule, cases[rule.layer]) and rule.enforced:
                output = shape_of(rule).apply(output, cases[rule.layer])
        return output

    def sitting(self, call: Call, world: World) -> Sitting:
        """All steps up to settling, for a call in that world."""
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
        sitting = Sitting(self._plan, call, facts, trace=self._trace)
        sitting.take_all()
        return sitting

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


def applies(rule: Rule, case: Case) -> bool:
    """Whether an output rule is about a call; where its `when` is unknown, it is."""
    return rule.when is None or rule.when.applies(case) is not False


def shape_of(rule: Rule) -> Shape:
    """What an output rule does."""
    assert isinstance(rule.part, Shape)  # noqa: S101 - the plan sorts rules by phase
    return rule.part


def _counted(sitting: Sitting, decision: Decision, *, attended: bool) -> Decision:
    """The decision once its call has taken its place in every limit."""
    if decision.effect != "allow":
        return decision
    full = sitting.claims.reserve()
    if full is not None:
        return decision._replace(effect="deny", rule=full.rule, reason=full.message)
    if not sitting.claims.commit(attended=attended):
        return decision._replace(effect="deny", reason="a limit could not be counted")
    return decision


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
