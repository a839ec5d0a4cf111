"""Work that may wait: in a thread where an event loop runs, right here where none does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from inspect import isawaitable
from typing import Any, TypeVar

T = TypeVar("T")


async def off_thread(work: Callable[[], T], *, blocking: bool) -> T:
    """Do *work*, in a worker thread if it is *blocking* and an event loop would wait for it."""
    if not blocking or not _in_event_loop():
        return work()
    from anyio import to_thread

    return await to_thread.run_sync(work)


async def within(seconds: float, work: Callable[[Any], T | Awaitable[T]], argument: object) -> T:
    """Call *work*, which may be sync or async, and wait for it.

    Without an event loop nobody can end a synchronous function; its time limit is its own.

    Raises:
        TimeoutError: It took longer than *seconds*.
    """
    if not _in_event_loop():
        answer = work(argument)
        return await answer if isawaitable(answer) else answer
    from anyio import fail_after, to_thread

    with fail_after(seconds):
        answer = await to_thread.run_sync(work, argument, abandon_on_cancel=True)
        return await answer if isawaitable(answer) else answer


def _in_event_loop() -> bool:
    """Whether an event loop runs in this thread."""
    import sniffio

    try:
        sniffio.current_async_library()
    except sniffio.AsyncLibraryNotFoundError:
        return False
    return True
