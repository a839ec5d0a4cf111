"""`annotate`: one notice, at its place, once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kinds.making import case, made, of_fields, problems
from tidegate.kind import Output
from tidegate.kinds.annotate import KIND

outputs = st.builds(
    Output, st.lists(st.text(max_size=5), max_size=3).map(tuple), st.none() | st.just({"a": 1}), st.booleans()
)


@given(fields=KIND.strategy(), output=outputs)
def test_annotating_twice_is_annotating_once(fields, output):
    part = of_fields(KIND, fields)
    once = part.apply(output, case())

    assert part.apply(once, case()) is once


@given(fields=KIND.strategy(), output=outputs)
def test_what_the_tool_returned_is_left_as_it_is(fields, output):
    """The result without the notice is the result."""
    shown = of_fields(KIND, fields).apply(output, case())
    at_start = fields.at == "start"
    without = shown.blocks if shown is output else shown.blocks[1:] if at_start else shown.blocks[:-1]

    assert (without, shown.structured, shown.is_error) == (output.blocks, output.structured, output.is_error)


@pytest.mark.parametrize(("at", "expected"), [("start", ("!", "a", "b")), ("end", ("a", "b", "!"))])
def test_notice_stands_at_its_place(at, expected):
    assert made(KIND, text="!", at=at).apply(Output(("a", "b")), case()).blocks == expected


def test_time_is_that_of_the_call():
    """By the clock of the engine, in UTC, to the second."""
    assert made(KIND, text="at {time}").apply(Output(()), case()).blocks == ("at 1970-01-01T00:16:40Z",)


@pytest.mark.parametrize(("on", "success", "failure"), [("any", 1, 1), ("success", 1, 0), ("failure", 0, 1)])
def test_notice_is_for_the_results_that_it_is_for(on, success, failure):
    part = made(KIND, text="!", on=on)
    counts = tuple(len(part.apply(Output((), None, is_error), case()).blocks) for is_error in (False, True))

    assert counts == (success, failure)


def test_refusals_get_no_notice():
    output = Output(("Error: no",), is_error=True, refused=True)

    assert made(KIND, text="!").apply(output, case()) is output


@pytest.mark.parametrize("text", [" \n", "{now}", "a {", "{}"])
def test_text_that_says_nothing_is_a_problem(text):
    assert problems(KIND, text=text) == [("bad-marker", ("text",))]
