"""Running a call in a host that has no event loop, or is in one and cannot wait."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Coroutine, Generator
from contextvars import ContextVar, copy_context
from types import coroutine
from typing import Any, Final, TypeVar

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

_NEED_LOOP: Final = object()
_NOT_DRIVEN: Final = object()

# The event loop (or `None`) under which a `SyncRun` drives the code that asks. Inside another loop, which that
# code may have started, it is not driven.
_driven_under: ContextVar[object] = ContextVar("tidegate_driven_under", default=_NOT_DRIVEN)


@coroutine
def _ask() -> Generator[object, None, None]:
    yield _NEED_LOOP


def without_loop() -> bool:
    """Whether the code that asks is driven by `execute_sync` or `call_sync` and cannot wait for anything foreign."""
    under = _driven_under.get()
    return under is not _NOT_DRIVEN and under is _running_loop()


async def need_loop() -> None:
    """See that what is awaited next can be waited for; see `asks_for_loop`."""
    if without_loop():
        await _ask()


def asks_for_loop(function: F) -> F:
    """Mark an async listener, guard or body that awaits `need_loop()` before it waits for anything foreign.

    What `next` gives is not foreign. `execute_sync` runs such a function without an event loop, which is far
    cheaper, until it asks for one; any other async function gets one before it begins.
    """
    function.asks_for_loop = True  # type: ignore[attr-defined]
    return function


class SyncRun:
    """Drives one coroutine of ours, entering an event loop only when something foreign has to be waited for.

    The coroutine awaits foreign things through `wait`. Before the first of them runs, whatever it may ask of
    an event loop is there: asyncio's, in this thread, or in another one if this thread is inside a loop already.
    """

    __slots__ = ("_in_loop",)

    def __init__(self) -> None:
        self._in_loop = False

    async def wait(self, awaitable: Awaitable[T]) -> T:
        """Await something foreign."""
        if not self._in_loop:
            await _ask()
        return await awaitable

    def run(self, steps: Coroutine[Any, Any, T]) -> T:
        """Run *steps* to its end and give what it returns."""
        loop = _running_loop()
        mark = _driven_under.set(loop)
        try:
            steps.send(None)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]
        finally:
            _driven_under.reset(mark)
        self._in_loop = True
        from anyio import run

        async def resume() -> T:
            return await _Resumed(steps)

        if loop is None:
            return run(resume)
        from concurrent.futures import ThreadPoolExecutor

        context = copy_context()
        if sniffio := sys.modules.get("sniffio"):  # which would take the context of a loop for the loop itself
            context.run(sniffio.current_async_library_cvar.set, None)
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


def _running_loop() -> object | None:
    """The event loop of asyncio or trio that this thread is inside of."""
    if asyncio := sys.modules.get("asyncio"):
        try:
            return asyncio.get_running_loop()  # type: ignore[no-any-return]
        except RuntimeError:
            pass
    trio = sys.modules.get("trio")
    return trio.lowlevel.current_trio_token() if trio is not None and trio.lowlevel.in_trio_run() else None
