"""Rows of calls with a clock that the row itself moves: bursts and pauses, by several agents in several sessions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from hypothesis import strategies as st

from .calls import Maker
from .vocabulary import Table

LONGEST = 130
"""How many calls a row has at most."""

_GAPS = (0.0, 1.0, 30.0, 59.0, 60.0, 61.0, 3_600.0, 86_400.0)
_SESSIONS = ("s1", "s2", "s3")
_AGENTS = ("a1", "a2")


class Burst(NamedTuple):
    """Some calls alike, after a pause: which of the row's calls, by whom, and whether each has another session."""

    which: int
    times: int
    after: float
    session: int
    agent: int
    spread: bool


def rows(maker: Maker) -> st.SearchStrategy[tuple[Table, ...]]:
    """Rows of calls as tables with `at`; bursts are as long as the numbers that rules mention, and one longer."""
    counts = {int(number) + more for number in maker.words.numbers if 0 < number < LONGEST for more in (0, 1)}
    agents = (*maker.words.agents, *_AGENTS)
    bursts = st.builds(
        Burst,
        which=st.integers(0, 2),
        times=st.sampled_from(sorted({1, 2, 3} | counts)),
        after=st.sampled_from(_GAPS),
        session=st.integers(0, len(_SESSIONS) - 1),
        agent=st.integers(0, len(agents) - 1),
        spread=st.booleans(),
    )
    calls = st.lists(maker.calls(), min_size=1, max_size=3)
    return st.builds(partial(_row, agents), calls, st.lists(bursts, min_size=1, max_size=5))


def _row(agents: Sequence[str], calls: Sequence[Table], bursts: Sequence[Burst]) -> tuple[Table, ...]:
    return tuple(one for _, one in zip(range(LONGEST), _steps(agents, calls, bursts), strict=False))


def _steps(agents: Sequence[str], calls: Sequence[Table], bursts: Sequence[Burst]) -> Iterator[Table]:
    now = 0.0
    for burst in bursts:
        now += burst.after
        call = calls[burst.which % len(calls)]
        for number in range(burst.times):
            session = _SESSIONS[(burst.session + number * burst.spread) % len(_SESSIONS)]
            agent = agents[(burst.agent + number * burst.spread) % len(agents)]
            yield {"session": session, "agent": agent, **call, "at": now, "ends": now, "returns": "ok"}
