"""The clock as a fact: what time it is, and how much of it has passed."""

from __future__ import annotations

import sys
import time
from typing import Protocol


class Clock(Protocol):
    """Two readings in seconds since the epoch, which agree until somebody sets the machine's clock."""

    def now(self) -> float:
        """The time of day, for dates and records; it goes where the machine's clock is set to."""

    def steady(self) -> float:
        """The time for windows: it began as the time of day and has never stepped since."""


class SystemClock:
    """The clock of this machine, steady from the moment on in which this object was made."""

    __slots__ = ("_start",)

    def __init__(self) -> None:
        self._start = time.time() - uptime()

    def now(self) -> float:
        """The time of day."""
        return time.time()

    def steady(self) -> float:
        """The time of day when this clock was made, and the seconds since."""
        return self._start + uptime()


# `time.monotonic` stands still on Linux and macOS while the machine sleeps.
_SINCE_START: int | None = getattr(
    time, {"linux": "CLOCK_BOOTTIME", "darwin": "CLOCK_MONOTONIC"}.get(sys.platform, ""), None
)


def uptime() -> float:
    """The seconds since the machine was started, asleep or awake: the same for all its processes, and never set."""
    return time.monotonic() if _SINCE_START is None else time.clock_gettime(_SINCE_START)
