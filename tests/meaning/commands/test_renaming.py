"""`rename`: the name that a file gets is that which perl makes of it, or it is not known."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.meaning.commands.reading import read
from tidegate.meaning.values import Hole, Partial

PERL = shutil.which("perl")
CODES = st.sampled_from([
    r"s/\.mkv$/.avi/", "s/a/b/", "s/a/b/g", "s/^/new./", r"s/\.txt$//", "s|a|b|", "s#a#.git#", "s/ /_/g", r"s/\-/./",
    r"s/\.html$/\.txt/;", "s/(.*)$/new.$1/", "s/a$/b/", "s/./x/", "s/^a/b/", "s/A/b/i", "tr/a/b/", "s/a/b/e",
    "s/a/$0/", "s/x//",
])  # fmt: skip
NAMES = st.lists(st.sampled_from([*"aAx .-_/\n", ".mkv", ".txt", ".html"]), min_size=1, max_size=6).map("".join)
OPERANDS = NAMES.filter(lambda name: not name.startswith("-"))


def renamed(code, value):
    """What is written, where that is another name."""
    effects = read(["rename", code, value]).effects
    return [effect.target.text for effect in effects if effect.kind == "write"]


def perl(code, name):
    script = f"$_ = shift; {code}; print"
    return subprocess.run([PERL, "-e", script, name], capture_output=True, text=True, check=False).stdout


@pytest.mark.skipif(PERL is None, reason="perl is not installed")
@given(code=CODES, name=OPERANDS, known=st.integers(0, 8))
def test_new_name_is_that_of_perl(code, name, known):
    """For names that are known, and for those of which only the end is, the file gets the name that is said."""
    value = name if known == 0 else Partial((Hole.ANY, name[-known:]), "r")
    said = renamed(code, value)
    new = perl(code, name)

    if new != name:
        assert any(_fits(new, each) for each in said)


def _fits(text, value):
    if isinstance(value, str):
        return text == value
    shape = "".join(re.escape(part) if isinstance(part, str) else ".*" for part in value.parts)
    return re.fullmatch(shape, text, re.DOTALL) is not None


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (["rename", r"s/\.mkv$/.avi/", "a.mkv"], ["a.avi"]),
        (["rename", "s/a/b/", "x"], []),
        (["rename", r"s/\.mkv$/.avi/", Partial(("./", Hole.FOLDERS, Hole.NAME, ".mkv"), "r")],
         [Partial(("./", Hole.FOLDERS, Hole.NAME, ".avi"), "r")]),
        (["rename", "-d", "s/^/new./", "dir/x"], [Partial((Hole.ANY,), "the program makes the name up")]),
        (["rename", "s#/file##", "a/file"], [Partial((Hole.ANY,), "the program makes the name up")]),
    ],
)  # fmt: skip
def test_new_name_is_said_where_the_code_is_plain(line, expected):
    """What may climb to another folder is not known, and never taken to stay in this one."""
    assert [each.target.text for each in read(line).effects if each.kind == "write"] == expected
