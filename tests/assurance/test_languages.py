"""Languages hold what their patterns match, and their algebra is that of sets."""

from itertools import product

import pytest
import re2
from hypothesis import assume, given
from hypothesis import example as example_of
from hypothesis import strategies as st

from tidegate.assurance.languages import (
    NotDecided,
    Unread,
    example,
    glob_language,
    is_within,
    is_within_all,
    name_language,
    regex_pieces,
    share,
)
from tidegate.assurance.languages.algebra import Machine
from tidegate.meaning.globs import Glob
from tidegate.meaning.names import name_test

ATOMS = [
    "a",
    "b",
    "k",
    "s",
    ".",
    "[a-k]",
    "[^a]",
    r"\d",
    r"\W",
    r"\w",
    r"\s",
    "[[:alpha:]]",
    "(?:ab|a)",
    "(a|)",
    "(?i:k)",
]
ATOMS += [
    "(?i:[a-c])",
    "(?i:[^k])",
    "(?s:.)",
    r"\.",
    "A",
    "[]a]",
    r"[a\-c]",
    "[^]a]",
    "[a-]",
    r"[\d\s]",
    "(?i)s",
    "^",
    "$",
]
ATOMS += [
    "|",
    "(",
    ")",
    r"\x41",
    r"\x{62}",
    r"\A",
    r"\z",
    r"\t",
    "(?P<n>a)",
    "(?-s:.)",
    r"(?i:\W)",
    r"\b",
    r"\pL",
    r"\Qa\E",
]
regexes = st.lists(
    st.tuples(st.sampled_from(ATOMS), st.sampled_from(["", "", "", "*", "+", "?", "{2}", "{1,2}", "{0,}", "*?"])).map(
        "".join
    ),
    max_size=4,
).map("".join)
texts = st.text("abkKsSc.A1-]\n\t \u017f\u212aé", max_size=4)
globs = st.text("ab*?", min_size=1, max_size=5)
WORDS = ["".join(word) for size in range(5) for word in product("ab", repeat=size)]


def words_of(glob):
    """The words over a small alphabet that a glob matches; each of its languages of at most four letters."""
    return {word for word in WORDS if name_test([glob])(word)}


@example_of("(?i:k)", ["k", "K", "\u212a"])
@example_of("(?i)s", ["s", "\u017f"])
@example_of(r"(?i:\W)", ["\u017f", "\u212a", "é"])
@given(regexes, st.lists(texts, min_size=1, max_size=6))
def test_regex_holds_what_re2_matches(regex, words):
    """A regular expression that is read matches, as a whole, exactly what RE2 matches."""
    options = re2.Options()
    options.log_errors = False
    try:
        compiled = re2.compile(regex, options)
        language = Machine(regex_pieces(regex))
    except (re2.error, Unread):
        assume(False)

    assert [language.holds(word) for word in words] == [compiled.fullmatch(word) is not None for word in words]


@pytest.mark.parametrize("regex", [r"\bword\b", r"\pL+", r"(?m)^a", "a^b", "(a$)", r"(?i)é", r"\Qa.b\E", r"a\zb"])
def test_regex_that_is_not_modelled_is_said_to_be_unread(regex):
    """What nobody here models is never taken for something else."""
    with pytest.raises(Unread):
        regex_pieces(regex)


@given(st.lists(st.text("ab*?[!]{,}/.", min_size=1, max_size=8), min_size=1, max_size=2), st.text("ab/.", max_size=6))
def test_glob_language_holds_what_globs_match(patterns, path):
    """The language of globs of paths is what they match."""
    compiled = []
    for pattern in patterns:
        try:
            compiled.append(Glob.compile(f"/{pattern}"))
        except ValueError:
            continue
    assume(compiled)
    language = glob_language(compiled)

    assert language.holds(f"/{path}") == any(glob.match(f"/{path}") is True for glob in compiled)


@given(globs, globs)
def test_within_and_share_are_those_of_the_sets(one, other):
    """What is said of two globs agrees with the words that they match."""
    mine, theirs = name_language([one]), name_language([other])
    common = share(mine, theirs)
    if is_within(mine, theirs):
        assert words_of(one) <= words_of(other)
    else:
        word = example(mine - theirs)

        assert name_test([one])(word)
        assert not name_test([other])(word)
    if common is None:
        assert words_of(one) & words_of(other) == set()
    else:
        assert name_test([one])(common)
        assert name_test([other])(common)


@given(globs, st.lists(globs, max_size=4))
def test_within_all_is_within_the_union(one, others):
    """One language is within others exactly if it is within what they have together."""
    several = is_within_all(name_language([one]), [name_language([other]) for other in others])

    assert several == (is_within(name_language([one]), name_language(others)))


@given(globs, globs)
def test_example_is_a_shortest_one(one, other):
    """No shorter text than the example is in the language."""
    language = name_language([one]) - name_language([other])
    found = example(language)
    short = [word for word in WORDS if language.holds(word)]

    assert not short if found is None else all(len(word) >= len(found) for word in short)


def test_language_past_its_bound_is_not_decided():
    """A question that would take too long is not answered."""
    large = Machine(regex_pieces("(?s).*a.{12}"))
    with pytest.raises(NotDecided, match="more than 500 states"):
        example(large - Machine(regex_pieces("(?s).*b.{12}|.*a.{12}")), most=500)
    with pytest.raises(NotDecided, match="parts"):
        Machine(regex_pieces("((a{900}){900}){900}"))
