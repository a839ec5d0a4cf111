"""Globs: what they name, exactly and where a name is only partly known."""

from __future__ import annotations

from itertools import pairwise, product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tidegate.meaning.globs import Glob, GlobSet
from tidegate.meaning.globtokens import BadGlob
from tidegate.meaning.tri import Unknown
from tidegate.meaning.values import Hole, Partial

# --- a matcher that shares nothing with the product: it walks the drawn pattern, not its text


def names_match(segments, names):
    if not segments:
        return not names
    if segments[0] == "**":
        return any(names_match(segments[1:], names[at:]) for at in range(len(names) + 1))
    return bool(names) and atoms_match(segments[0], names[0]) and names_match(segments[1:], names[1:])


def atoms_match(atoms, name):
    if not atoms:
        return not name
    atom, rest = atoms[0], atoms[1:]
    if atom == "*":
        return any(atoms_match(rest, name[at:]) for at in range(len(name) + 1))
    if not name:
        return False
    if atom == "?":
        hit = True
    elif isinstance(atom, tuple):
        negated, members = atom
        hit = (name[0] in members) != negated
    else:
        hit = name[0] == atom
    return hit and atoms_match(rest, name[1:])


def written(segments):
    return (
        "".join("/" + (segment if segment == "**" else "".join(map(atom_text, segment))) for segment in segments) or "/"
    )


def atom_text(atom):
    if isinstance(atom, tuple):
        negated, members = atom
        return f"[{'!' * negated}{''.join(members)}]"
    return atom if atom in "*?" else f"\\{atom}"


atoms = st.sampled_from(
    ["a", "b", ".", "1", "a", "b", "*", "?", (False, ("a", "1")), (True, ("a",)), (True, (".", "b"))]
)
segments = st.lists(atoms, min_size=1, max_size=4).filter(
    lambda drawn: all(pair != ("*", "*") for pair in pairwise(drawn))
)
segments = segments.filter(lambda drawn: drawn not in (["."], [".", "."]))
patterns = st.lists(st.just("**") | segments, max_size=4)
names = st.lists(st.text("ab.1", min_size=1, max_size=4), max_size=4)
holes = st.sampled_from(Hole)


@given(patterns, names)
@example(["**"], []).via("`**` is the place itself as well")
@example([["*"]], []).via("`/` has no name that `*` could be")
@example([["a"], "**", ["b"]], ["a", "b"]).via("`**` is no name at all")
def test_glob_agrees_with_a_matcher_of_its_own(pattern, path):
    """A glob names a path exactly if each name fits its segment and `**` takes any number of names."""
    name = "/" + "/".join(path)

    assert Glob.compile(written(pattern)).match(name) is names_match(pattern, path)


@given(st.lists(patterns, max_size=5), names)
def test_glob_set_agrees_with_its_globs(many, path):
    """A set reports exactly the globs that name the text, in order."""
    globs = [Glob.compile(written(pattern)) for pattern in many]
    name = "".join(f"/{part}" for part in path)

    assert GlobSet(globs).matches(name) == [at for at, glob in enumerate(globs) if glob.match(name)]


def texts(alphabet, longest):
    return ["".join(text) for size in range(longest + 1) for text in product(alphabet, repeat=size)]


def visible(found):
    return [text for text in found if not text.startswith(".")]


SHAPES = {
    Hole.ANY: texts("a.1/", 4),
    Hole.NAME: texts("a.1", 4),
    Hole.VISIBLE: visible(texts("a.1", 4)),
    Hole.DIGITS: ["1", "11", "2"],
    Hole.FOLDERS: ["", "a/", "1/", "aa/", "a/1/", ".a/", "a./.1/"],
    Hole.ENTRY: [text for text in texts("a.1", 4) if text not in ("", ".", "..")],
}
MOST = {0: 1, 1: 400, 2: 22, 3: 8}


def instances(parts):
    most = MOST[sum(1 for part in parts if isinstance(part, Hole))]
    choices = [[part] if isinstance(part, str) else SHAPES[part][:most] for part in parts]
    return ["".join(chosen) for chosen in product(*choices) if not breaks_a_name(parts, chosen)]


def breaks_a_name(parts, chosen):
    """Whether a visible name would be empty or begin with a dot."""
    after = [*parts[1:], "/"]
    return any(
        part is Hole.VISIBLE and not text and isinstance(then, str) and then.startswith((".", "/"))
        for part, text, then in zip(parts, chosen, after, strict=True)
    )


partials = st.lists(st.text("a.1/", min_size=1, max_size=3) | holes, min_size=1, max_size=3)


@given(patterns, partials)
def test_glob_says_yes_or_no_to_partial_text_only_where_all_of_it_agrees(pattern, parts):
    """Yes only if all that the text can be is named, no only if none of it is."""
    glob = Glob.compile(written(pattern))
    answer = glob.match(Partial(tuple(parts), "a test"))
    said = {glob.match(text) for text in instances(parts)}

    assert isinstance(answer, Unknown) or said == {answer}


small = st.lists(
    st.just("**") | st.lists(st.sampled_from(["a", "1", "*", "?"]), min_size=1, max_size=2), max_size=2
).filter(lambda drawn: ["*", "*"] not in drawn)


@given(small, st.text("a1/", max_size=3), holes, st.text("a1/", max_size=2))
def test_glob_doubts_partial_text_only_where_it_really_depends(pattern, head, hole, tail):
    """Unknown is said only where one text that it can be is named and another is not."""
    glob = Glob.compile(written(pattern))
    parts = (f"/{head}", hole, tail) if tail else (f"/{head}", hole)
    answer = glob.match(Partial(parts, "a test"))

    named = texts("a1", 5)
    shapes = {
        Hole.ANY: texts("a1/", 5),
        Hole.NAME: named,
        Hole.VISIBLE: named,
        Hole.DIGITS: ["1", "11", "1111"],
        Hole.FOLDERS: ["", *(f"{text}/" for text in texts("a1/", 4) if text)],
        Hole.ENTRY: [text for text in named if text],
    }
    other = "2/" if hole is Hole.FOLDERS else "2"
    insides = [
        text for text in [*shapes[hole], other] if not breaks_a_name(parts, (parts[0], text, tail)[: len(parts)])
    ]
    said = {glob.match(f"/{head}{inside}{tail}") for inside in insides}
    assert isinstance(answer, Unknown) == (said == {True, False})


@given(patterns, names, st.lists(names, min_size=1, max_size=6))
def test_glob_knows_what_may_stand_beneath_a_directory(pattern, directory, found):
    """Covering means that every name beneath is named, and no possible match that none is."""
    glob = Glob.compile(written(pattern))
    base = "/" + "/".join(directory)
    below = [glob.match(base.rstrip("/") + "/" + "/".join(path)) for path in found if path]

    assert all(below) or glob.covers_beneath(base) is False
    assert not any(below) or glob.may_match_beneath(base) is True


@pytest.mark.parametrize(
    ("glob", "covers", "may"),
    [
        ("/x/**", True, True),
        ("/x/*", False, False),
        ("/x/*/*", False, True),
        ("/x/d/**", True, True),
        ("/x/d/e/f", False, True),
        ("/y/**", False, False),
        ("**/.env", False, True),
        ("/x/d", False, False),
        ("/", False, False),
        ("/**", True, True),
    ],
)
def test_glob_beneath_a_known_directory(glob, covers, may):
    """For a known directory both questions have a definite answer."""
    compiled = Glob.compile(glob, base="/")

    assert (compiled.covers_beneath("/x/d"), compiled.may_match_beneath("/x/d")) == (covers, may)


@pytest.mark.parametrize("value", [Partial(("/x/", Hole.NAME), "r"), Partial((Hole.ANY, "/d"), "r")])
def test_glob_beneath_an_unknown_directory_is_unknown_where_it_depends(value):
    glob = Glob.compile("/x/d/**")

    assert isinstance(glob.covers_beneath(value), Unknown)
    assert isinstance(glob.may_match_beneath(value), Unknown)


@pytest.mark.parametrize(
    ("glob", "base", "name", "expected"),
    [
        ("/x/**", None, "/x", True),
        ("/x/**", None, "/x/.hidden/y", True),
        ("/x/**", None, "/xy", False),
        ("/x/*", None, "/x/.env", True),
        ("/x/*", None, "/x/a/b", False),
        ("/x/**/b", None, "/x/b", True),
        ("/x/**/b", None, "/x/ab", False),
        ("**/.env", "/p", "/p/.env", True),
        ("**/.env", "/p", "/p/a/b/.env", True),
        ("**/.env", "/p", "/p/a.env", False),
        ("**/.env", "/p", "/q/.env", False),
        ("src/{a,b*}/?.py", "/p", "/p/src/bc/x.py", True),
        ("src/{a,b*}/?.py", "/p", "/p/src/c/x.py", False),
        ("../q/*", "/p", "/q/x", True),
        ("a\\*b", "/p", "/p/a*b", True),
        ("a\\*b", "/p", "/p/axb", False),
        ("[!a-c]x", "/p", "/p/dx", True),
        ("[!a-c]x", "/p", "/p/bx", False),
        ("[]-]x", "/p", "/p/-x", True),
        ("x[!a]y", "/p", "/p/x/y", False),
        ("x?y", "/p", "/p/x/y", False),
        ("/**/a", None, "1/a", False),
        ("/a/**", None, "a/b", False),
        ("*", "/p*[x]", "/p*[x]/a", True),
        ("*", "/p*[x]", "/pppx/a", False),
        ("web_*", None, "web_fetch", True),
        ("**", None, "a/b", True),
        ("**/x", None, "x", True),
        ("**/x", None, "a/b/x", True),
        ("a/**", None, "a", True),
        ("é/**", "/", "/é/x", True),
        ("/", None, "/", True),
        ("/**", None, "/", True),
        ("/x\n*", None, "/x\ny\n", True),
        ("/*", None, "/\udcff", True),
    ],
)
def test_glob_names(glob, base, name, expected):
    assert Glob.compile(glob, base=base).match(name) is expected


@pytest.mark.parametrize(
    ("glob", "offset", "what"),
    [
        ("", 0, "empty"),
        ("a[b", 1, "never closed"),
        ("a{b,c", 1, "never closed"),
        ("a}", 1, "closes nothing"),
        ("{a,}", 3, "empty alternative"),
        ("{,a}", 1, "empty alternative"),
        ("{a}{b}", 0, "no place"),
        ("{a-b}", 0, "single alternative"),
        ("{rot}/x", 0, "no place"),
        ("a\\", 1, "escapes nothing"),
        ("[z-a]", 1, "backwards"),
        ("[a/b]", 0, "slash"),
        ("[[:alpha:]]", 1, "by name"),
        ("[^a]", 1, "two ways"),
        ("a**", 1, "stand alone"),
        ("***", 0, "stand alone"),
        ("/a//b", 3, "no name between"),
        ("/a/", 2, "names nothing"),
        ("a/*/../b", 4, "not plain"),
        ("/..", 0, "above the root"),
        ("a\0b", 1, "no name has"),
        ("a\ud800", 1, "no name has"),
        ("a" * 5_000, 2_048, "5000 characters"),
        ("{a,b}" * 9, 40, "256"),
        ("{a," * 9 + "b" + "}" * 9, 24, "too deep"),
        ("{{aaaa,b},{c,d}}/" * 2 + "x" * 400, 0, "too large"),
        ("~/x", 0, "begins with a place"),
        ("{root}/x", 0, "begins with a place"),
        ("../x", 0, "begins with a place"),
        ("{/a,b}", 0, "one alternative only"),
    ],
)
def test_broken_glob_is_refused_with_its_offset(glob, offset, what):
    """Whatever cannot be meant is refused where it stands, with a word on what to write instead."""
    with pytest.raises(BadGlob, match=what) as refusal:
        Glob.compile(glob)

    assert refusal.value.offset == offset
    assert refusal.value.mend


@given(st.text("ab*?[]{},!-\\/~^.", max_size=24))
def test_any_text_is_a_glob_or_refused(text):
    """Compiling ends in a glob that answers or in a refusal whose offset lies in the text."""
    try:
        glob = Glob.compile(text, base="/")
    except BadGlob as refusal:
        assert 0 <= refusal.offset <= len(text)  # noqa: PT017  both outcomes are fine
    else:
        assert glob.match("/a/b") in (True, False)


def test_glob_with_many_stars_takes_linear_work():
    """Stars never multiply: the automaton of a hostile glob grows with its length only."""
    glob = Glob.compile("/" + "*a" * 20 + "b")
    name = "/" + "a" * 20_000

    assert glob.match(name) is False
    assert glob._automaton.accepts(name) is False
    assert len(glob._automaton._next) < 2_000


def test_glob_gives_up_on_partial_text_past_its_limit():
    """A comparison that would grow without bound ends in unknown with its reason."""
    glob = Glob.compile("/*a" + "?" * 14)

    answer = glob.match(Partial(("/", Hole.ANY, "b"), "a test"))
    assert answer == Unknown("too many possibilities to compare")


def test_partial_text_that_begins_with_a_hole_can_be_known_as_absolute():
    glob = Glob.compile("**/.env", base="/")
    value = Partial((Hole.ANY, "/.env"), "a test")

    assert isinstance(glob.match(value), Unknown)
    assert glob.match(value, absolute=True) is True
    assert Glob.compile("/x/**").match(Partial((Hole.ANY, ".env"), "r"), absolute=True) == Unknown("r")
    assert Glob.compile("/.env").match(Partial((Hole.ANY, "env"), "r"), absolute=True) == Unknown("r")
    assert Glob.compile("/x").match(Partial((Hole.ANY, "/y"), "r"), absolute=True) is False
    assert Glob.compile("/y").match(Partial((Hole.ANY, "/y"), "r"), absolute=True) == Unknown("r")


@pytest.mark.parametrize(
    ("glob", "parts", "expected"),
    [
        ("/.*", (Hole.VISIBLE,), False),
        ("/.*", (Hole.VISIBLE, ".x"), False),
        ("/.*", (Hole.NAME, ".x"), Unknown("r")),
        ("/*", (Hole.VISIBLE,), True),
        ("/*", (Hole.NAME,), Unknown("r")),
        ("/a*", (Hole.VISIBLE, "a"), Unknown("r")),
        ("/a", (Hole.VISIBLE, "a"), Unknown("r")),
        ("/[0-9]*", (Hole.DIGITS, "x"), True),
        ("/[0-8]*", (Hole.DIGITS, "x"), Unknown("r")),
        ("/x", (Hole.DIGITS, "x"), False),
    ],
)
def test_glob_knows_the_shape_of_a_hole(glob, parts, expected):
    assert Glob.compile(glob).match(Partial(("/", *parts), "r")) == expected


def test_glob_set_takes_a_name_that_is_no_text():
    """What RE2 does not take, or answers without its canary, is asked of each glob alone."""
    globs = [Glob.compile("/*"), Glob.compile("/a"), Glob.compile("/**")]

    assert GlobSet(globs).matches("/\udcff") == [0, 2]


def test_glob_gives_up_on_very_long_partial_text():
    value = Partial(("/", Hole.ANY, "a" * 150_000, Hole.ANY), "a test")

    assert Glob.compile("/**/a*b").match(value) == Unknown("too many possibilities to compare")
