"""`repeat`: which calls are the same call, and what becomes of a row of failures."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kinds.making import case, made, problems
from tidegate.kernel.json_values import same_json, snapshot
from tidegate.kind import Output, Tool
from tidegate.kinds.repeat import KIND

json_values = st.recursive(
    st.none() | st.booleans() | st.sampled_from([0, 1, 1.0, 1.5, 10**30]) | st.text("a1", max_size=2),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text("ab", max_size=1), inner, max_size=2),
    max_leaves=4,
)
arguments = st.dictionaries(st.text("ab", max_size=1), json_values, max_size=3)


def key(part, *args, **about):
    """The bucket of the first claim."""
    return part.claims(case(*args, **about))[0].key


@given(one=arguments, other=arguments)
def test_calls_are_the_same_exactly_if_their_arguments_are_the_same_json(one, other):
    """Keys have no order, and `1.0` is `1`."""
    part = made(KIND, same="3/10m")

    assert (key(part, one) == key(part, other)) == same_json(snapshot(one), snapshot(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"tool": "x"}, {"tool": "y"}),
        ({"tool": Tool("s_x", "mcp", "s", "x")}, {"tool": Tool("s_x")}),
        ({"session": "a"}, {"session": "b"}),
        ({"session": "a"}, {}),
    ],
    ids=str,
)
def test_another_tool_or_session_makes_another_call(one, other):
    for part in (made(KIND, same="3/10m"), made(KIND, failures="3/10m")):
        assert key(part, {}, **one) != key(part, {}, **other)


def test_failures_are_counted_whatever_the_arguments():
    part = made(KIND, failures="3/hour")
    (claim,) = part.claims(case({"a": 1}))

    assert claim.settles == "streak"
    assert claim.key == key(part, {"a": 2})


def test_success_ends_a_row_and_a_failure_lengthens_it():
    part = made(KIND, failures="3/hour")

    assert part.settled(Output(("fine",))) is None
    assert part.settled(Output(("Error: no",), is_error=True)) == 1


def test_refusal_tells_what_went_round_in_circles():
    part = made(KIND, same="3/10m", failures="5/hour")
    same, failures = part.claims(case())

    assert part.refusal(1.0, same) == (
        "this very call was made 3 times in 10 minutes; do something else, or ask for help"
    )
    assert part.refusal(1.0, failures) == "this tool failed 5 times in a row; do something else, or ask for help"


def test_refusal_tells_of_how_many_calls_it_looks_at():
    part = made(KIND, same="2/10 calls")
    (claim,) = part.claims(case())

    assert claim.among
    assert part.refusal(1.0, claim).startswith("this very call was made 2 times in the last 10 calls;")


def test_refusal_does_not_change_with_time():
    """A person who was asked is asked again about the same words."""
    part = made(KIND, same="3/minute", then="ask")
    (claim,) = part.claims(case())

    assert part.refusal(1.0, claim) == part.refusal(50.0, claim)
    assert part.says == "ask"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, ("says-nothing", ())),
        ({"same": "often"}, ("bad-limit", ("same",))),
        ({"failures": "3"}, ("bad-limit", ("failures",))),
        ({"same": "1/367d"}, ("out-of-range", ("same",))),
        ({"same": "3/3 calls"}, ("out-of-range", ("same",))),
        ({"same": "3/1001 calls"}, ("out-of-range", ("same",))),
        ({"same": "3/ calls"}, ("bad-limit", ("same",))),
        ({"failures": "3/20 calls"}, ("bad-limit", ("failures",))),
    ],
    ids=str,
)
def test_problem_stands_at_its_key(fields, expected):
    assert problems(KIND, **fields) == [expected]
