"""The kind `time-window`."""

import datetime as dt
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kinds.making import case, made, of_fields, problems
from tests.laws.worlds import Clock
from tidegate.engine import Engine
from tidegate.facts import Facts
from tidegate.facts.counters import MemoryCounters
from tidegate.kind import Case, Unknown
from tidegate.kinds.time_window import KIND, TimeWindow, Window, time_windows

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
ZONES = (
    "Africa/Casablanca",
    "America/New_York",
    "America/Santiago",  # its clocks are set at midnight
    "Asia/Kathmandu",
    "Australia/Lord_Howe",  # by half an hour
    "Europe/Dublin",
    "Europe/Vienna",
    "Pacific/Apia",  # left out a whole day in 2011
    "UTC",
)
MINUTE, HOUR = 60, 3600


def transitions(zone):
    """The hours of 2026 and late 2011 in which a zone sets its clocks, or one hour for a zone that never does."""
    years = [(dt.datetime(2011, 12, 1, tzinfo=dt.UTC), 45), (dt.datetime(2026, 1, 1, tzinfo=dt.UTC), 365)]
    hours = [int(start.timestamp()) + hour * HOUR for start, days in years for hour in range(days * 24)]
    offsets = [dt.datetime.fromtimestamp(hour, ZoneInfo(zone)).utcoffset() for hour in hours]
    return [hour for hour, old, new in zip(hours[1:], offsets, offsets[1:], strict=False) if old != new] or hours[:1]


TRANSITIONS = [(zone, hour) for zone in ZONES for hour in transitions(zone)]


def at(now):
    """A case at this moment."""
    call = case()
    return Case(call.call, (), None, now)


def minutes_of(window, zone, around):
    """Every minute in the days around a moment in which a clock on the wall walks through the window.

    It goes from what clocks show to when they show it, the other way round than the kind.
    """
    zone, found = ZoneInfo(zone), set()
    middle = dt.datetime.fromtimestamp(around, dt.UTC).date()
    for shift in range(-3, 3):
        date = middle + dt.timedelta(days=shift)
        if (window.days and DAYS[date.weekday()] not in window.days) or not (
            (window.first or date) <= date <= (window.last or date)
        ):
            continue
        wall = dt.datetime.combine(date, dt.time.fromisoformat(window.from_))
        end = dt.datetime.combine(date, dt.time()) + dt.timedelta(hours=int(window.to[:2]), minutes=int(window.to[3:]))
        end += dt.timedelta(days=end <= wall)
        while wall < end:
            for fold in (0, 1):
                moment = wall.replace(tzinfo=zone, fold=fold).astimezone(dt.UTC)
                if moment.astimezone(zone).replace(tzinfo=None, fold=0) == wall:
                    found.add(int(moment.timestamp()))
            wall += dt.timedelta(minutes=1)
    return found


@pytest.mark.parametrize(("zone", "hour"), TRANSITIONS)
def test_windows_around_a_transition(zone, hour):
    """Windows of each quarter of an hour, and over midnight, in every minute around each transition."""
    ends = [f"{hour:02}:{minute:02}" for hour in range(4) for minute in (0, 30)]
    windows = [Window(from_=one, to=two) for one, two in zip(ends, [*ends[1:], "04:00"], strict=True)]
    windows += [Window(days=(day,), from_="22:30", to="02:30") for day in ("thu", "sat", "sun")]

    for window in windows:
        said = made(KIND, zone=zone, only=(window,)).confines
        expected = minutes_of(window, zone, hour)
        for minute in range(hour - 26 * HOUR, hour + 26 * HOUR, 5 * MINUTE):
            assert said(None, at(minute)) == (minute in expected), (window, minute)


@given(time_windows(), st.sampled_from(TRANSITIONS))
def test_a_window_holds_what_clocks_on_the_wall_show(fields, transition):
    """In every minute of the days in which clocks are set, whichever way and by however much."""
    zone, hour = transition
    fields = TimeWindow(zone=zone, only=fields.only, deny=fields.deny)
    guard = of_fields(KIND, fields)

    for said, windows in ((guard.confines, fields.only), (guard.denies, fields.deny)):
        if windows is None:
            assert said is None
            continue
        expected = set().union(*(minutes_of(window, zone, hour) for window in windows))
        span = range(hour - 26 * HOUR, hour + 26 * HOUR, MINUTE)
        assert [minute for minute in span if said(None, at(float(minute)))] == [
            minute for minute in span if minute in expected
        ]


@given(time_windows(), st.floats(-3e9, 3e9))
def test_a_window_begins_and_ends_with_a_minute(fields, now):
    """All moments of a minute are alike."""
    said = of_fields(KIND, TimeWindow(zone=fields.zone, only=fields.only or fields.deny)).confines
    begin = now // 60 * 60

    answers = {said(None, at(moment)) for moment in (begin, now, begin + 59.999)}
    # Offsets of long ago were no whole minutes.
    assert len(answers) == 1 or now < 0


@given(time_windows(), st.integers(0, 2_000_000_000))
def test_a_deny_is_the_complement_of_a_confinement(fields, now):
    """What one list of windows refuses is what the same list would let pass as `only`."""
    windows = fields.only or fields.deny
    confines = of_fields(KIND, TimeWindow(zone=fields.zone, only=windows)).confines
    denies = of_fields(KIND, TimeWindow(zone=fields.zone, deny=windows)).denies

    assert confines(None, at(now)) is denies(None, at(now))


@pytest.mark.parametrize("now", [float("inf"), float("-inf"), float("nan"), 1e18, -1e18])
def test_a_time_that_no_calendar_has_is_unknown(now):
    """So that no window lets the call pass."""
    guard = made(KIND, zone="Europe/Vienna", only=(Window(),), deny=(Window(),))

    assert isinstance(guard.confines(None, at(now)), Unknown)
    assert isinstance(guard.denies(None, at(now)), Unknown)


@pytest.mark.parametrize(
    ("windows", "found"),
    [
        (Window(from_="9:00"), [("bad-value", ("only", 0, "from"))]),
        (Window(to="24:01"), [("bad-value", ("only", 0, "to"))]),
        (Window(from_="12:60"), [("bad-value", ("only", 0, "from"))]),
        (Window(from_="09:00", to="09:00"), [("never-holds", ("only", 0, "from"))]),
        (Window(from_="24:00", to="06:00"), [("never-holds", ("only", 0, "from"))]),
        (Window(first=dt.date(2027, 1, 2), last=dt.date(2027, 1, 1)), [("never-holds", ("only", 0, "last"))]),
        (Window(first=dt.datetime(2027, 1, 2, 9, tzinfo=dt.UTC)), [("bad-value", ("only", 0, "first"))]),
    ],
)
def test_a_window_that_is_none_is_a_finding(windows, found):
    """At its key; none is guessed."""
    assert problems(KIND, zone="UTC", only=(windows,)) == found


@pytest.mark.parametrize("zone", ["Europe/Vienna ", "europe/wien", "../etc/passwd", "", "CEST", "+02:00"])
def test_a_zone_that_nobody_knows_is_a_finding(zone):
    """Also one that would be a file elsewhere."""
    assert problems(KIND, zone=zone, only=(Window(),)) == [("bad-value", ("zone",))]


def test_the_clock_is_injected(tmp_path):
    """The verdict follows the clock of the facts, and says when calls are allowed."""
    path, clock = tmp_path / "rules.toml", Clock()
    path.write_text(
        'version = 1\ndefault = "allow"\n[[rule]]\nid = "w"\nkind = "time-window"\nzone = "Europe/Vienna"\n'
        'only = [{ days = ["mon"], from = "09:00", to = "17:00", last = 2026-12-31 }]\n'
    )
    counters = MemoryCounters()
    engine = Engine.load(path, facts=Facts(clock=clock, counters=lambda _: counters))
    monday = dt.datetime(2026, 11, 30, 9, tzinfo=ZoneInfo("Europe/Vienna")).timestamp()

    clock.time = monday - 0.001
    early = engine.decide("deploy", {})
    clock.time = monday
    assert (early.effect, engine.decide("deploy", {}).effect) == ("deny", "allow")
    assert early.reason == (
        "using the tool `deploy` is refused; allowed: mon 09:00-17:00 until 2026-12-31 (Europe/Vienna)"
    )
    clock.time = monday + 5 * 7 * 24 * HOUR
    assert engine.decide("deploy", {}).effect == "deny"
    assert engine.decide("deploy", {}, at=monday).effect == "allow"
