"""The spellings under which a deny compares names."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tidegate.meaning.globs import Glob
from tidegate.meaning.lookalikes import fold
from tidegate.meaning.tri import Unknown, any_of
from tidegate.meaning.values import Hole, Partial, concat
from tidegate.meaning.widen import short_names, widen, widen_glob

texts = st.text(st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1, max_size=12)
tricky = st.text(
    st.sampled_from(
        [*"aAbk1. :~/\\", "\u200b", "\u0301", "É", "ß", "К", "а", "ﬁ", "／", "．", "：", "İ", "ſ", "\xa0", "K"]
    ),
    max_size=12,
)


@given(st.one_of(texts, tricky))
@example("İ").via("a capital whose small form is two characters")
def test_folding_twice_is_folding_once(text):
    """What a text looks like looks like itself."""
    assert fold(fold(text)) == fold(text)


@given(st.lists(st.one_of(texts, tricky), min_size=1, max_size=4).map(lambda names: "/" + "/".join(names)))
def test_widening_twice_is_widening_once(name):
    """The last spelling of a name has no other spelling."""
    last = widen(name)[-1]

    assert widen(last)[-1] == last


@given(st.one_of(texts, tricky))
def test_every_case_and_form_of_a_name_shares_a_spelling(text):
    """Case and Unicode form make no difference to a deny."""
    spellings = set(widen(text))

    for other in (text.casefold(), text.upper(), *(unicodedata.normalize(form, text) for form in ("NFC", "NFKD"))):
        assert spellings & set(widen(other))


@pytest.mark.parametrize(
    ("text", "looks"),
    [
        (".ENV", ".env"),
        (".еnv", ".env"),
        (".ＥＮＶ", ".env"),
        ("．env", ".env"),
        (".en\u200dv", ".env"),
        (".e\u00adn\ufe0fv\U000e0061", ".env"),
        (".e\x01n\x7fv", ".env"),
        ("ΟΡΑ", "opa"),
        ("ﬁle", "file"),
        ("a\\b", "a/b"),
        ("a／b＼c⁄d∖e", "a/b/c/d/e"),
        ("a\u3000b", "a b"),
        ("é", "e\u0301"),
        ("0O1lI", "0o1li"),
    ],
)
def test_text_is_folded_to_what_it_looks_like(text, looks):
    """No ASCII character is a look-alike of another."""
    assert fold(text) == looks


@pytest.mark.parametrize(
    ("name", "spellings"),
    [
        ("/p/.git/config", ("/p/.git/config",)),
        ("/p/.Git./config", ("/p/.git./config", "/p/.git/config")),
        ("/p/.git. . /config ", ("/p/.git. . /config ", "/p/.git/config")),
        ("/p/.git::$INDEX_ALLOCATION/x", ("/p/.git::$index_allocation/x", "/p/.git/x")),
        ("/p/.env:stream", ("/p/.env:stream", "/p/.env")),
        ("/p/.env::$DATA", ("/p/.env::$data", "/p/.env")),
        ("/p/a\\..\\.env", ("/p/a/../.env", "/p/.env")),
        ("/p/‥/x", ("/p/../x", "/x")),
        ("/p/.../x", ("/p/.../x",)),
        ("/p/:x", ("/p/:x",)),
    ],
)
def test_name_is_widened_over_what_windows_leaves_out(name, spellings):
    assert widen(name) == spellings


@pytest.mark.parametrize(
    ("parts", "spellings"),
    [
        (("/P/", Hole.NAME, ".ENV"), [("/p/", Hole.NAME, ".env")]),
        (("/p/.git.", Hole.NAME, "/x"), [("/p/.git.", Hole.NAME, "/x"), ("/p/.git", Hole.NAME, "/x")]),
        (("/p/.git:", Hole.DIGITS, "/x"), [("/p/.git:", Hole.DIGITS, "/x"), "/p/.git/x"]),
        (("/p/b.", Hole.NAME, "."), [("/p/b.", Hole.NAME, "."), ("/p/b", Hole.NAME)]),
        (("/p/b.", Hole.DIGITS, "."), [("/p/b.", Hole.DIGITS, "."), ("/p/b.", Hole.DIGITS)]),
        (("/p/b", Hole.NAME, "\\"), [("/p/b", Hole.NAME, "/"), ("/p/b", Hole.NAME)]),
        (("/p/. ", Hole.NAME), [("/p/. ", Hole.NAME), (Hole.ANY,)]),
        (("/p/", Hole.NAME, "\\b"), [("/p/", Hole.NAME, "/b"), (Hole.ANY,)]),
        (("/p/b.", Hole.NAME, ":x"), [("/p/b.", Hole.NAME, ":x"), ("/p/b", Hole.NAME)]),
        (("/p/x:", Hole.ANY, "/y"), [("/p/x:", Hole.ANY, "/y"), ("/p/x", Hole.ANY, "/y")]),
        (("/p/x", Hole.NAME, ". /y"), [("/p/x", Hole.NAME, ". /y"), ("/p/x", Hole.NAME, "/y")]),
        (("/p/x", Hole.NAME, "\\..\\y"), [("/p/x", Hole.NAME, "/../y"), (Hole.ANY,)]),
    ],
)
def test_partly_known_name_is_widened_to_all_that_it_could_be(parts, spellings):
    found = [getattr(spelling, "parts", spelling) for spelling in widen(Partial(parts, "r"))]

    assert found == spellings


def named(glob, name):
    """What a deny asks."""
    asked = [Glob.compile(glob).match(name)]
    asked += [widen_glob(Glob.compile(glob)).match(spelling) for spelling in widen(name)]
    asked += [short.match(spelling) for short in short_names(Glob.compile(glob)) for spelling in widen(name)]
    return any_of(asked)


@pytest.mark.parametrize(
    ("glob", "name", "expected"),
    [
        ("/p/[A-C]*", "/p/bx", True),
        ("/p/[A-C]*", "/p/ВX", True),
        ("/p/[!A-C]*", "/p/bx", True),
        ("/p/[!A-C]*", "/p/dx", True),
        ("/p/[!a-c]*", "/p/bx", False),
        ("/p/[\u0100-\U0010ffff]x", "/p/ax", False),
        ("/p/[\u0100-\U0010ffff]x", "/p/\u4e00x", True),
        ("/p/?x", "/p/ﬁx", True),
        ("/p/.git", "/p/git~1", True),
        ("/p/.git", "/p/GIT~2/", False),
        ("/p/.git/config.toml", "/p/GIT~1/CONFIG~1.TOM", True),
        ("/p/.git/config.toml", "/p/GIT~12/config.toml", True),
        ("/p/.gitignore", "/p/GI7D29~1", True),
        ("/p/.gitignore", "/p/GITIG~10", True),
        ("/p/settings.json", "/p/SETTIN~1.JSO", True),
        ("/p/a.b", "/p/a~1.b", False),
        ("/p/.git", "/p/git~", False),
        ("/p/ν", "/p/Ν", True),
        ("/p/v", "/p/ν", True),
        ("/p/n", "/p/Ν", True),
        ("/p/....", "/p/~1", False),
        ("/p/a:b", "/p/a", False),
        ("/p/a.", "/p/A.", True),
    ],
)
def test_deny_compares_every_spelling(glob, name, expected):
    """`[!A-C]` names `b` as it is written, though not over case: a deny asks for both."""
    assert named(glob, name) is expected


def test_deny_of_a_deep_plain_path_knows_short_names():
    """Past a few segments, one short name at a time or all of them are known."""
    glob = "/" + "/".join(f"directory{letter}" for letter in "abcdefgh")
    first = glob.replace("directorya", "DIRECT~1")
    every = "/" + "/".join(["DIRECT~1"] * 8)

    assert named(glob, first) is True
    assert named(glob, every) is True


@given(tricky.map(lambda text: f"/{text}"), st.sampled_from(["/**/*", "/*", "/a*/**", "/[!b]*", "/?"]))
def test_widening_only_adds(name, glob):
    """What a glob names exactly, a deny names as well."""
    assert Glob.compile(glob).match(name) is not True or named(glob, name) is True


@given(
    st.lists(st.text("aB. :\\", max_size=3) | st.sampled_from([Hole.NAME, Hole.DIGITS]), min_size=1, max_size=3),
    st.data(),
)
def test_widened_answer_about_partial_text_holds_for_all_that_it_can_be(parts, data):
    """No means that no text which it can be is named under any spelling."""
    value = concat(["/", *(part if isinstance(part, str) else Partial((part,), "r") for part in parts)])
    glob = data.draw(st.sampled_from(["/a", "/ab", "/b/**", "/a/b", "/**/b"]))
    answer = named(glob, value)
    drawn = [
        part if isinstance(part, str) else data.draw(st.text("ab. ", max_size=3) if part is Hole.NAME else st.just("1"))
        for part in parts
    ]

    assert isinstance(answer, Unknown) or answer is named(glob, "/" + "".join(drawn)) or answer is True
