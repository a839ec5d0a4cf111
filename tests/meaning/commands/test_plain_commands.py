"""The short way to read a command says what the whole way says, whatever program it is."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.meaning.commands.reading import BARE, CWD, SCENE, TABLE
from tidegate.meaning.commands.grammars import sort_words
from tidegate.meaning.commands.interpret import _read_whole, _Run, interpret
from tidegate.meaning.commands.plain_reading import read_plain
from tidegate.meaning.shell.command import SimpleCommand, Word
from tidegate.meaning.values import Hole, Matched, Partial, Plain

PROGRAMS = sorted(TABLE.names())
COMMON = [
    shlex.split(line)
    for line in """
    ls -la
    rm -rf a b
    cat - x
    echo -n x
    git status -s
    git commit -m x --amend
    npm test --silent
    find . -name x
    find -L a ! -name x -o -type f -print0
    grep -rn a b
    sort -k2 x
    head -5 x
    chmod -R 7 a
    mkdir -p a
    timeout 5
    kill 9
    uniq a b c
    sudo -n
    tee /dev/null x
    docker ps -a
    """.strip().splitlines()
]
TEXTS = (
    "-v",
    "-r",
    "-f",
    "x",
    "--",
    "-",
    "--force",
    "--output=y",
    "/etc/a",
    "-o",
    "",
    "+x",
    "!",
    "(",
    "a=b",
    "-5",
    ".",
)
PARTS = (
    ("./", Hole.ANY),
    (Hole.ANY,),
    ("-", Hole.ANY),
    ("a", Hole.NAME, ".c"),
    (Hole.NAME, ".c"),
    ("+", Hole.NAME),
    ("(", Hole.NAME),
    ("/x/", Hole.FOLDERS, Hole.ENTRY),
)


@st.composite
def command_words(draw):
    """The words of a command: a program, words that its entry declares, and others, some of them not known."""
    spoken = draw(st.sampled_from(COMMON) | st.sampled_from(PROGRAMS).map(lambda program: [program]))
    entry = TABLE.entry(spoken[0])
    commands = [] if entry.commands is None else list(entry.commands.canonical)
    declared = [*(f"-{letter}" for letter in entry.shorts), *entry.longs, *commands] or ["x"]
    texts = st.sampled_from(TEXTS) | st.sampled_from(declared)
    partly = st.sampled_from(PARTS)
    word = st.one_of(
        texts.map(lambda text: (text, False, False)),
        st.builds(
            lambda parts, plain: ((Plain if plain else Partial)(parts, "r"), False, False), partly, st.booleans()
        ),
        st.tuples(partly.map(lambda parts: Partial(parts, "r")), st.just(True), st.booleans()),
    )
    values = [(text, False, False) for text in spoken] + draw(st.lists(word, max_size=4))
    return tuple(Word(value, (at * 9, at * 9 + 8), many, glob) for at, (value, many, glob) in enumerate(values))


def ways(words, scene, **more):
    """The command, and its readings on the short way and on the whole one."""
    simple = SimpleCommand(words, more.pop("variables", ()), (CWD,), (0, 1_000), **more)
    program = str(words[0].value)
    entry = TABLE.entry(program)
    run = _Run(simple, scene, program, sort_words(entry, words[1:]))
    return interpret(simple, scene, TABLE), _read_whole(run, TABLE, entry, modelled=True)


@given(
    command_words(),
    st.sampled_from([SCENE, BARE]),
    st.booleans(),
    st.sampled_from([None, "a\nb\n"]),
    st.sampled_from([(), (("LC_ALL", "C"),), (("PATH", "/x"), ("PAGER", "rm x"))]),
    st.sampled_from(["", "/command"]),
)
def test_short_way_is_the_whole_way(words, scene, heard, stdin, variables, source):
    """`interpret` says what the whole way says, also of what runs in turn and of what is printed."""
    short, whole = ways(words, scene, stdin=stdin, heard=heard, variables=variables, source=source)

    assert (short[:3], short.stdout) == (whole[:3], whole.stdout)


KNOWN = """
ls; rm -r; grep a; find; find -H; chmod 7; git add; git filter-branch x; coverage x; echo; sort -k2
""".strip()


@pytest.mark.parametrize("line", KNOWN.split("; "))
@pytest.mark.parametrize("kind", [Partial, Plain, Matched])
@pytest.mark.parametrize(("many", "glob"), [(False, False), (True, False), (True, True)])
def test_short_way_is_the_whole_way_of_words_that_are_not_known(line, kind, many, glob):
    """Whatever is known of a word, wherever it stands, alone and beside others."""
    first = [(text, False, False) for text in shlex.split(line)]
    for parts in PARTS:
        word = (kind(parts, "r"), many, glob)
        for rest in (
            [word],
            [word, word],
            [("x", False, False), word],
            [word, ("-v", False, False)],
            [("", False, False)],
            [word, ("--help", False, False)],
        ):
            words = [Word(value, (at * 9, at * 9 + 8), *more) for at, (value, *more) in enumerate(first + rest)]
            short, whole = ways(tuple(words), BARE, heard=True)
            assert (short[:3], short.stdout) == (whole[:3], whole.stdout)


def layouts():
    """Pairs of options of one program that each choose what its operands are."""
    for program in PROGRAMS:
        entry = TABLE.entry(program)
        spelled = [*((f"-{key}", hit) for key, hit in entry.shorts.items()), *entry.longs.items()]
        options = [name for name, hit in spelled if hit.spec.layout is not None and hit.takes <= 0]
        yield from ((program, one, other) for one in options for other in options)


@pytest.mark.parametrize("some", [["a"], [], ["a", "b", "c"]], ids=["one operand", "no operand", "operands"])
def test_short_way_is_the_whole_way_of_options_that_say_what_operands_are(some):
    """The last of them counts."""
    for texts in layouts():
        words = tuple(Word(text, (at * 9, at * 9 + 8)) for at, text in enumerate((*texts, *some)))
        short, whole = ways(words, BARE, heard=False)
        assert short == whole


@given(command_words(), st.text(max_size=3))
def test_effects_of_one_command_have_one_source(words, source):
    """All effects have the source of the command, so that nobody needs to write it into them later."""
    short, _ = ways(words, BARE, source=source)

    assert {effect.source for effect in short.effects} == {source}


PLAIN = ["ls -la src", "git status --short", "grep -rn a b", "find . -name '*.py' -type f", "rm -rf a", "docker ps -a"]


@pytest.mark.parametrize("line", PLAIN)
def test_plain_way_is_taken(line):
    """The law would be empty if the whole way were always taken."""
    program, *texts = shlex.split(line)
    words = tuple(Word(text, (0, 1)) for text in (program, *texts))

    assert read_plain(SimpleCommand(words, (), (CWD,), (0, 9)), BARE, program, TABLE.entry(program)) is not None


def test_glob_in_the_place_of_a_pattern_may_be_a_pattern_and_files():
    """In `grep src/*` all names but the first are files that are read."""
    words = (Word("grep", (0, 4)), Word(Partial(("src/", Hole.NAME), "r"), (5, 10), many=True, glob=True))
    short, _ = ways(words, BARE)

    assert [effect.kind for effect in short.effects] == ["exec", "read"]
