"""The short way and the long way say the same."""

import os
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.meaning.shell.generator import Scripts
from tests.meaning.shell.readers import SCENE, effects_of
from tidegate.meaning.commands.interpret import interpret
from tidegate.meaning.commands.table import Table
from tidegate.meaning.scene import Scene
from tidegate.meaning.shell import plain, walk

TABLE = Table.builtin()

CASES = Path(os.environ.get("TIDEGATE_CASES", Path(__file__).parents[4] / "shared" / "cases")) / "bash_commands.txt"
WORDS = (
    "ls",
    "echo",
    "printf",
    "cat",
    "bash",
    "-c",
    "sudo",
    "cd",
    "/x",
    "sub",
    "..",
    "-v",
    "-rf",
    "a=b",
    "'a b'",
    '"a b"',
    "a'b'c",
    "\\;",
    "{}",
    "*.txt",
    "$x",
    '"$x"',
    "~/a",
    "a$x",
    "{a,b}",
    "f#g",
    "#c",
    "!",
    "if",
    "[a]",
    "$?",
    '"a\\"b"',
    "é",
    "''",
    "$(a)",
    "`a`",
    "x=y",
    "\\\n",
    "time",
    "eval",
    "'eval'",
    'e""val',
    "\\.",
    '"cd"',
    "test",
    "%s",
    "'\\n'",
    "2",
    "[[",
    "-",
    "--",
    "a:~/b",
    "~",
    "~/",
    "~/a.b/c",
    "~a",
    '"%p\\n\\\\\\"\\$"',
    '"\\`$"',
    "xargs",
    "rm",
)
JOINTS = (
    " ",
    " ",
    " ",
    "  ",
    "\t",
    " | ",
    "|",
    " && ",
    "; ",
    "\n",
    " || ",
    " & ",
    " > f",
    " >> f ",
    " < f ",
    " 2>&1 ",
    " >/dev/null",
    " 2>/dev/null ",
    ">f",
    "|&",
    ";;",
)
lines = st.lists(st.sampled_from(WORDS) | st.sampled_from(JOINTS), max_size=14).map("".join) | st.lists(
    st.tuples(st.sampled_from(WORDS), st.sampled_from(JOINTS)), max_size=10
).map(lambda pairs: "".join(word + joint for word, joint in pairs))


def as_the_table_says(scene):
    """The reader of commands that the engine has; unlike the smallest one, it asks who hears what is printed."""
    return lambda command: interpret(command, scene, TABLE)


def both(text, monkeypatch=None, **more):
    """What both ways say of *text*."""
    short = effects_of(text, **more)
    read = plain.PlainReader.read
    plain.PlainReader.read = lambda *_, **__: False
    try:
        return short, effects_of(text, **more)
    finally:
        plain.PlainReader.read = read


@given(
    lines,
    st.sampled_from(["bash", "sh"]),
    st.booleans(),
    st.sampled_from(
        [SCENE, Scene(None), Scene("/", "/h", environment={"x": "a b"}), Scene("/", "/h", environment={"HOME": "/e"})]
    ),
)
def test_short_way_says_what_the_long_way_says(text, shell, persistent, scene):
    """Effect for effect, spans included."""
    short, long = both(text, shell=shell, persistent=persistent, scene=scene)

    assert short == long


@given(lines, st.sampled_from(["bash", "sh"]), st.sampled_from([SCENE, Scene(None)]))
def test_short_way_says_what_the_long_way_says_of_real_programs(text, shell, scene):
    """What a command is known to print reaches the next one on both ways."""
    short, long = both(text, shell=shell, scene=scene, interpret=as_the_table_says(scene))

    assert short == long


@given(st.integers(0, 1 << 30))
def test_short_way_says_what_the_long_way_says_of_generated_scripts(seed):
    text = Scripts(Random(seed), depth=1).line()

    short, long = both(text)
    assert short == long


@pytest.mark.skipif(not CASES.exists(), reason="bash_commands.txt is not there; `TIDEGATE_CASES` says where it is")
def test_short_way_takes_most_lines_that_people_wrote_and_says_the_same():
    taken = 0
    for line in CASES.read_text(encoding="utf-8").splitlines():
        taken += plain.is_plain(line)
        short, long = both(line)
        assert short == long, line
        short, long = both(line, interpret=as_the_table_says(SCENE))
        assert short == long, line

    assert taken > 4_000


@pytest.mark.parametrize("text", ["ls -l | grep x && rm -rf /x", "cd /x && ls *.txt > f", "sudo rm -rf $x; echo 'a b'"])
def test_short_way_is_taken(text):
    """The law would be empty if the long way were always taken."""
    assert plain.is_plain(text)
    assert len(text) <= walk.LONGEST
