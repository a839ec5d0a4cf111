"""Approvals as a machine of calls, answers and time: nothing passes that nobody has allowed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any, Literal, NamedTuple

from attrs import define, evolve, field
from hypothesis import strategies as st

from ...call import Call
from ...compile.compiler import Outcome
from ...compile.examples import Wrong, made_of
from ...engine import Engine, Sources
from ...errors import Veto
from ...facts import Facts
from ...facts.approvals import MemoryApprovals
from ...facts.counters import MemoryCounters
from ...kernel.json_values import compact
from ...kind import Guard
from ...plan.approval import Approved
from ...plan.plan import Plan
from ...plan.remembered import RULE
from .calls import Maker
from .properties import Violation
from .vocabulary import Table

PROPERTY = "approval"

Scope = Literal["once", "session", "until"]

_WAITS = (0.0, 1.0, 59.0, 600.0, 3_600.0, 8 * 3_600.0, 86_400.0)
_SESSIONS = ("s1", "s2")


class Step(NamedTuple):
    """A pause, then one of the row's calls in a session; where it is asked about, a person may answer."""

    after: float
    which: int
    session: int
    answer: Scope | None


class _Given(NamedTuple):
    """What a person allowed, as the model of it remembers."""

    scope: Scope
    call: str
    session: str
    ends: float


@define
class _Clock:
    time: float = 0.0

    def now(self) -> float:
        return self.time

    def steady(self) -> float:
        return self.time


@define
class _Model:
    """What people have allowed so far, and nothing else of what an engine knows."""

    given: list[_Given] = field(factory=list)

    def covers(self, call: str, session: str, now: float) -> bool:
        """Whether somebody has allowed this call; an answer for one call is used up by it."""
        for one in self.given:
            if one.call == call and now < one.ends and (one.scope == "until" or one.session == session):
                if one.scope == "once":
                    self.given.remove(one)
                return True
        return False


def has_terms(plan: Plan) -> bool:
    """Whether a rule of the plan says who may approve."""
    parts = (rule.part for layer in plan.layers for rule in layer.guards)
    return any(isinstance(part, Guard) and part.terms is not None for part in parts)


def machines(maker: Maker) -> st.SearchStrategy[tuple[Sequence[Table], Sequence[Step]]]:
    """A few calls, and what happens with them."""
    steps = st.builds(
        Step,
        after=st.sampled_from(_WAITS),
        which=st.integers(0, 2),
        session=st.integers(0, len(_SESSIONS) - 1),
        answer=st.sampled_from((None, "once", "session", "until")),
    )
    return st.tuples(st.lists(maker.calls(), min_size=1, max_size=3), st.lists(steps, min_size=2, max_size=12))


def unapproved(outcome: Outcome, drawn: tuple[Sequence[Table], Sequence[Step]]) -> Violation | None:
    """A call that rules with terms ask about passes as often, and as long, as a person has allowed it."""
    tables, steps = drawn
    numbers = count(1)
    clock, counters = _Clock(), MemoryCounters()
    approvals = MemoryApprovals(lambda: f"a{next(numbers)}")
    facts = Facts(clock, lambda _: counters, approvals=approvals, digest=lambda path: path)
    engine, model = Engine(outcome, Sources(), facts), _Model()
    told: list[Table] = []
    for step in steps:
        clock.time += step.after
        table = {"session": _SESSIONS[step.session], **tables[step.which % len(tables)]}
        made = made_of(table, None, ())
        if isinstance(made, Wrong) or made.call.at is not None:
            continue
        told.append(table)
        decision = engine.judge(made.call)
        key, session = _key(made.call), made.call.session or ""
        remembered = any(answer.rule == RULE for answer in decision.trace)
        if decision.effect == "allow" and remembered and not model.covers(key, session, clock.time):
            sentence = "a call that is asked about passes, and nobody has allowed it"
            return Violation(PROPERTY, sentence, sentence, tuple(told), "ask", (decision.effect,), RULE)
        if decision.effect == "ask" and step.answer is not None:
            _answer(engine, made.call, step.answer, model, clock.time)
    return None


def _answer(engine: Engine, call: Call, scope: Scope, model: _Model, now: float) -> None:
    """A person allows the call as far as the rules offer it."""
    place: dict[str, Any] = {key: getattr(call, key) for key in ("cwd", "root", "home", "session", "agent", "mode")}
    question = engine.question(call.tool.name, call.arguments, **place)
    if question is None or scope not in question.scopes or call.tool.origin:
        return
    until = now + question.longest / 2 if scope == "until" else None
    by = question.by[0] if question.by else ""
    try:
        engine.approve(question, Approved(scope=scope, until=until, by=by))
    except Veto:
        return
    ends = now + question.longest if until is None else until
    model.given.append(_Given(scope, _key(call), call.session or "", ends))


def _key(call: Call) -> str:
    """Everything that tells one call from another but its session."""
    bare = evolve(call, session=None)
    return compact([bare.tool.name, dict(bare.arguments), bare.agent or "", bare.mode or "", bare.cwd or ""])
