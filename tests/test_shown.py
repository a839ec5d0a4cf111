"""The one escaper: what it makes visible, and that no two texts are shown alike."""

import re
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.shown import escape, quote

UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
ESCAPE = re.compile(r"\\u\{([0-9a-f]+)\}")

texts = (
    st.text(max_size=20)
    | st.text("\\u{}20e`a\u202e\u200b ", max_size=20)
    | st.text(st.characters(categories=["Cs", "Cf"]), max_size=20)
)


def test_escape_shows_every_character_that_cannot_be_seen():
    """Controls, format characters, surrogates and separators of all of Unicode become escapes."""
    characters = map(chr, range(sys.maxunicode + 1))
    hidden = [one for one in characters if unicodedata.category(one) in UNSEEN and escape(one) == one]

    assert hidden == []


def test_escape_shows_every_blank_but_the_space():
    """A blank that is no space must not pass for one."""
    blanks = [one for one in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(one) == "Zs"]

    assert [one for one in blanks if escape(one) == one] == [" "]


@pytest.mark.parametrize(
    "text", ["rm -rf /srv", "Grüße, 你好, שלום, नमस्ते", "a\\b\\\\c", "`x` 'y' \"z\"", "é e\u0301 👍🏽"]
)
def test_escape_leaves_what_people_read(text):
    """Letters of every script, marks, signs and emoji stay as they are."""
    assert escape(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb\tc", r"a\u{a}b\u{9}c"),
        ("\x1b[31m", r"\u{1b}[31m"),
        ("access\u202etxt.exe", r"access\u{202e}txt.exe"),
        ("pay\u200bpal", r"pay\u{200b}pal"),
        ("\U000e0041\ud800", r"\u{e0041}\u{d800}"),
        (r"\u{202e}", r"\u{5c}u{202e}"),
    ],
)
def test_escape_writes_the_number_of_the_character(text, shown):
    assert escape(text) == shown


@given(texts)
def test_escape_loses_nothing(text):
    """The text can be told from what is shown, so no two texts are shown alike."""
    assert ESCAPE.sub(lambda match: chr(int(match[1], 16)), escape(text)) == text


@given(texts, st.integers(1, 30))
def test_escape_keeps_the_limit_and_whole_escapes(text, limit):
    """A shortened text fits its limit, is a beginning of the whole, and says that it goes on."""
    whole, shown = escape(text), escape(text, limit)

    assert len(shown) <= limit
    assert shown == whole or (shown[-1] == "…" and whole.startswith(shown[:-1]))
    assert "\\u{" not in ESCAPE.sub("", shown)


@given(texts)
def test_quote_cannot_be_left_by_the_text(text):
    """The text between the backticks holds no backtick, whatever it is."""
    assert quote(text, None)[1:-1].count("`") == 0
    assert (quote(text)[0], quote(text)[-1]) == ("`", "`")
