"""One plan in the world of recorded calls: time is what they say, and nothing that is judged is counted elsewhere."""

from __future__ import annotations

from attrs import evolve, frozen

from ...call import Call
from ...compile.compiler import Outcome
from ...decision import Decision
from ...engine import Engine, Sources
from ...facts import RECORDED, Facts
from ...facts.counters import Counters, MemoryCounters
from ...facts.files import NothingThere
from ...facts.history import MemoryHistory
from ...facts.local import local_facts
from ...plan.plan import Plan


@frozen
class Surroundings:
    """What recorded calls are judged in.

    `root` and `home` are of calls that do not say theirs, and `now` is the time of such calls. With `here` the links,
    variables and accounts of this machine count, else there are none.
    """

    root: str
    home: str
    now: float
    here: bool = False


class Judging:
    """A plan with what it has counted and noted so far, in this process and nowhere else.

    Calls are judged as a hook judges them, which cannot see how they end. A call that does not say when it was made is
    before every limit as if it were the first; that something happened before it in its session is known all the same.
    """

    def __init__(self, outcome: Outcome, around: Surroundings) -> None:
        """Begin with nothing counted."""
        self._counters: dict[bool, Counters] = {True: MemoryCounters()}
        self._engine = Engine(outcome, Sources(), self._facts(around))
        self._root = around.root if around.root != self._engine.plan.folder else None

    @property
    def plan(self) -> Plan:
        """The plan that judges."""
        return self._engine.plan

    def judge(self, call: Call) -> Decision:
        """What the plan says of *call*, which is counted."""
        self._counters[False] = MemoryCounters()
        if call.root is None and self._root is not None:
            call = evolve(call, root=self._root)
        return self._engine.judge(call)

    def _facts(self, around: Surroundings) -> Facts:
        history = MemoryHistory()
        facts = Facts(
            clock=_Standing(around.now),
            counters=lambda store: self._counters[store == RECORDED],
            files=NothingThere(),
            cwd=lambda: around.root,
            home=around.home,
            history=lambda _: history,
        )
        if not around.here:
            return facts
        local = local_facts()
        return evolve(facts, files=local.files, environment=local.environment, homes=local.homes)


class _Standing:
    """A clock that stands still."""

    def __init__(self, now: float) -> None:
        self._now = now

    def now(self) -> float:
        return self._now

    def steady(self) -> float:
        return self._now
