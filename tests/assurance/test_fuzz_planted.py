"""Weak policies that were planted are seen through."""

import pytest

from tests.assurance.planted import PLANTED, search

MOST = 1_000
"""Examples within which each weakness must show."""


def test_planted_policies_are_many_and_named_once():
    """The table of the docs counts at least twenty-five."""
    assert len({one["name"] for one in PLANTED}) == len(PLANTED) >= 25


@pytest.mark.parametrize("planted", PLANTED, ids=lambda one: one["name"])
def test_weakness_is_found(planted):
    """A call that shows the weakness is found within a bounded number of examples."""
    found = search(planted, examples=MOST, seed=0)

    assert len(found.violations) == 1
    assert sum(found.tried.values()) <= MOST
