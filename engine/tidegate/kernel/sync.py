"""Running a call in a host that has no event loop, or is in one and cannot wait."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Coroutine, Generator
from types import coroutine
from typing import Any, Final, TypeVar

T = TypeVar("T")

_NEED_LOOP: Final = object()


@coroutine
def _ask_for_loop() -> Generator[object, None, None]:
    yield _NEED_LOOP


class SyncRun:
    """Drives one coroutine of ours, entering an event loop only when something foreign has to be waited for.

    The coroutine awaits foreign things through `wait`. Before the first of them runs, whatever it may ask of
    an event loop is there: asyncio's, in this thread, or in another one if this thread's is already running.
    """

    __slots__ = ("_in_loop",)

    def __init__(self) -> None:
        self._in_loop = False

    async def wait(self, awaitable: Awaitable[T]) -> T:
        """Await something foreign."""
        if not self._in_loop:
            await _ask_for_loop()
        return await awaitable

    def run(self, steps: Coroutine[Any, Any, T]) -> T:
        """Run *steps* to its end and give what it returns."""
        try:
            steps.send(None)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]
        self._in_loop = True
        from anyio import run  # noqa: PLC0415 - a heavy module, needed only here

        async def resume() -> T:
            return await _Resumed(steps)

        if not _loop_is_running():
            return run(resume)
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - needed only here
        from contextvars import copy_context  # noqa: PLC0415 - needed only here

        context = copy_context()
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(lambda: context.run(lambda: run(resume))).result()


class _Resumed(Awaitable[T]):
    """A coroutine that was started elsewhere, to be awaited from where it stands."""

    def __init__(self, steps: Coroutine[Any, Any, T]) -> None:
        self._steps = steps

    def __await__(self) -> Generator[Any, Any, T]:
        send, throw = self._steps.send, self._steps.throw
        try:
            asked = send(None)
            while True:
                try:
                    answer = yield asked
                except BaseException as error:  # noqa: BLE001 - cancellation too is the coroutine's to handle
                    asked = throw(error)
                else:
                    asked = send(answer)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]


def _loop_is_running() -> bool:
    """Whether this thread is inside an event loop of asyncio or trio."""
    if asyncio := sys.modules.get("asyncio"):
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            pass
        else:
            return True
    trio = sys.modules.get("trio")
    return trio is not None and bool(trio.lowlevel.in_trio_run())
