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
from tidegate.meaning.shell.command import Limits

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
    "a#",
    "find",
    "-exec",
    "-print0",
    "+",
    "awk",
    "'{print $1}'",
    "'{print > \"f\"}'",
    "'BEGIN{system(\"ls\")}'",
    "timeout",
    "5",
    "sh",
    "'rm y'",
    "ssh",
    "env",
    "grep",
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


RUNNERS = (
    "sudo", "xargs", "xargs -0", "xargs -I{}", "find . -exec", "find /a b -name '*.c' -exec", "timeout 5", "nice",
    "env", "env A=b", "env -i", "ssh h", "nohup", "sh -c", "awk", "sed -n", "python3 -c", "parallel", "command",
    "find . |", "find . -print0 |", "ls |", "echo a b |", "cat f |", "grep -l x a b |", "cd /x &&",
)  # fmt: skip
PROGRAMS = (
    "rm x", "rm {}", r"rm {} \;", "ls", r"echo 'a\b'", "printf x", "cd /y", "cat", "grep -rl x", "sort -o f", "1d",
    """'{print > "f"}'""", "'rm y'", "sed -i s/a/b/ x", "eval ls", '"$x"', "$x", "wc -l | sh", "sh", "tee f", "true",
    "head -1 | xargs rm", "cp a b", "sh -c 'rm $V'", "sh -c 'echo $1 | sh' a b", "*.c",
    r"mv {} {}.bak \; -print | xargs chmod 600",
)  # fmt: skip


@given(
    st.lists(st.sampled_from(RUNNERS), max_size=4).map(" ".join),
    st.sampled_from(PROGRAMS),
    st.sampled_from(
        ["", " > f", " >/dev/null > f", " | sh", " | xargs rm -r", " | wc -l", "; xargs", " | grep x | xargs cat"]
    ),
    st.sampled_from(["bash", "sh"]),
    st.sampled_from([SCENE, Scene(None), Scene("/", "/h", environment={}, complete_environment=True)]),
)
def test_short_way_says_what_the_long_way_says_of_what_runs_in_turn(runners, program, rest, shell, scene):
    """However deep one program runs another, and whoever reads what it prints."""
    text = f"{runners} {program}{rest}"
    short, long = both(text, shell=shell, scene=scene, interpret=as_the_table_says(scene), source="/command")

    assert short == long


@pytest.mark.parametrize("text", ["sudo " * 20 + "ls", "find " + "a " * 10 + "-exec ls {} + " * 10])
def test_short_way_gives_up_where_the_long_way_ends(text):
    """Depth and work have the same limits on both ways."""
    limits = Limits(depth=16, steps=100)
    short, long = both(text, interpret=as_the_table_says(SCENE), limits=limits)

    assert short == long
    assert short[-1].kind == "unknown"


@pytest.mark.parametrize("text", ["sudo grep -lZ x a b | xargs -0 rm", "timeout 5 find a -print0 | xargs -0 rm"])
def test_what_a_runner_passes_on_reaches_the_next_command(text):
    """Names that are printed through a wrapper are names, on both ways."""
    short, long = both(text, interpret=as_the_table_says(SCENE))

    assert short == long
    assert "/srv/project/a" in [name for effect in short if effect.kind == "delete" for name in effect.target.names]


def test_file_behind_the_null_device_is_written():
    """Each redirection opens its file, whatever the ones before it opened."""
    effects = effects_of("cat a >/dev/null > f")

    assert [effect.target.text for effect in effects if effect.kind == "write"] == ["f"]


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
