"""Many calls at once: safe ones overlap, the others stand alone, and rules always run in call order.

This does what the readme of dsh-tools leaves to do: a concurrency-safety hint, and parallel execution.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from .call import ToolExecution, ToolOutcome
from .pipeline import Passage

if TYPE_CHECKING:
    from anyio import Event, Semaphore


async def run_all(
    calls: Iterable[ToolExecution], begin: Callable[[ToolExecution], Passage], limit: int
) -> list[ToolOutcome]:
    """Run *calls* and give their outcomes in call order.

    Consecutive calls whose tools say that they may overlap do so, *limit* at a time; any other call waits for all
    before it and is waited for by all after it. Judging and shaping happen in call order, only dispatch overlaps.
    A call is classified by its arguments as they came, and once more as they were rewritten.

    Raises:
        ValueError: *limit* is not a whole number of at least 1.
    """
    if type(limit) is not int or limit < 1:
        raise ValueError(f"the limit must be a whole number of at least 1, not {limit!r}")
    if limit == 1:
        return [await begin(call).run() for call in calls]
    batch = _Batch(begin)
    try:
        return await batch.run(calls, limit)
    except BaseException:
        for passage in batch.begun:
            passage.abandon()
        raise


class _Batch:
    """Calls that are under way. `begun` are all of them, `_running` those that wait to be finished in order."""

    def __init__(self, begin: Callable[[ToolExecution], Passage]) -> None:
        self._begin = begin
        self._running: deque[tuple[Passage, Event]] = deque()
        self._outcomes: list[ToolOutcome] = []
        self.begun: list[Passage] = []

    async def run(self, calls: Iterable[ToolExecution], limit: int) -> list[ToolOutcome]:
        from anyio import Event, Semaphore, create_task_group

        slots = Semaphore(limit)
        async with create_task_group() as group:
            for call in calls:
                passage = self._begin(call)
                self.begun.append(passage)
                if not passage.may_overlap():
                    await self._alone(passage)
                    continue
                await slots.acquire()
                if await passage.prepare():
                    if not passage.may_overlap():
                        slots.release()
                        await self._alone(passage, prepared=True)
                        continue
                    done = Event()
                    group.start_soon(_dispatch, passage, slots, done)
                else:
                    slots.release()
                    done = Event()
                    done.set()
                self._running.append((passage, done))
                await self._finish(only_done=True)
            await self._finish()
        return self._outcomes

    async def _alone(self, passage: Passage, *, prepared: bool = False) -> None:
        await self._finish()
        if prepared or await passage.prepare():
            await passage.dispatch()
        self._outcomes.append(await passage.finish())

    async def _finish(self, *, only_done: bool = False) -> None:
        while self._running and (self._running[0][1].is_set() or not only_done):
            passage, done = self._running[0]
            await done.wait()
            self._running.popleft()
            self._outcomes.append(await passage.finish())


async def _dispatch(passage: Passage, slots: Semaphore, done: Event) -> None:
    try:
        await passage.dispatch()
    finally:
        slots.release()
        done.set()
