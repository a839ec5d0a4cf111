"""The clock as a fact: what time it is, and how much of it has passed."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Protocol


class Clock(Protocol):
    """Two readings in seconds since the epoch, which agree until somebody sets the machine's clock."""

    def now(self) -> float:
        """The time of day, for dates and records; it goes where the machine's clock is set to."""

    def steady(self) -> float:
        """The time for windows: it began as the time of day and has never stepped since."""


class SystemClock:
    """The clock of this machine.

    `steady` counts the seconds in which the machine sleeps, where the operating system tells them. Two processes
    whose clocks were made before and after a step differ by that step; stores that processes share allow for it.
    """

    __slots__ = ("_elapsed", "_start")

    def __init__(self) -> None:
        self._elapsed = _elapsed()
        self._start = time.time() - self._elapsed()

    def now(self) -> float:
        """The time of day."""
        return time.time()

    def steady(self) -> float:
        """The time of day when this clock was made, and the seconds since."""
        return self._start + self._elapsed()


def _elapsed() -> Callable[[], float]:
    """A clock that never steps; `time.monotonic` stands still on Linux and macOS while the machine sleeps."""
    name = {"linux": "CLOCK_BOOTTIME", "darwin": "CLOCK_MONOTONIC"}.get(sys.platform, "")
    clock = getattr(time, name, None)
    return time.monotonic if clock is None else lambda: time.clock_gettime(clock)
