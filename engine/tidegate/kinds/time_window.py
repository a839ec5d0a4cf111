"""`time-window`: when calls may be made."""

from __future__ import annotations

import datetime as dt
import math
from typing import TYPE_CHECKING

from attrs import frozen

from ..clocks.windows import DAYS, Stretch, Window, read_stretch, told
from ..clocks.zones import read_zone
from ..kind import Case, Effect, Example, Guard, Kind, Phase, Setting, Tri, Unknown, param

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


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


def compile_time_window(fields: TimeWindow, setting: Setting) -> Guard:
    """Look up the zone and read the times."""
    zone = read_zone(fields.zone, setting)
    only = [read_stretch(window, ("only", at), setting) for at, window in enumerate(fields.only or ())]
    deny = [read_stretch(window, ("deny", at), setting) for at, window in enumerate(fields.deny or ())]

    def inside(stretches: list[Stretch], now: float) -> Tri:
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
        offer=f"{', '.join(map(told, fields.only or ()))} ({fields.zone})",
    )


def time_windows() -> SearchStrategy[TimeWindow]:
    """Rules with windows of all sorts in zones with and without daylight saving."""
    from hypothesis import strategies as st

    times = st.builds("{:02}:{:02}".format, st.integers(0, 23), st.integers(0, 59))
    zones = ["UTC", "Europe/Vienna", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Africa/Casablanca"]
    dates = st.none() | st.dates(dt.date(2020, 1, 1), dt.date(2030, 12, 31))
    windows = st.builds(
        Window,
        days=st.none() | st.lists(st.sampled_from(DAYS), min_size=1, unique=True).map(tuple),
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
