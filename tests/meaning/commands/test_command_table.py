"""The table of commands: every entry is one, every example of it holds."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import pytest

from tests.meaning.commands.reading import TABLE, examples_of, says
from tidegate.meaning.commands.table import compile_whole

NAMES = sorted(TABLE.names())
FILES = sorted(
    (file for file in files("tidegate.meaning.commands").joinpath("table").iterdir() if file.name.endswith(".toml")),
    key=lambda file: file.name,
)
EXAMPLES = [
    pytest.param(example, id=f"{place}: {example['run']}")
    for name in NAMES
    for place, example in examples_of(name, TABLE.raw(name))
]
MUST_HAVE = """
ag apk apt apt-get at awk aws az basename bash bc bat brew bzip2 cargo cat chgrp chmod chown chroot cmake column
comm command cp cpio crontab csplit curl cut date dd df diff dig dirname dmesg dnf docker dpkg du echo ed egrep
emacs env eval exec expand expr fd ffmpeg fgrep file find flock fmt fold free gcc gcloud gh git go gradle grep
gsutil gunzip gzip head helm host hostname id ifconfig install ionice ip java jq kill killall kubectl less ln
locate ls lsof make man md5sum mkdir mkfifo mkfs mktemp mount mv mvn mysql nano nc netstat nice nl node nohup
npm npx nslookup od openssl parallel paste patch perl php ping pip pip3 pkill pnpm podman poetry printf ps psql
pwd pytest python python3 readlink realpath redis-cli rename rev rg rm rmdir rpm rsync ruby scp screen script
sed seq service setsid sftp sh sha256sum shred shuf sleep socat sort source split sqlite3 ss ssh stat stdbuf
strace strings su sudo sync systemctl tac tail tar tee terraform test time timeout tmux top touch tr tree
truncate umount uname uniq unlink unzip uv vi vim watch wc wget which whoami xargs xxd xz yarn yes yq yum zcat
zip zsh zstd
"""


def whole_file(file):
    return tomllib.loads(file.read_text("utf-8"))


@pytest.mark.parametrize("name", NAMES)
def test_entry_compiles_with_all_its_subcommands(name):
    """Every entry of the table is understood to its last key."""
    compile_whole(TABLE, name)


@pytest.mark.parametrize("example", EXAMPLES)
def test_example_holds(example):
    """What an entry says that a command line does is what is read from it."""
    actual = says(example["run"])

    assert actual == example["effects"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_entry_cut_out_of_its_file_is_the_entry_of_the_file(file):
    """Parsing one entry alone gives what parsing the whole file gives."""
    tables = whole_file(file)

    assert {name: TABLE.raw(name) for name in tables} == tables


def test_names_and_aliases_are_told_once():
    """No two entries claim the same program."""
    claimed = [
        name for file in FILES for key, table in whole_file(file).items() for name in (key, *table.get("aliases", ()))
    ]

    assert sorted(claimed) == sorted(set(claimed))


def test_table_has_the_programs_that_agents_use_most():
    """At least two hundred programs have an entry of their own, and all of a list of common ones are known."""
    missing = [name for name in MUST_HAVE.split() if TABLE.entry(name) is None]

    assert len(NAMES) >= 200
    assert missing == []


def test_version_behind_a_name_leads_to_the_entry_where_it_says_so():
    """`python3.12` is `python`; `grep3` is nothing."""
    assert TABLE.entry("python3.12").name == "python"
    assert TABLE.entry("gcc-12").name == "gcc"
    assert TABLE.entry("grep3") is None
    assert TABLE.entry("3.12") is None


def test_entry_is_compiled_once():
    """A program is compiled when it is first asked for, and never again."""
    assert TABLE.entry("sort") is TABLE.entry("sort")
    assert TABLE.entry("egrep").layout is not None
