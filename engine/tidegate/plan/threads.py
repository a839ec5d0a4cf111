"""Work that may wait: in a thread where an event loop would wait for it, right here where none does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from inspect import isawaitable
from typing import Any, TypeVar

from ..kernel.sync import need_loop, without_loop

T = TypeVar("T")


async def off_thread(work: Callable[[], T], *, blocking: bool) -> T:
    """Do *work*, in a worker thread if it is *blocking* and an event loop would wait for it."""
    if not blocking or without_loop():
        return work()
    from anyio import to_thread

    return await to_thread.run_sync(work)


async def within(seconds: float, work: Callable[[Any], T | Awaitable[T]], argument: object) -> T:
    """Call *work*, which may be sync or async, and wait for it.

    In a host without an event loop nobody can end a synchronous function; its time limit is its own.

    Raises:
        TimeoutError: It took longer than *seconds*.
    """
    if without_loop():
        answer = work(argument)
        if not isawaitable(answer):
            return answer
        await need_loop()
        return await _in_time(seconds, answer)
    from anyio import fail_after, to_thread

    with fail_after(seconds):
        answer = await to_thread.run_sync(work, argument, abandon_on_cancel=True)
        return await answer if isawaitable(answer) else answer


async def _in_time(seconds: float, answer: Awaitable[T]) -> T:
    from anyio import fail_after

    with fail_after(seconds):
        return await answer
