"""Entries are strict: whatever is not understood is an error that leads to its key."""

from __future__ import annotations

import pytest

from tests.meaning.commands.reading import TABLE, says
from tidegate.meaning.commands.entry_source import EntryError
from tidegate.meaning.commands.spelling import canonical, read_spellings

BROKEN = {
    "unknown key": ({"opts": {}}, ("x", "opts")),
    "key in the singular": ({"option": {}}, ("x", "option")),
    "wrong type": ({"harmless": "-v"}, ("x", "harmless")),
    "list for text": ({"operands": ["read"]}, ("x", "operands")),
    "unknown syntax": ({"syntax": "posix"}, ("x", "syntax")),
    "unknown role": ({"operands": "reed..."}, ("x", "operands")),
    "two rests": ({"operands": "read... write..."}, ("x", "operands")),
    "words behind a command line": ({"operands": "argv text"}, ("x", "operands")),
    "rest before a command line": ({"operands": "read... argv"}, ("x", "operands")),
    "option that is none": ({"harmless": ["v"]}, ("x", "harmless", 0)),
    "option with two roles": ({"options": {"-o FILE": "read write"}}, ("x", "options", "-o FILE")),
    "option with an unknown key": ({"options": {"-o FILE": {"role": "read"}}}, ("x", "options", "-o FILE", "role")),
    "option that is a number": ({"options": {"-o FILE": 3}}, ("x", "options", "-o FILE")),
    "unknown role of an option": ({"options": {"-o FILE": "writes"}}, ("x", "options", "-o FILE")),
    "deed that is none": ({"does": ["destroy ."]}, ("x", "does")),
    "deed without a target": ({"does": ["write"]}, ("x", "does")),
    "standard input as a deed": ({"does": ["stdin"]}, ("x", "does")),
    "number of no option": ({"number": "-n"}, ("x", "number")),
    "harmless command that is none": ({"commands": {}, "harmless_commands": ["y"]}, ("x", "harmless_commands", 0)),
    "command that is no table": ({"commands": {"y": "z"}}, ("x", "commands", "y")),
    "unknown key in a command": ({"commands": {"y": {"kind": 1}}}, ("x", "commands", "y", "kind")),
    "unknown role in a command": ({"commands": {"y": {"operands": "?"}}}, ("x", "commands", "y", "operands")),
    "like nothing": ({"like": "no-such-program"}, ("x", "like")),
    "like no subcommand": ({"like": "git no-such-command"}, ("x", "like")),
    "like itself": ({"like": "x"}, ("x", "like")),
    "command like its own program": ({"commands": {"y": {"like": "x"}}}, ("x", "commands", "y", "like")),
    "template for no path": ({"operands": "text={}.gz"}, ("x", "operands")),
    "template without a place": ({"operands": "write=a.gz"}, ("x", "operands")),
    "unknown role of a variable": ({"variables": {"X": "run"}}, ("x", "variables", "X")),
    "unknown role of a config key": ({"config": {"a.b": "run"}}, ("x", "config", "a.b")),
}


@pytest.mark.parametrize(("entry", "path"), BROKEN.values(), ids=BROKEN)
def test_broken_entry_is_refused_with_the_path_of_its_key(entry, path):
    """An entry that is not understood is an error that names the key."""
    with pytest.raises(EntryError) as caught:
        TABLE.extended({"x": entry})

    assert caught.value.path == path
    assert caught.value.what
    assert caught.value.why
    assert caught.value.mend


SPELLINGS = {
    "-v": ("-v", [("-v", 0)]),
    "-v, --verbose": ("--verbose", [("-v", 0), ("--verbose", 0)]),
    "-o FILE, --output=FILE": ("--output", [("-o", 1), ("--output", 1)]),
    "-i[SUFFIX], --in-place[=SUFFIX]": ("--in-place", [("-i", -1), ("--in-place", -1)]),
    "--arg NAME VALUE": ("--arg", [("--arg", 2)]),
    "-name PATTERN": ("-name", [("-name", 1)]),
    "of=FILE": ("of=", [("of=", 1)]),
    "+[CMD]": ("+", [("+", -1)]),
    "/s": ("/s", [("/s", 0)]),
}


@pytest.mark.parametrize(("text", "expected"), SPELLINGS.items(), ids=SPELLINGS)
def test_spellings_are_read_as_manual_pages_have_them(text, expected):
    """One option may be spelled in several ways; its name is the first long one."""
    spellings = read_spellings(text)

    assert (canonical(spellings), [(each.name, each.takes) for each in spellings]) == expected


def test_role_of_several_values_belongs_to_the_one_that_is_called_a_file():
    """`-fprintf FILE FORMAT` writes its first value, `--slurpfile NAME FILE` reads its second."""
    assert says("find . -fprintf out %p")[1:] == ["write out by -fprintf"]
    assert says("jq --slurpfile k .env . x")[1:2] == ["read .env by --slurpfile"]


def test_new_entry_reads_a_program():
    """A rule file can teach a program that the table does not know."""
    entry = {
        "operands": "read... write",
        "harmless": ["-v, --verbose; -n NUM"],
        "options": {"-l FILE, --log=FILE": "write", "-x COMMAND": "exec"},
        "commands": {"clean": {"operands": "delete...", "marks": ["recursive"]}},
    }
    table = TABLE.extended({"frob": entry})

    assert says("frob -v a b", table=table) == ["read a", "write b"]
    assert says("frob -lx -x 'rm y' a b", table=table) == ["read a", "write b", "write x by --log", "runs sh: rm y"]
    assert says("frob clean t", table=table) == ["delete t recursive"]
    assert TABLE.entry("frob") is None


def test_new_entry_may_be_like_another():
    """`like` takes everything from another entry, and adds to it."""
    table = TABLE.extended({"hgrep": {"like": "grep", "harmless": ["--hot"]}})

    assert says("hgrep --hot -r x .", table=table) == ["read . recursive"]
