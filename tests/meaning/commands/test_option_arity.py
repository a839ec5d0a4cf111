"""Whether options take a value is what the programs themselves say, where they are installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

import pytest

from tests.meaning.commands.reading import TABLE

WANTS = re.compile(
    r"requires an? (?:argument|value|parameter)|requires parameter|option requires|argument (?:missing|expected)"
    r"|missing (?:required )?argument|needs an? (?:argument|parameter|value)"
    r"|expects? a (?:numerical )?value|expected one argument|flag needs an argument",
    re.IGNORECASE,
)
FORBIDS = re.compile(
    r"doesn't allow an argument|does not (?:allow|take) an? (?:argument|value)|takes no (?:value|argument)",
    re.IGNORECASE,
)
GNU = """
base64 cat chgrp chmod chown cksum comm cp csplit cut date df dir du expand fmt fold grep head install join ln
ls md5sum mkdir mkfifo mktemp mv nl numfmt od paste pr readlink realpath rm rmdir sed shred shuf sort split stat
sum tac tail tar tee timeout touch truncate uniq wc xargs diff cmp gzip file env nice stdbuf column flock setsid
ionice script
"""
GIT = """
status add commit push pull fetch checkout switch restore reset clean branch tag merge rebase rm mv grep
ls-files ls-remote describe archive apply cherry-pick notes for-each-ref show-ref clone
"""
DIFFERENT = {
    ("git checkout", "--guess"),
    ("git reset", "--refresh"),
}


def run(argv, folder):
    environment = {
        "PATH": os.environ["PATH"],
        "LC_ALL": "C",
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        "PAGER": "cat",
    }
    try:
        done = subprocess.run(
            argv,
            capture_output=True,
            text=True,
            errors="replace",
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            timeout=20,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return ""
    return done.stderr + done.stdout


def long_options(entry):
    return {
        key: hit
        for key, hit in sorted(entry.longs.items())
        if key.startswith("--") and key not in ("--help", "--version", "--usage")
    }


def check(entry, argv, folder, label):
    """Every long option that takes a value wants one; every one that takes none refuses one."""
    wrong = []
    for key, hit in long_options(entry).items():
        if (label, key) in DIFFERENT:
            continue
        if hit.takes == 1:
            said = run([*argv, key], folder)
            if not WANTS.search(said) and not re.search(
                r"unrecogni[sz]ed option|unknown option|invalid option|ambiguous", said
            ):
                wrong.append(f"{key} takes a value: {said.strip()[:100]}")
        elif hit.takes == 0:
            said = run([*argv, f"{key}=tidegate"], folder)
            if not FORBIDS.search(said) and not re.search(
                r"unrecogni[sz]ed option|unknown option|invalid option|ambiguous|isn't available", said
            ):
                wrong.append(f"{key} takes none: {said.strip()[:100]}")
    return wrong


@pytest.mark.parametrize("program", GNU.split())
def test_long_options_take_what_the_program_says(program, tmp_path):
    """The program complains of a missing value where the entry has one, and of a value where it has none."""
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    if (
        "GNU" not in (said := run([program, "--version"], tmp_path))
        and "util-linux" not in said
        and program not in ("file", "gzip")
    ):
        pytest.skip(f"{program} is another implementation")

    assert check(TABLE.entry(program), [program], tmp_path, program) == []


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@pytest.mark.parametrize("subcommand", GIT.split())
def test_long_options_of_git_take_what_git_says(subcommand, tmp_path):
    """The same for subcommands of git, in an empty repository."""
    run(["git", "init", "-q"], tmp_path)
    git = TABLE.entry("git")
    entry = git.commands.find(subcommand, git)[1]

    assert check(entry, ["git", subcommand], tmp_path, f"git {subcommand}") == []
