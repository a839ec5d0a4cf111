"""JSON pointers with `*` for each."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.pointers import (
    EACH,
    MAX_SEGMENTS,
    MISSING,
    BadPointer,
    NoPlace,
    changed,
    parse_pointer,
    pointer_to,
    values_at,
)

keys = st.sampled_from(["a", "b", "0", "1", "a/b", "~", ""])
documents = st.recursive(
    st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)
pointers = st.lists(keys | st.just(EACH), max_size=3).map(tuple)

DOCUMENT = {"a": [{"p": 1}, {"p": 2, "q": 3}], "b": {"x": 1, "y/z": 2, "~": 3}, "c": "text", "": 4, "e": []}


class TestReading:
    """A pointer reads as RFC 6901 says, and `*` is each item or value."""

    @pytest.mark.parametrize(
        ("pointer", "expected"),
        [
            ("/a/1/q", [("/a/1/q", 3)]),
            ("/a/*/p", [("/a/0/p", 1), ("/a/1/p", 2)]),
            ("/a/*/q", [("/a/0/q", MISSING), ("/a/1/q", 3)]),
            ("/b/y~1z", [("/b/y~1z", 2)]),
            ("/b/~0", [("/b/~0", 3)]),
            ("/b/*", [("/b/x", 1), ("/b/y~1z", 2), ("/b/~0", 3)]),
            ("/", [("/", 4)]),
            ("", [("", DOCUMENT)]),
            ("/e/*", []),
            ("/no/*", [("/no/*", MISSING)]),
            ("/no/way", [("/no/way", MISSING)]),
            ("/c/0", [("/c/0", MISSING)]),
            ("/a/2", [("/a/2", MISSING)]),
            ("/a/-", [("/a/-", MISSING)]),
            ("/a/01", [("/a/01", MISSING)]),
            ("/a/-1", [("/a/-1", MISSING)]),
            ("/a/\u0660", [("/a/\u0660", MISSING)]),
        ],
    )
    def test_values_are_found_with_their_places(self, pointer, expected):
        assert values_at(DOCUMENT, pointer) == expected

    @given(document=documents, pointer=pointers)
    def test_places_lead_to_the_values_that_stand_there(self, document, pointer):
        """The pointer that stands beside a value leads to that value and no other."""
        for place, value in values_at(document, pointer):
            assert value is MISSING or values_at(document, place) == [(place, value)]

    @pytest.mark.parametrize(
        ("text", "mend"),
        [
            ("a/b", "write `/a/b`"),
            ("/a~b", "write `~0`"),
            ("/a~", "write `~0`"),
            ("/a" * (MAX_SEGMENTS + 1), "at most"),
        ],
    )
    def test_text_that_is_no_pointer_is_refused(self, text, mend):
        with pytest.raises(BadPointer) as bad:
            parse_pointer(text)

        assert mend in bad.value.mend

    @pytest.mark.parametrize(
        ("name", "mend"), [("a/b", "`/a~1b`"), ("edits/*/path", "write `/edits/*/path`"), ("rec*", "write `/rec*`")]
    )
    def test_plain_name_that_looks_like_a_pointer_is_refused(self, name, mend):
        """Taken for a key it would name an argument that no tool has."""
        with pytest.raises(BadPointer) as bad:
            pointer_to(name)

        assert mend in bad.value.mend
        assert pointer_to("/a~1b") == ("a/b",)


class TestChanging:
    """What is changed is what the pointer reads; the rest is the same object."""

    @given(document=documents, pointer=pointers)
    def test_no_change_gives_the_same_document(self, document, pointer):
        """A change that gives back what it was given leaves the document itself."""
        try:
            after = changed(document, pointer, lambda value: value, needed=False)
        except NoPlace:
            return

        assert after is document

    @given(document=documents, pointer=pointers)
    def test_value_that_was_put_is_read_and_the_rest_stays(self, document, pointer):
        """Every place reads as the new value, and the old document is as it was."""
        before, new = repr(document), object()
        try:
            after = changed(document, pointer, lambda value: value if value is MISSING else new, needed=False)
        except NoPlace:
            return
        found = [place for place, value in values_at(document, pointer) if value is not MISSING]

        assert repr(document) == before
        assert [place for place, value in values_at(after, pointer) if value is new] == found

    @pytest.mark.parametrize(
        ("pointer", "place", "why"),
        [
            ("/no/way", "/no", "is missing"),
            ("/c/x", "/c", "neither"),
            ("/c/*", "/c", "neither"),
            ("/a/*/p/x", "/a/0/p", "neither"),
            ("/a/x", "/a", "an array, not an object"),
            ("/a/2", "/a", "has no item 2"),
        ],
    )
    def test_place_that_cannot_be_is_refused(self, pointer, place, why):
        with pytest.raises(NoPlace, match=why) as error:
            changed(DOCUMENT, parse_pointer(pointer), lambda _: 0, needed=True)

        assert error.value.place == place

    @pytest.mark.parametrize("pointer", ["/no/*/x", "/e/*/x", "/e/*", "/no/*"])
    def test_nothing_under_a_star_is_nothing_to_do(self, pointer):
        assert changed(DOCUMENT, parse_pointer(pointer), lambda _: 0, needed=True) is DOCUMENT

    def test_missing_parent_is_nothing_to_do_when_it_is_not_needed(self):
        assert changed(DOCUMENT, parse_pointer("/no/way"), lambda _: 0, needed=False) is DOCUMENT
