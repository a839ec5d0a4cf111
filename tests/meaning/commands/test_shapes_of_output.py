"""Where only the shape of an output is known, what the program really prints has that shape."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.meaning.commands.reading import TABLE
from tidegate.facts.files import LocalFiles
from tidegate.meaning.commands.interpret import interpret
from tidegate.meaning.scene import Scene
from tidegate.meaning.shell.command import SimpleCommand, Word
from tidegate.meaning.values import Hole, Listing, Matched

BASH = shutil.which("bash")
pytestmark = pytest.mark.skipif(BASH is None or shutil.which("find") is None, reason="a program is missing")

SHAPES = {
    Hole.ANY: ".*",
    Hole.NAME: "[^/]*",
    Hole.VISIBLE: "(?![./])[^/]+",
    Hole.DIGITS: "[0-9]+",
    Hole.FOLDERS: r"(?:(?!\.\.?/)[^/]+/)*",
    Hole.ENTRY: r"(?!\.\.?(?:/|$))[^/]+",
}
FACTS = (
    "pwd", "wc -l", "wc -c", "wc --words", "date +%s", "date -u +%F", "date +x-%H%M", "shuf -i 3-9 -n 1", "nproc",
    "uname -m", "id -u", "id -un", "whoami",
)  # fmt: skip
LISTS = (
    "ls", "ls -a", "ls -A", "ls -1", "ls -t dir", "ls -p", "ls -p dir sub", "ls dir sub", "ls *", "ls -d *",
    "ls *.txt dir",
    "ls -C1", "ls -a dir", "ls -d dir/", "ls dir/ b.txt", "find", "find .", "find dir -type f", "find . -name '*.txt'",
    "find dir -printf '%P\\n'", "find dir sub -printf '%f\\n'", "find dir -name '*.txt' -printf 'x/%f.y\\n'",
    "find . -printf '%P\\n' -print", "find -mindepth 1 -printf '%p\\n'", "find . -print0", "find dir -printf '%f\\0'",
    "grep -rl 1", "grep -rl 1 dir", "grep -l 1 *.txt", "find '' -name x", "find . -iname 'B*'",
)  # fmt: skip
FOLDERS = st.sampled_from(["", "dir/", "sub/", "dir/sub/"])
NAMES = st.sampled_from(["a", "b.txt", "c.sh", "B.TXT", "x-y", ".hidden", "dir", "sub"])


def said(text, cwd):
    """What the product says that the command prints in that folder."""
    words = tuple(
        Word(Matched(tuple(piece if piece != "*" else Hole.NAME for piece in re.split(r"(\*)", each) if piece), "r"),
             (0, 0), many=True, glob=True)
        if "*" in each and "'" not in text else Word(each, (0, 0))
        for each in shlex.split(text)
    )  # fmt: skip
    command = SimpleCommand(words, (), (cwd,), (0, len(text)), stdin="1\n2 3\n")
    return interpret(command, Scene(cwd, files=LocalFiles()), TABLE).stdout


def printed(text, cwd):
    done = subprocess.run([BASH, "-c", text], cwd=cwd, input="1\n2 3\n", capture_output=True, text=True, check=False)
    return done.stdout


def fits(line, value):
    if isinstance(value, str):
        return line == value
    shape = "".join(re.escape(part) if isinstance(part, str) else SHAPES[part] for part in value.parts)
    return re.fullmatch(shape, line, re.DOTALL) is not None


@pytest.mark.parametrize("text", FACTS)
def test_fact_is_printed_in_its_shape(text, tmp_path):
    """Numbers are digits and names are names, so that arithmetic over them runs nothing."""
    value = said(text, str(tmp_path))

    assert value is not None
    assert fits(printed(text, str(tmp_path)), value)


@given(text=st.sampled_from(LISTS), tree=st.lists(st.tuples(FOLDERS, NAMES), max_size=6))
def test_every_line_of_a_list_is_one_of_its_names(text, tree, tmp_path_factory):
    """A list says which lines there may be, the empty ones and those that name folders included."""
    folder = tmp_path_factory.mktemp("tree")
    (folder / "dir" / "sub").mkdir(parents=True)
    (folder / "sub").mkdir()
    for place, name in tree:
        path = folder / f"{place}{name}"
        if not path.exists():
            path.write_text("1\n")
    value = said(text, str(folder))
    output = printed(text, str(folder))

    if value == "":
        assert output == ""
    else:
        assert isinstance(value, Listing)
        assert output == "" or output.endswith(value.end)
        lines = output.split(value.end)[:-1]
        assert [line for line in lines if not any(fits(line, name) for name in value.names)] == []
