"""Whether a value stands in a text as a whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.meaning.origins import normalised, occurs

words = st.text("ab1", min_size=1, max_size=4)
joiners = st.sampled_from([".", "-", "@", "+", "/", "%", "&", "#", "~", "\\", "..", "//", "-/"])
values = st.builds(lambda first, rest: first + "".join(rest), words, st.lists(st.builds(str.__add__, joiners, words)))
blanks = st.sampled_from([" ", "\n", "\t", ' "', " (", "<", ", ", "; ", "", "\u00a0"])
ends = st.sampled_from([" ", "\n", '"', ")", ">", ", ", ". ", ".", "!", "?", ".\n", ""])


around = st.tuples(st.sampled_from(["", "see", "x.y", "12"]), st.sampled_from(["", "z", "9"]))


@given(value=values, around=around, blank=blanks, end=ends)
def test_value_between_marks_and_blanks_is_found(value, around, blank, end):
    """Quotes, brackets, commas before a blank and the end of a sentence are no part of it."""
    before, after = around
    blank = blank or (" " if before else "")
    end = end if end and (end[-1] in " \n)>" or not after) else " "

    assert occurs(value, before + blank + value + end + after)


@given(value=values, more=words, joiner=st.just("") | joiners, front=st.booleans())
def test_part_of_something_else_is_not_found(value, more, joiner, front):
    """Letters and digits beside it, and marks as they stand in addresses and paths, make another value of it."""
    whole = f"c{more}{joiner}{value}" if front else f"{value}{joiner}{more}c"

    assert not occurs(value, f"c {whole} c")


@given(value=st.text(max_size=6), text=st.text(max_size=20))
def test_what_is_found_is_there(value, text):
    assert not occurs(value, text) or (value in text and value.strip())


@given(value=st.text(min_size=1, max_size=8))
def test_whole_text_is_in_itself(value):
    """However it begins and ends; a blank alone is nothing."""
    assert occurs(value, value) == bool(value.strip())


@given(st.text(max_size=12))
def test_normalising_twice_is_normalising_once(text):
    assert normalised(normalised(text)) == normalised(text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("bob@example.com", "mail <bob@example.com>"),
        ("bob@example.com", "(bob@example.com)."),
        ("bob@example.com", "mailto:bob@example.com"),
        ("general", "tell #general about it"),
        ("/etc/hosts", "look at /etc/hosts"),
        ("5", "5, 6 and 7"),
        ("DE89", '{"iban":"DE89"}'),
        ("-5", "it is -5 degrees"),
    ],
)
def test_these_are_there(value, text):
    assert occurs(value, text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("bob@example.com", "notbob@example.com"),
        ("bob@example.com", "bob@example.com.evil.test"),
        ("bob@example.com", "a.bob@example.com"),
        ("https://example.com", "https://example.com/evil"),
        ("https://example.com", "https://example.com//evil"),
        ("/etc/hosts", "/srv/etc/hosts"),
        ("/etc/hosts", "./etc/hosts"),
        ("1", "21"),
        ("1", "1.5"),
        ("000", "1,000"),
        ("30", "12:30"),
        ("5", "-5"),
        ("1", "see item_1"),
        ("", "anything"),
        (" ", "a b"),
    ],
)
def test_these_are_not(value, text):
    assert not occurs(value, text)


def test_hostile_text_ends_soon():
    """A value is not looked for for ever; what is not found in time is not there."""
    assert not occurs("a", "x-a-a" * 100_000)
    assert not occurs("a", "a" * 1_000_000)
    assert not occurs("a", "-" * 1_000_000 + "a")
