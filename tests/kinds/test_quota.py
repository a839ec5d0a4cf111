"""`quota`: what is counted, when it begins anew, and for whom."""

import datetime as dt
import math
from zoneinfo import ZoneInfo

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from tests.kinds.making import case, made, problems
from tidegate.kernel.content import DataBlock
from tidegate.kind import Case, Output
from tidegate.kinds.quota import KIND


def at(time, *args, **about):
    """A call at a time."""
    made_case = case(*args, **about)
    return Case(made_case.call, made_case.effects, made_case.places, time)


def claim(part, *args, **about):
    """What a call claims."""
    (one,) = part.claims(at(*args, **about))
    return one


class TestPeriods:
    """A day begins at midnight in the zone, and a quota without `resets` never begins anew."""

    @given(
        one=st.floats(0, 4e9),
        later=st.sampled_from([0.001, 1.0, 3_600.0, 86_399.0, 86_400.0, 90_000.0, 2_678_400.0]),
        zone=st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Pacific/Apia", "Asia/Kathmandu"]),
    )
    def test_calls_share_a_period_exactly_if_they_share_a_date(self, one, later, zone):
        """Whatever daylight saving does to the length of a day."""
        dates = [dt.datetime.fromtimestamp(time, ZoneInfo(zone)).date() for time in (one, one + later)]
        for resets, same in (
            ("daily", dates[0] == dates[1]),
            ("monthly", dates[0].replace(day=1) == dates[1].replace(day=1)),
            ("never", True),
        ):
            part = made(KIND, limit=5, resets=resets, zone="UTC" if resets == "never" else zone)

            assert (claim(part, one).key == claim(part, one + later).key) == same

    @pytest.mark.parametrize(("resets", "days"), [("daily", 1), ("monthly", 31), ("never", 366)])
    def test_units_outlive_their_period(self, resets, days):
        """A unit that went while its day lasts would give that day's quota away."""
        assert claim(made(KIND, limit=5, resets=resets), 0.0).window >= days * 86_400

    def test_key_of_a_long_lived_quota_holds_few_entries(self):
        one = claim(made(KIND, limit=5), 0.0)

        assert one.window / one.grain <= 64


class TestWhatIsCounted:
    """Calls, a declared cost, the bytes of arguments, or those of results."""

    @pytest.mark.parametrize(
        ("tool", "arguments", "expected"), [("image_make", {}, 7), ("web", {}, 4), ("web_x", {"n": 3}, 3)]
    )
    def test_cost_is_that_of_the_tool_or_the_pointer(self, tool, arguments, expected):
        part = made(KIND, limit=10, costs={"image_*": 7, "web": 4}, cost="/n")

        assert claim(part, 0.0, arguments, tool=tool).cost == expected

    @pytest.mark.parametrize(
        ("arguments", "expected"), [({}, 2), ({"a": "é"}, 10), ({"a": 1, "b": [True]}, 18), ({"a": "😀"}, 12)]
    )
    def test_argument_bytes_are_those_of_compact_json(self, arguments, expected):
        assert claim(made(KIND, limit=99, of="argument-bytes"), 0.0, arguments).cost == expected

    @pytest.mark.parametrize(
        ("output", "expected"),
        [
            (Output(()), 0),
            (Output(("é", "ab")), 4),
            (Output(("ab",), {"a": 1}), 7),
            (Output(("abcdefghij",), {"a": 1}), 10),
            (Output(("Error: no",), is_error=True), 9),
            (Output((DataBlock("image", {"data": "AAAA"}),)), len('["image",{"data":"AAAA"}]')),
        ],
        ids=str,
    )
    def test_result_bytes_are_those_of_the_longer_channel(self, output, expected):
        part = made(KIND, limit=99, of="result-bytes", reserve=10)

        assert part.settled(output) == expected

    def test_result_bytes_are_reserved_first(self):
        one = claim(made(KIND, limit=99, of="result-bytes", reserve=10), 0.0)

        assert (one.cost, one.settles) == (10, "result")

    def test_what_is_counted_tells_buckets_apart(self):
        keys = {claim(made(KIND, limit=9, of=of), 0.0).key for of in ("calls", "argument-bytes")}

        assert len(keys) == 2


class TestRefusal:
    """The model is told whether waiting helps."""

    @pytest.mark.parametrize(
        ("fields", "cost", "expected"),
        [
            ({}, 1, "the quota of 5 calls is used up"),
            ({"resets": "daily"}, 1, "the quota of 5 calls a day is used up; it begins anew at midnight"),
            ({"resets": "monthly"}, 1, "the quota of 5 calls a month is used up; it begins anew next month"),
            ({"cost": "/n"}, 3, "the quota of 5 units has not enough left for this call"),
            ({"cost": "/n"}, 6, "this call alone takes more than the quota of 5 units"),
            ({"of": "argument-bytes"}, 3, "the quota of 5 bytes has not enough left for this call"),
        ],
        ids=str,
    )
    def test_refusal_says_what_is_used_up(self, fields, cost, expected):
        part = made(KIND, limit=5, **fields)
        one = evolve(claim(made(KIND, limit=5), 0.0), cost=cost)

        assert part.refusal(math.inf, one) == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"limit": 0}, ("out-of-range", ("limit",))),
        ({"limit": 5, "of": "result-bytes"}, ("missing-key", ())),
        ({"limit": 5, "of": "result-bytes", "reserve": 6}, ("out-of-range", ("reserve",))),
        ({"limit": 5, "of": "result-bytes", "reserve": 0}, ("out-of-range", ("reserve",))),
        ({"limit": 5, "reserve": 1}, ("says-nothing", ("reserve",))),
        ({"limit": 5, "of": "argument-bytes", "cost": 2}, ("says-nothing", ("cost",))),
        ({"limit": 5, "of": "argument-bytes", "costs": {"a": 2}}, ("says-nothing", ("costs",))),
        ({"limit": 5, "costs": {"a": 6}}, ("out-of-range", ("costs", "a"))),
        ({"limit": 5, "cost": 6}, ("out-of-range", ("cost",))),
        ({"limit": 5, "resets": "daily", "zone": "Mars/Olympus"}, ("bad-value", ("zone",))),
        ({"limit": 5, "resets": "daily", "zone": "../etc/passwd"}, ("bad-value", ("zone",))),
        ({"limit": 5, "zone": "Europe/Berlin"}, ("says-nothing", ("zone",))),
        ({"limit": 5, "store": "redis://u:p@h"}, ("secret-in-rule", ("store",))),
    ],
    ids=str,
)
def test_problem_stands_at_its_key(fields, expected):
    assert problems(KIND, **fields) == [expected]
