"""What a command is known to print is what it prints."""

from __future__ import annotations

import shlex
import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.meaning.commands.reading import ANYTHING, read
from tidegate.meaning.values import Hole, Partial

BASH = shutil.which("bash")
PRINTED = {
    "echo": (["echo", "rm", "-rf", "x"], None, "rm -rf x\n"),
    "echo without a line end": (["echo", "-n", "x"], None, "x"),
    "echo with escapes": (["echo", "-e", "a\\tb\\x41"], None, "a\tbA\n"),
    "echo of a backslash": (["echo", "a\\nb"], None, None),
    "printf": (["printf", "%s-%s\\n", "a", "b"], None, "a-b\n"),
    "printf over more words": (["printf", "%s ", "a", "b"], None, "a b "),
    "printf of octal": (["printf", "\\162\\155"], None, "rm"),
    "printf of bytes": (["printf", "\\303\\251"], None, "é"),
    "printf of bytes that are no text": (["printf", "\\303"], None, None),
    "printf %b": (["printf", "%b|", "\\0056\\0145", "\\0303\\0251"], None, ".e|é|"),
    "printf %b of what shells read differently": (["printf", "%b", "\\x41"], None, None),
    "echo of bytes": (["echo", "-ne", "\\xc3\\xa9"], None, "é"),
    "head of what ends no line": (["head", "-n1"], "a\vb\x85c\u2028d\ne\n", "a\vb\x85c\u2028d\n"),
    "head of bytes": (["head", "-c1"], "é", None),
    "rev of what a locale reads": (["rev"], "é\n", None),
    "cut of bytes": (["cut", "-c1"], "é\n", None),
    "tr of bytes": (["tr", "é", "e"], "é", None),
    "printf of a width": (["printf", "%5s", "a"], None, None),
    "cat": (["cat"], "x\n", "x\n"),
    "cat of a file": (["cat", "a"], "x\n", None),
    "base64": (["base64", "-d"], "cm0gLXJmIC8=\n", "rm -rf /"),
    "base64 in long": (["base64", "--decode"], "cm0=", "rm"),
    "base64 of bytes that are no text": (["base64", "-d"], "//8=", None),
    "rev": (["rev"], "fr- mr\n", "rm -rf\n"),
    "tr": (["tr", "a-c", "x-z"], "abc\n", "xyz\n"),
    "tr of a sign that stands twice": (["tr", "xx", "01"], "x", "1"),
    "tr that deletes": (["tr", "-d", "x"], "rxmx", "rm"),
    "tr of a class": (["tr", "[:upper:]", "[:lower:]"], "RM", None),
    "cut": (["cut", "-d:", "-f2"], "a:rm:b\n", "rm\n"),
    "cut of characters": (["cut", "-c2-3"], "xrmx\n", "rm\n"),
    "head": (["head", "-n1"], "a\nb\n", "a\n"),
    "tail": (["tail", "-1"], "a\nb\n", "b\n"),
    "sed": (["sed", "s/x/rm/g"], "x x\n", "rm rm\n"),
    "sed of a regex": (["sed", "s/./rm/"], "x\n", None),
    "basename": (["basename", "/bin/rm"], None, "rm\n"),
    "dirname": (["dirname", "/bin/rm"], None, "/bin\n"),
    "true": (["true"], None, ""),
    "standard input that is not known": (["cat"], None, None),
}


@pytest.mark.parametrize(("line", "stdin", "expected"), PRINTED.values(), ids=PRINTED)
def test_output_is_known_where_it_is_simple(line, stdin, expected):
    """Constants are computed through the filters that hide them; what is not simple is not guessed."""
    assert read(line, stdin=stdin).stdout == expected


def test_partly_known_text_stays_partly_known():
    """`echo rm $x` prints text that begins with `rm `."""
    assert read(["echo", "rm", Partial(("-", Hole.ANY), "r")]).stdout == Partial(("rm -", Hole.ANY, "\n"), "r")
    assert read(["echo", ANYTHING], many=True).stdout is None


ODD = ["é", "\v", "\f", "\r", "\x1c", "\x85", "\u2028"]
TEXTS = st.text(alphabet=st.sampled_from([*"abrm -:/\n\t\\0x41'\"%$*.,[]=", *ODD]), max_size=12)
WORDS = st.one_of(
    TEXTS,
    st.sampled_from(
        [
            "-n",
            "-e",
            "-ne",
            "-E",
            "--",
            "%s",
            "%d",
            "%d%s",
            "%b",
            "\\303\\251",
            "\\xc3\\xa9",
            "\\0303\\0251",
            "\\0303",
            "é-è",
            "01",
            "-7",
            "a-z",
            "A-Z",
            "1",
            "2-3",
            "-f1",
            "-d:",
            "-c1",
            "-2",
            "-n2",
            "-n+2",
            "-d",
            "s/a/b/",
            "s,a,b,g",
            "-",
        ]
    ),
)


@pytest.mark.skipif(BASH is None, reason="bash is not installed")
@settings(max_examples=150)
@given(
    st.sampled_from(
        ["echo", "printf", "cat", "tr", "cut", "head", "tail", "rev", "tac", "base64", "sed", "basename", "dirname"]
    ),
    st.lists(WORDS, max_size=4),
    st.one_of(TEXTS, st.sampled_from(["a:b\nc:d\n", "cm0=", "abc\n"])),
)
def test_program_prints_what_is_said(program, rest, stdin):
    """Where something is said of the output, the program itself prints just that."""
    said = read([program, *rest], stdin=stdin).stdout
    if said is None:
        return
    done = subprocess.run(
        [BASH, "-c", shlex.join([program, *rest])],
        input=stdin.encode(),
        capture_output=True,
        timeout=10,
        check=False,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
    )
    if done.returncode == 0:
        assert done.stdout.decode("utf-8", "replace") == said
