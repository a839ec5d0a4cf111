"""The time of a store: it never runs backwards, and never faster than the clocks that are read for it.

Windows are counted in this time and not in readings of a clock, because clocks are set back and forth, and
because two processes may read clocks that differ. A reading that lies behind is one of two things. By a little,
it was overtaken on its way into the store: then time stands still. By more than `SLACK`, the clock was set back:
then time goes on from where it stood, at the pace of the new readings.

A step forwards cannot be told from time that passed while nobody looked; who must not be fooled by one reads a
clock that does not step (`Clock.steady`). A process whose clock is behind that of others never moves their time;
left alone with it, it waits until its own clock has caught up.
"""

from __future__ import annotations

from math import isfinite
from typing import NamedTuple

from ..errors import StoreError

SLACK = 15.0
"""Seconds by which a reading may be late: longer than anybody waits for the locks of a store."""


class Mark(NamedTuple):
    """The time of a store and the reading that last moved it; a shared store keeps it beside its data."""

    time: float
    reading: float


class Timeline:
    """Turns the readings of one process into the time of a store.

    Both methods raise `StoreError` where the reading is no finite number.
    """

    __slots__ = ("_latest", "_shift")

    def __init__(self) -> None:
        self._latest: float | None = None  # the latest reading of this process
        self._shift = 0.0  # what it adds to a reading to get the time of the store

    def look(self, reading: float, mark: Mark | None) -> float:
        """The time of the store at *reading*, leaving everything as it is."""
        latest, shift = self._latest, self._shift
        moved = self.move(reading, mark)
        self._latest, self._shift = latest, shift
        return moved.time

    def move(self, reading: float, mark: Mark | None) -> Mark:
        """Take note of *reading*, and return the mark that the store keeps from now on."""
        if not isfinite(reading):
            raise StoreError("the clock gives no finite time")
        if mark is None:
            self._latest, self._shift = reading, 0.0
            return Mark(reading, reading)
        if self._latest is None:
            self._latest, self._shift = mark.reading, mark.time - mark.reading
        if reading < self._latest - SLACK:
            self._latest, self._shift = reading, mark.time - reading
            return Mark(mark.time, reading)
        if reading > self._latest:
            self._latest = reading
        time = reading + self._shift
        return Mark(time, reading) if time > mark.time else mark
