"""Words are sorted into options, subcommands and operands as their program would."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.meaning.commands.reading import ANYTHING, TABLE, read, says, words
from tidegate.meaning.commands.grammars import _sort_any_find, sort_words
from tidegate.meaning.commands.plain_sorting import sort_plain
from tidegate.meaning.commands.sorting import Sorter
from tidegate.meaning.values import Hole, Partial, shown, unknown


def options(line):
    return [
        (option.name, shown(option.value) if option.value is not None else None)
        for option in read(line).invocation.options
    ]


def operands(line):
    return [shown(operand.value) for operand in read(line).invocation.operands]


SORTED = {
    "flags in one bundle": ("rm -rf x", [("--recursive", None), ("--force", None)], ["x"]),
    "flags behind an operand": ("rm x -r y -f", [("--recursive", None), ("--force", None)], ["x", "y"]),
    "double dash": ("rm -r -- -f", [("--recursive", None)], ["-f"]),
    "lone dash": ("cat - x", [], ["-", "x"]),
    "value behind its option": ("sort -o out in", [("--output", "out")], ["in"]),
    "value attached": ("sort -oout in", [("--output", "out")], ["in"]),
    "value behind a bundle": ("sort -ro out in", [("--reverse", None), ("--output", "out")], ["in"]),
    "value attached to a bundle": ("sort -roout in", [("--reverse", None), ("--output", "out")], ["in"]),
    "value with an equals sign": ("sort --output=out in", [("--output", "out")], ["in"]),
    "value that looks like an option": ("sort -o -r in", [("--output", "-r")], ["in"]),
    "value that is empty": ("sort --output= in", [("--output", "")], ["in"]),
    "optional value": ("ls --color=auto x", [("--color", "auto")], ["x"]),
    "optional value left out": ("ls --color x", [("--color", None)], ["x"]),
    "optional value attached to a letter": (
        "sed -i.bak -n p x",
        [("--in-place", ".bak"), ("--quiet", None)],
        ["p", "x"],
    ),
    "abbreviation": ("sort --rev x", [("--reverse", None)], ["x"]),
    "abbreviation with a value": ("sort --outp=x y", [("--output", "x")], ["y"]),
    "number": ("head -5 x", [("--lines", "5")], ["x"]),
    "repeated option": ("grep -e a -e b x", [("--regexp", "a"), ("--regexp", "b")], ["x"]),
    "options first": ("timeout -s KILL 5 rm -r x", [("--signal", "KILL")], ["5", "rm", "-r", "x"]),
    "two values": ("jq --arg k v . x", [("--arg", "v")], [".", "x"]),
    "one dash and a word": ("terraform plan -out=p", [("-out", "p")], []),
    "two dashes for one": ("terraform plan --out p", [("-out", "p")], []),
    "keys": ("dd if=a of=b", [("if=", "a"), ("of=", "b")], []),
    "tar without a dash": ("tar czf a.tgz src", [("--create", None), ("--gzip", None), ("--file", "a.tgz")], ["src"]),
    "tar with values in order": (
        "tar cfC a.tar d x",
        [("--create", None), ("--file", "a.tar"), ("--directory", "d")],
        ["x"],
    ),
    "optional value within a bundle": ("sed -in s/a/b/ f", [("--in-place", "n")], ["s/a/b/", "f"]),
    "find": ("find a b -name x -o -print", [("-name", "x"), ("-o", None), ("-print", None)], ["a", "b"]),
    "slashes": ("rd /S /q x", [("/s", None), ("/q", None)], ["x"]),
    "no options at all": ("echo -n -- -x", [], ["-n", "--", "-x"]),
    "parameters of a service": ("aws ec2 describe-instances --ids a --dry", [("--ids", "a"), ("--dry", None)], []),
    "pflag with an equals sign": ("kubectl get -o=yaml pods", [("--output", "yaml")], ["pods"]),
}


@pytest.mark.parametrize(("line", "given_options", "given_operands"), SORTED.values(), ids=SORTED)
def test_words_are_sorted(line, given_options, given_operands):
    """Options with their values, and operands, in their order."""
    assert (options(line), operands(line)) == (given_options, given_operands)


def test_global_options_stand_before_the_subcommand():
    """`git -C DIR push -f`: the subcommand has options of its own."""
    invocation = read("git -C /x --no-pager push -f origin").invocation

    assert invocation.subcommand == ("push",)
    assert [option.name for option in invocation.options] == ["-C", "--no-pager", "--force"]
    assert [operand.value for operand in invocation.operands] == ["origin"]


def test_global_options_may_follow_the_subcommand_where_the_entry_says_so():
    """`kubectl get -n x pods` is `kubectl -n x get pods`."""
    assert options("kubectl get -n x pods") == options("kubectl -n x get pods") == [("--namespace", "x")]


def test_alias_of_a_subcommand_has_its_canonical_name():
    """`npm t` is `npm test`, `ip a` is `ip address`."""
    assert read("npm t").invocation.subcommand == ("test",)
    assert read("ip a").invocation.subcommand == ("address",)


UNKNOWN_WORDS = {
    "whole word": ([ANYTHING], False),
    "word that begins with a dash": ([Partial(("-", Hole.ANY), "")], False),
    "value of an option": (["-o", ANYTHING], True),
    "value attached to an option": ([Partial(("--output=", Hole.ANY), "")], True),
    "word that begins with text": ([Partial(("/srv/", Hole.ANY), "")], True),
    "word behind the double dash": (["--", ANYTHING], True),
    "bundle with an unknown end": ([Partial(("-r", Hole.ANY), "")], False),
    "option that is not declared": (["--no-such-option"], False),
    "option that is not declared, with a value": (["--no-such-option=x"], True),
}


@pytest.mark.parametrize(("rest", "complete"), UNKNOWN_WORDS.values(), ids=UNKNOWN_WORDS)
def test_command_is_complete_where_no_word_can_hide_an_option(rest, complete):
    """A word that is not known hides options unless what is known of it forbids that."""
    assert read(["sort", *rest, "x"]).invocation.complete is complete


def test_word_that_splits_hides_options_whatever_it_begins_with():
    """`sort /tmp/$x` may be `sort /tmp/a -o b`; a glob cannot."""
    value = Partial(("/tmp/", Hole.ANY), "")
    split = sort_words(TABLE.entry("sort"), (words(value)[0]._replace(many=True),))
    glob = sort_words(
        TABLE.entry("sort"), (words(Partial(("/tmp/", Hole.NAME), ""))[0]._replace(many=True, glob=True),)
    )

    assert (split.complete, glob.complete) == (False, True)


TEXTS = [
    "x",
    "a/b",
    "-",
    "--",
    "-r",
    "-f",
    "-rf",
    "-fr",
    "-o",
    "-oout",
    "--output",
    "--output=y",
    "--reverse",
    "--rev",
    "-5",
    "-n5",
    "--zz",
    "-Q",
    "push",
    "status",
    "-C",
    "--force",
    "+x",
    "",
    "-ro",
    "-c",
    "-e",
    "--color=auto",
    "--color",
]
PROGRAMS = [
    "rm",
    "sort",
    "git",
    "grep",
    "head",
    "timeout",
    "kubectl",
    "npm",
    "bash",
    "python",
    "docker",
    "tail",
    "ls",
    "sed",
    "echo",
    "yarn",
    "cargo",
]


@given(st.sampled_from(PROGRAMS), st.lists(st.sampled_from(TEXTS), max_size=6), st.integers(0, 6))
def test_short_way_is_the_long_way(program, texts, hole):
    """`sort_plain` returns what `Sorter` returns, or nothing."""
    values = [*texts]
    if hole < len(values):
        values[hole] = unknown("it is not known")
    entry = TABLE.entry(program)
    plain = sort_plain(entry, words(*values))

    if plain is not None and entry.syntax != "words":
        assert plain == Sorter(entry, words(*values)).sort()


GETOPT = shutil.which("getopt")
MODELLED = ["sort", "grep", "cp", "rm", "sed", "ls", "head", "wc", "split", "du", "xargs", "cut", "tee", "touch"]


def getopt_says(entry, texts):
    """What util-linux' `getopt` makes of the words, by the options of the entry."""
    marks = {0: "", 1: ":", -1: "::"}
    letters = ("+" if entry.stops else "") + "".join(
        letter + marks[hit.takes] for letter, hit in entry.shorts.items() if letter.isalnum()
    )
    longs = ",".join(key[2:] + marks[hit.takes] for key, hit in entry.longs.items() if key.startswith("--"))
    done = subprocess.run(
        [GETOPT, "-o", letters, "-l", longs, "-n", "x", "-u", "--", *texts], capture_output=True, text=True, check=False
    )
    return done.stdout.split() if done.returncode == 0 else None


FIND = (".", "/a", "-name", "x", "-type", "f", "-exec", "rm", "{}", ";", "+", "!", "(", ")", "-o", "-delete", "-newer")


@given(st.lists(st.sampled_from([*FIND, "-nosuch", "-maxdepth", "-fprint", ANYTHING]), max_size=7), st.booleans())
def test_short_way_of_find_is_the_long_way(values, many):
    """Where it gives up, the long way goes on as if it had begun."""
    entry, given_words = TABLE.entry("find"), words(*values, many=many)

    assert sort_words(entry, given_words) == _sort_any_find(entry, given_words, 0, [], [])


@pytest.mark.skipif(GETOPT is None, reason="getopt(1) is not installed")
@settings(max_examples=60)
@given(
    st.sampled_from(MODELLED),
    st.lists(st.sampled_from([text for text in TEXTS if text not in ("", "-5", "+x")]), max_size=5),
)
def test_sorting_agrees_with_getopt(program, texts):
    """Where `getopt(1)` accepts the words, it finds the same options, values and operands."""
    entry = TABLE.entry(program)
    theirs = getopt_says(entry, texts)
    if theirs is None:
        return
    found = sort_words(entry, words(*texts))
    ours = []
    for each in found.options:
        name = each.word.value if each.spec is None else each.name
        ours.append((name, each.value))
    flat = []
    index = 0
    while theirs[index] != "--":
        hit = entry.long(theirs[index]) or entry.short(theirs[index][1])
        taken = theirs[index + 1] if hit.takes == 1 else None
        flat.append((hit.spec.name, taken))
        index += 1 + (hit.takes == 1)
        if hit.takes == -1 and theirs[index] != "--" and not theirs[index].startswith("-"):
            flat[-1] = (hit.spec.name, theirs[index])
            index += 1

    assert [name for name, _ in ours] == [name for name, _ in flat]
    assert [value for _, value in ours if value] == [value for _, value in flat if value]
    assert [word.value for word in found.operands] == theirs[index + 1 :]


def test_wrapper_with_an_option_that_is_not_known_runs_every_command_that_could_begin():
    """An unknown option may take the next word as its value, so the command may begin behind it."""
    assert says("sudo --foo bar rm -r x")[1:] == ["runs: bar rm -r x", "runs: rm -r x"]
    assert says(["env", ANYTHING, "rm", "x"]) == ["runs: ⟨…⟩ rm x", "runs: rm x", "runs: x"]
