"""The time of a store: it never runs backwards, and never faster than the clocks that are read for it."""

from __future__ import annotations

from math import isfinite
from typing import NamedTuple

from ..errors import StoreError

SLACK = 5.0
"""Seconds by which a reading may be late: longer than threads wait for each other in a store."""


class Timeline:
    """The time of one process, followed through its readings of a clock.

    A reading that lies behind is one of two things. By a little, another one overtook it on its way into the
    store: then time stands still. By more than `SLACK`, the clock was set back: then time goes on from where it
    stood, at the pace of the new readings. A step forwards cannot be told from time that passed while nobody
    looked; who must not be fooled by one reads a clock that does not step (`Clock.steady`).

    Both methods raise `StoreError` where the reading is no finite number.
    """

    __slots__ = ("_latest", "_shift", "_time")

    def __init__(self) -> None:
        self._time: float | None = None
        self._latest = 0.0  # the latest reading
        self._shift = 0.0  # what is added to a reading to get the time

    def look(self, reading: float) -> float:
        """The time at *reading*, leaving everything as it is."""
        before = self._time, self._latest, self._shift
        time = self.move(reading)
        self._time, self._latest, self._shift = before
        return time

    def move(self, reading: float) -> float:
        """The time at *reading*, which goes on from there."""
        check_reading(reading)
        if self._time is None:
            self._time = self._latest = reading
        elif reading < self._latest - SLACK:
            self._latest, self._shift = reading, self._time - reading
        else:
            self._latest = max(self._latest, reading)
            self._time = max(self._time, reading + self._shift)
        return self._time


class Mark(NamedTuple):
    """The time of a store that processes share, and two clocks when it stood there.

    `reading` is the time of day as the last process had it, `uptime` the seconds since the machine was started.
    """

    time: float
    reading: float
    uptime: float


def follow(mark: Mark | None, reading: float, uptime: float) -> Mark:
    """The mark for now; *uptime* must have been read while nobody else could move the mark.

    Time goes on by what both clocks say at least has passed. Each alone can be wrong: the time of day is set, and
    two processes may have it from before and after that; the uptime begins anew when the machine is started. One
    that ran backwards says nothing.

    Raises:
        StoreError: *reading* is no finite number.
    """
    check_reading(reading)
    if mark is None:
        return Mark(reading, reading, uptime)
    passed = [seconds for seconds in (reading - mark.reading, uptime - mark.uptime) if seconds >= 0]
    return Mark(mark.time + min(passed, default=0.0), reading, uptime)


def check_reading(reading: float) -> None:
    """Raise `StoreError` for a time that is none: nothing could be compared with it."""
    if not isfinite(reading):
        raise StoreError("the clock gives no finite time")
