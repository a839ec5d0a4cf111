"""Work for a request: in a few threads, in time, and never more of it than the service has places for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from time import monotonic
from typing import TypeVar

from .replies import BUSY, Refused
from .settings import Settings

T = TypeVar("T")


class Late(Exception):
    """The time for an answer was over before the work for it began."""


class Bench:
    """Where requests are judged.

    Work that is late cannot be ended, only left: it keeps its place until it ends by itself, so that late work never
    piles up, and whoever waited has been refused.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._threads = ThreadPoolExecutor(settings.threads, thread_name_prefix="tidegate-serve")
        self._lock = Lock()
        self._taken = 0

    @property
    def taken(self) -> int:
        """How many places are taken."""
        return self._taken

    async def run(self, work: Callable[[float], T]) -> T:
        """What *work* gives; it is told by when, on `time.monotonic`, it must have begun what it still begins.

        Raises:
            Refused: There is no place, or it took too long.
        """
        with self._lock:
            if self._taken >= self._settings.in_flight:
                raise Refused(BUSY, "busy", "too many requests at once; try again")
            self._taken += 1
        deadline = monotonic() + self._settings.seconds
        future = self._threads.submit(_in_time, work, deadline)
        future.add_done_callback(self._left)
        try:
            async with asyncio.timeout(self._settings.seconds):
                return await asyncio.wrap_future(future)
        except (TimeoutError, Late):
            seconds = f"{self._settings.seconds:g} seconds"
            raise Refused(504, "late", f"no decision was reached within {seconds}") from None

    def _left(self, _: Future[T]) -> None:
        with self._lock:
            self._taken -= 1

    def close(self) -> None:
        """Take no further work, and drop what has not begun."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _in_time(work: Callable[[float], T], deadline: float) -> T:
    if monotonic() >= deadline:
        raise Late
    return work(deadline)
