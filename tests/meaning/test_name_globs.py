"""Globs of names: two overlap where some name is matched by both."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from tidegate.meaning.names import name_test, overlap

NAMES = ["".join(letters) for size in range(7) for letters in product("ab", repeat=size)]
GLOBS = st.text("ab*?", max_size=3)


@given(GLOBS, GLOBS)
def test_overlap_is_a_name_that_both_match(one, two):
    """Names of two letters up to the length of both globs tell whether there is any."""
    first, second = name_test([one]), name_test([two])
    expected = any(first(name) and second(name) for name in NAMES)

    assert overlap(one, two) == overlap(two, one) == expected


def test_overlap_of_names_of_tools():
    """A rule about some of the tools of a bound glob is about tools that are known."""
    assert overlap("mcp__tickets__create_ticket", "mcp__tickets__*_ticket")
    assert overlap("mcp__*", "mcp__tickets__*_ticket")
    assert not overlap("mcp__tickets__create", "mcp__tickets__*_ticket")
