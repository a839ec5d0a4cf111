"""Stretches of the day, as clocks on the wall show them."""

from __future__ import annotations

import datetime as dt
import re
from typing import Literal, NamedTuple, get_args

from attrs import frozen

from ..kind import Setting, param
from ..shown import quote

Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]


@frozen
class Window:
    """A stretch of the day, on some days of the week and between two dates; every key that is given must hold."""

    days: tuple[Day, ...] | None = param("The days of the week on which it begins; all without it.", default=None)
    from_: str = param("The time at which it begins, as `HH:MM`.", default="00:00")
    to: str = param("The time before which it ends; one before `from` is on the next day.", default="24:00")
    first: dt.date | None = param("The first date on which it begins.", default=None)
    last: dt.date | None = param("The last date on which it begins.", default=None)


_DAY = 24 * 60 * 60
_TIME = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])|24:00")
DAYS = get_args(Day)


class Stretch(NamedTuple):
    """A window in seconds since midnight, where *end* is past a day for one over midnight; dates as ordinals."""

    days: frozenset[int]
    begin: int
    end: int
    first: int
    last: int

    def holds(self, date: dt.date, second: int) -> bool:
        """Whether the window that begins on *date*, or one that began the day before, holds this second of it."""
        return (self.begin <= second < self.end and self._takes(date.toordinal())) or (
            second + _DAY < self.end and self._takes(date.toordinal() - 1)
        )

    def _takes(self, ordinal: int) -> bool:
        # Ordinal 1 was a Monday.
        return self.first <= ordinal <= self.last and (ordinal - 1) % 7 in self.days


def read_stretch(window: Window, path: tuple[str | int, ...], setting: Setting) -> Stretch:
    """A window read; what is wrong with it stands at its place under *path*."""
    begin, end = _seconds(window.from_, (*path, "from"), setting), _seconds(window.to, (*path, "to"), setting)
    for key, date in (("first", window.first), ("last", window.last)):
        if isinstance(date, dt.datetime):
            setting.problem((*path, key), "bad-value", "it has a time of day", *_NO_TIME)
    if begin in (end, _DAY):
        setting.problem(
            (*path, "from"),
            "never-holds",
            f"no time lies between {quote(window.from_)} and {quote(window.to)}",
            "a window that never comes would confine everything, or refuse nothing",
            "write another time; without `from` and `to` it is the whole day",
        )
    first = (window.first or dt.date.min).toordinal()
    last = (window.last or dt.date.max).toordinal()
    if first > last:
        what = "the last date lies before the first"
        setting.problem((*path, "last"), "never-holds", what, "the window would never come", "exchange the two")
    days = frozenset(map(DAYS.index, window.days or DAYS))
    return Stretch(days, begin, end if end > begin else end + _DAY, first, last)


_NO_TIME = ("a window begins at `from` on each of its dates", "write the date alone, such as `2027-01-31`")


def _seconds(text: str, path: tuple[str | int, ...], setting: Setting) -> int:
    """The seconds since midnight that a time of day is."""
    if not _TIME.fullmatch(text):
        what = f"{quote(text)} is no time of day"
        setting.problem(path, "bad-value", what, "a window needs its ends", "write such as `09:30`, up to `24:00`")
        return 0 if path[-1] == "from" else _DAY
    return int(text[:2]) * 3600 + int(text[3:]) * 60


def told(window: Window) -> str:
    """A window in the words of a refusal."""
    days = f"{'/'.join(window.days)} " if window.days else ""
    dates = [f"{word} {date}" for word, date in (("from", window.first), ("until", window.last)) if date]
    return " ".join([f"{days}{window.from_}-{window.to}", *dates])
