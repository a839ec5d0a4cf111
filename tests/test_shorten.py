"""Shortening text to a bound, with a marker that says how much is missing."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.shorten import NONE, UNBOUNDED, Size, Style, count_lines, shorten_string, shorten_texts, utf8_size

letters = st.text(st.sampled_from("ab \n\né€😀"), max_size=30)
keeps = st.sampled_from(["head", "tail", "head-tail"])
bounds = st.builds(Size, st.just(UNBOUNDED) | st.integers(16, 40), st.just(UNBOUNDED) | st.integers(1, 8))


class TestTexts:
    """Texts one below the other: the marker stands on a line of its own where something is missing."""

    @pytest.mark.parametrize(
        ("keep", "most", "texts", "expected"),
        [
            ("head", Size(UNBOUNDED, 2), ["1\n2\n3\n4\n"], ["1\n[7, 3]"]),
            ("tail", Size(UNBOUNDED, 2), ["1\n2\n3\n4\n"], ["[6, 3]\n4\n"]),
            ("head-tail", Size(UNBOUNDED, 3), ["1\n2\n3\n4"], ["1\n[5, 2]\n4"]),
            ("head", Size(UNBOUNDED, 1), ["1\n2\n3\n4"], ["[7, 4]"]),
            ("head", Size(UNBOUNDED, 4), ["1\n2\n3\n4\n"], ["1\n2\n3\n4\n"]),
            ("head", Size(UNBOUNDED, 2), ["1", "2", "3"], ["1", "[2, 2]", ""]),
            ("tail", Size(UNBOUNDED, 2), ["1", "2", "3"], ["", "", "[2, 2]\n3"]),
            ("head-tail", Size(UNBOUNDED, 3), ["1\n2", "3", "4\n5"], ["1\n[5, 3]", "", "5"]),
            ("head", Size(14, UNBOUNDED), ["0123456789abcdef"], ["012345\n[10, 1]"]),
            ("tail", Size(14, UNBOUNDED), ["0123456789abcdef"], ["[10, 1]\nabcdef"]),
            ("head-tail", Size(14, UNBOUNDED), ["0123456789abcdef"], ["012\n[11, 1]\nef"]),
            ("head", Size(14, UNBOUNDED), ["€€€€€"], ["€€\n[9, 1]"]),
            ("tail", Size(14, UNBOUNDED), ["€😀😀😀😀"], ["[15, 1]\n😀"]),
            ("head", Size(7, UNBOUNDED), ["0123456789abcdef"], ["[16, 1]"]),
            (
                "head",
                Size(20, UNBOUNDED),
                ["0123456789abcdef", "", "xyz", "uvw"],
                ["0123456789ab\n[10, 3]", "", "", ""],
            ),
            ("head", Size(14, 2), ["1\n2\n3"], ["1\n[4, 2]"]),
        ],
        ids=str,
    )
    def test_texts_are_shortened(self, keep, most, texts, expected):
        shown = shorten_texts(texts, most, Style(keep, "[{bytes}, {lines}]"), NONE)

        assert shown == expected

    @given(texts=st.lists(letters, max_size=4), most=bounds, keep=keeps, elsewhere=st.sampled_from([NONE, Size(9, 9)]))
    def test_texts_are_within_the_bound(self, texts, most, keep, elsewhere):
        """All of them together, with the marker, whatever is missing elsewhere."""
        shown = shorten_texts(texts, most, Style(keep, "[{bytes} {lines}]"), elsewhere)

        assert Size(sum(map(utf8_size, shown)), sum(map(count_lines, shown))).within(most)

    @given(texts=st.lists(letters, max_size=4), most=bounds, keep=keeps)
    def test_numbers_tell_what_is_missing(self, texts, most, keep):
        """The bytes in the marker are those of all texts less those that are still there, but for line feeds added."""
        shown = shorten_texts(texts, most, Style(keep, "[{bytes}]"), NONE)
        found = re.findall(r"\n?\[(\d+)\]\n?", "".join(shown))
        left = sum(map(utf8_size, shown)) - sum(len(number) + 2 for number in found)
        whole = sum(map(utf8_size, texts))

        assert len(found) == (shown != texts)
        assert left - 2 <= whole - sum(map(int, found)) <= left

    def test_what_is_missing_elsewhere_is_told_where_all_texts_fit(self):
        assert shorten_texts(["1"], Size(20, 5), Style("head", "[{bytes}]"), Size(7, 1)) == ["1", "[7]"]

    def test_what_is_missing_elsewhere_is_added_where_they_do_not(self):
        shown = shorten_texts(["0123456789"], Size(10, 5), Style("head", "[{bytes}]"), Size(7, 1))

        assert shown == ["01234\n[12]"]


class TestString:
    """One string: the marker stands right where text is missing."""

    @given(text=letters, most=bounds, keep=keeps)
    def test_string_is_within_the_bound(self, text, most, keep):
        shown = shorten_string(text, most, Style(keep, "[{bytes} {lines}]"), utf8_size)

        assert Size(utf8_size(shown), count_lines(shown)).within(most)

    @pytest.mark.parametrize(
        ("keep", "most", "expected"),
        [
            ("head", Size(UNBOUNDED, 2), "1\n2[4]"),
            ("tail", Size(UNBOUNDED, 2), "[4]3\n4"),
            ("head-tail", Size(UNBOUNDED, 2), "1\n2[3]4"),
            ("head", Size(6, UNBOUNDED), "1\n2[4]"),
        ],
    )
    def test_string_is_shortened(self, keep, most, expected):
        assert shorten_string("1\n2\n3\n4", most, Style(keep, "[{bytes}]"), utf8_size) == expected
