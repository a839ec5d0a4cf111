"""Values of words: what they show of themselves, by which approvals are bound."""

import pytest

from tidegate.meaning.values import Hole, Listing, Partial

PARTS = ("/tmp/", Hole.ANY)
KINDS = [Partial, *(kind for kind in Partial.__subclasses__() if kind is not Listing)]


@pytest.mark.parametrize("kind", KINDS)
def test_partly_known_word_shows_what_it_is(kind):
    """Its kind, its parts, and why it is not known; words of different kinds differ."""
    shown = repr(kind(PARTS, "why"))

    assert shown.startswith(f"{kind.__name__}({PARTS!r}, 'why'")
    assert [other for other in KINDS if other is not kind and repr(other(PARTS, "why")) == shown] == []


def test_listing_shows_its_names():
    """An approval of some names is none of others."""
    assert "'/a'" in repr(Listing(("/a",), "\n", ("/",), "why"))
