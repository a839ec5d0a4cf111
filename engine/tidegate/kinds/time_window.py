"""`time-window`: when calls may be made."""

from __future__ import annotations

import datetime as dt
import math
import re
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from attrs import frozen

from ..kind import Case, Effect, Example, Guard, Kind, Phase, Setting, Tri, Unknown, param
from ..lang.nearest import nearest
from ..shown import quote

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]


@frozen
class Window:
    """A stretch of the day, on some days of the week and between two dates; every key that is given must hold."""

    days: tuple[Day, ...] | None = param("The days of the week on which it begins; all without it.", default=None)
    from_: str = param("The time at which it begins, as `HH:MM`.", default="00:00")
    to: str = param("The time before which it ends; one before `from` is on the next day.", default="24:00")
    first: dt.date | None = param("The first date on which it begins.", default=None)
    last: dt.date | None = param("The last date on which it begins.", default=None)


@frozen
class TimeWindow:
    """Confine calls to stretches of the week, or refuse them there, by the wall clock of a time zone.

    `only` names when calls may be made and `deny` when they may not. A call is inside a window if a clock on the wall
    in `zone` shows a time from `from` on and before `to`, on a date that the window takes. A window whose `to` lies
    before its `from` goes over midnight and belongs to the day on which it begins: `days = ["fri"]` from 22:00 to
    06:00 ends on Saturday morning. The rule grants nothing: a call inside of `only` needs a grant as ever.

    **Daylight saving.** Where clocks are set back, an hour is shown twice, and both are inside of a window that holds
    it; where they are set forward, no clock shows the hour that is left out, so that a window within it does not come
    that day. A window of one hour can therefore last two, or none.

    The time is that of judgement, and with an approver it is asked again when the answer is there: a call that waited
    past the end of its window is refused. One that runs past it is not ended (see `timeout`). A recorded call is
    judged at its own `at`. Whoever can set the machine's clock can open a window, and the rules of time zones are
    those that are installed here.
    """

    zone: str = param("The time zone by its IANA name, such as `Europe/Vienna`, or `UTC`.")
    only: tuple[Window, ...] | None = param("The only windows in which calls may be made.", default=None)
    deny: tuple[Window, ...] | None = param("Windows in which calls are refused.", default=None)


_DAY = 24 * 60 * 60
_TIME = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])|24:00")
_DAYS = get_args(Day)


class _Stretch(NamedTuple):
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


def compile_time_window(fields: TimeWindow, setting: Setting) -> Guard:
    """Look up the zone and read the times."""
    zone = _zone(fields.zone, setting)
    only = [_stretch(window, ("only", at), setting) for at, window in enumerate(fields.only or ())]
    deny = [_stretch(window, ("deny", at), setting) for at, window in enumerate(fields.deny or ())]

    def inside(stretches: list[_Stretch], now: float) -> Tri:
        try:
            local = dt.datetime.fromtimestamp(math.floor(now), zone)
        except (OverflowError, ValueError, OSError):
            return Unknown("the time of the call is none that a calendar has")
        second = local.hour * 3600 + local.minute * 60 + local.second
        return any(stretch.holds(local.date(), second) for stretch in stretches)

    def confines(_: Effect, case: Case) -> Tri:
        return inside(only, case.now)

    def denies(_: Effect, case: Case) -> Tri:
        return inside(deny, case.now)

    return Guard(
        confines=confines if only else None,
        denies=denies if deny else None,
        about=frozenset({"use"}),
        offer=f"{', '.join(map(_told, fields.only or ()))} ({fields.zone})",
    )


def _zone(name: str, setting: Setting) -> dt.tzinfo:
    """The zone of that name; UTC needs no data."""
    if name == "UTC":
        return dt.UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        known = available_timezones()
        close = nearest(name, sorted(known))
        setting.problem(
            ("zone",),
            "bad-value",
            f"{quote(name)} is no time zone that is known here",
            "without its rules nobody can tell what its clocks show",
            f"write `{close}`"
            if close
            else "write an IANA name such as `Europe/Vienna`"
            if known
            else "install the package `tzdata`, since this machine has no time zones",
        )
        return dt.UTC


def _stretch(window: Window, path: tuple[str | int, ...], setting: Setting) -> _Stretch:
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
    days = frozenset(map(_DAYS.index, window.days or _DAYS))
    return _Stretch(days, begin, end if end > begin else end + _DAY, first, last)


_NO_TIME = ("a window begins at `from` on each of its dates", "write the date alone, such as `2027-01-31`")


def _seconds(text: str, path: tuple[str | int, ...], setting: Setting) -> int:
    """The seconds since midnight that a time of day is."""
    if not _TIME.fullmatch(text):
        what = f"{quote(text)} is no time of day"
        setting.problem(path, "bad-value", what, "a window needs its ends", "write such as `09:30`, up to `24:00`")
        return 0 if path[-1] == "from" else _DAY
    return int(text[:2]) * 3600 + int(text[3:]) * 60


def _told(window: Window) -> str:
    """A window in the words of a refusal."""
    days = f"{'/'.join(window.days)} " if window.days else ""
    dates = [f"{word} {date}" for word, date in (("from", window.first), ("until", window.last)) if date]
    return " ".join([f"{days}{window.from_}-{window.to}", *dates])


def time_windows() -> SearchStrategy[TimeWindow]:
    """Rules with windows of all sorts in zones with and without daylight saving."""
    from hypothesis import strategies as st

    times = st.builds("{:02}:{:02}".format, st.integers(0, 23), st.integers(0, 59))
    zones = ["UTC", "Europe/Vienna", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Africa/Casablanca"]
    dates = st.none() | st.dates(dt.date(2020, 1, 1), dt.date(2030, 12, 31))
    windows = st.builds(
        Window,
        days=st.none() | st.lists(st.sampled_from(_DAYS), min_size=1, unique=True).map(tuple),
        from_=times,
        to=times | st.just("24:00"),
        first=dates,
        last=dates,
    ).filter(lambda one: one.from_ != one.to and (one.first or dt.date.min) <= (one.last or dt.date.max))
    lists = st.lists(windows, min_size=1, max_size=3).map(tuple)
    return st.one_of(
        st.builds(TimeWindow, zone=st.sampled_from(zones), only=lists),
        st.builds(TimeWindow, zone=st.sampled_from(zones), deny=lists),
        st.builds(TimeWindow, zone=st.sampled_from(zones), only=lists, deny=lists),
    )


KIND = Kind(
    name="time-window",
    phase=Phase.GUARD,
    fields=TimeWindow,
    compile=compile_time_window,
    strategy=time_windows,
    examples=(
        Example(
            "Deployments in office hours",
            """\
[[rule]]
id = "office-hours"
kind = "time-window"
tools = ["deploy"]
zone = "Europe/Vienna"
only = [
  { days = ["mon", "tue", "wed", "thu"], from = "09:00", to = "17:00" },
  { days = ["fri"], from = "09:00", to = "12:00" },
]

[[rule.example]]
call = { tool = "deploy", args = {}, at = 2026-10-02T11:59:59+02:00 }
expect = "pass"
why = "it is a Friday; a window grants nothing"

[[rule.example]]
call = { tool = "deploy", args = {}, at = 2026-10-02T12:00:00+02:00 }
expect = "deny"

[[rule.example]]
call = { tool = "deploy", args = {}, at = 2026-10-01T15:00:00Z }
expect = "deny"
why = "in Vienna it is 17:00"

[[rule.example]]
call = { tool = "read_file", args = { path = "a" }, at = 2026-10-03T12:00:00Z }
expect = "pass"
""",
        ),
        Example(
            "A person is asked at night",
            """\
[[rule]]
id = "nights"
kind = "time-window"
zone = "America/New_York"
deny = [{ days = ["sat"], from = "22:00", to = "02:00" }]
effect = "ask"

[[rule.example]]
call = { tool = "deploy", args = {}, at = 2026-11-01T01:30:00-04:00 }
expect = "ask"
why = "it is Sunday, in the night that began on Saturday"

[[rule.example]]
call = { tool = "deploy", args = {}, at = 2026-11-01T01:30:00-05:00 }
expect = "ask"
why = "the clocks were set back, so that 01:30 comes twice"

[[rule.example]]
call = { tool = "deploy", args = {}, at = 2026-11-01T02:00:00-05:00 }
expect = "pass"

[[rule.example]]
call = { tool = "deploy", args = {}, at = 2026-11-01T22:30:00-05:00 }
expect = "pass"
why = "this night begins on Sunday"
""",
        ),
        Example(
            "No changes over the holidays",
            """\
[[rule]]
id = "holiday-freeze"
kind = "time-window"
tools = ["deploy", "merge_*"]
zone = "Europe/Vienna"
deny = [{ first = 2026-12-20, last = 2027-01-03 }]
message = "nothing is changed before 4 January"

[[rule.example]]
call = { tool = "merge_branch", args = {}, at = 2026-12-19T23:00:00Z }
expect = "deny"
why = "in Vienna it is the 20th"

[[rule.example]]
call = { tool = "deploy", args = {}, at = 2027-01-03T23:59:59+01:00 }
expect = "deny"

[[rule.example]]
call = { tool = "deploy", args = {}, at = 2027-01-04T00:00:00+01:00 }
expect = "pass"
""",
        ),
    ),
)
