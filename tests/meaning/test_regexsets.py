"""Many regular expressions at once say what each says alone, or that they cannot tell."""

import re2
from hypothesis import given
from hypothesis import strategies as st

from tidegate.meaning import regexsets
from tidegate.meaning.names import glob_regex, name_test
from tidegate.meaning.regexsets import RegexSet

patterns = st.lists(st.sampled_from(["a*", "(?i)ab?", ".", "[^b]+", "(?s).*", "", "b|ab"]), max_size=6)
texts = st.text("abA\n", max_size=4)


@given(patterns, texts)
def test_set_finds_what_each_pattern_matches(some, text):
    """The positions are those of the patterns that match the whole text."""
    expected = {at for at, one in enumerate(some) if re2.fullmatch(one, text)}

    assert set(RegexSet(some).matches(text)) == expected


def test_set_that_does_not_fit_is_split(monkeypatch):
    """Where one automaton is too large there are several, and positions stay what they are."""
    monkeypatch.setattr(regexsets, "_MEMORY", 1 << 16)
    some = [f"x{number}[a-z]{{1,20}}y" for number in range(200)]
    many = RegexSet(some)

    assert len(many._chunks) > 1
    assert list(many.matches("x7abcy")) == [7]
    assert list(many.matches("x199qy")) == [199]


def test_set_that_runs_out_of_memory_says_so(monkeypatch):
    """RE2 then answers with nothing at all, and the canary is missing."""
    many = RegexSet(["a", "b"])
    [chunk] = many._chunks

    class Silent:
        def Match(self, _text):  # noqa: N802 - the name in RE2
            return []

    monkeypatch.setattr(chunk, "_set", Silent())

    assert many.matches("a") is None


def test_text_that_is_none_is_not_told():
    """RE2 takes no lone surrogate."""
    assert RegexSet(["a"]).matches("\udcff") is None


@given(st.text("ab*?\u00e9", max_size=4), st.text("ab\u00e9\n\udcff", max_size=5))
def test_glob_of_one_star_is_what_its_regex_says(glob, name):
    """Comparing the ends of a name says the same as matching it."""
    try:
        expected = re2.fullmatch(glob_regex(glob), name) is not None
    except UnicodeEncodeError:
        expected = glob == name

    assert name_test([glob])(name) == expected
