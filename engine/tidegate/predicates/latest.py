"""Work that depends on a case alone and is asked for again with each of its effects."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

C = TypeVar("C")
R = TypeVar("R")


def latest(work: Callable[[C], R]) -> Callable[[C], R]:
    """*work*, which keeps what came out for the very object that it was last given.

    One slot that is replaced as a whole: threads may do the work twice, and never see that of another object.
    """
    kept: tuple[C, R] | None = None

    def once(case: C) -> R:
        nonlocal kept
        seen = kept
        if seen is None or seen[0] is not case:
            kept = seen = (case, work(case))
        return seen[1]

    return once
