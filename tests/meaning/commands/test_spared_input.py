"""What a command leaves of the standard input that it shares with `read` is what bash finds it to leave."""

from __future__ import annotations

import subprocess

import pytest

from tests.meaning.commands.tree_changes import effects_of
from tests.meaning.shell import oracle
from tidegate.meaning.effects import Invocation

pytestmark = pytest.mark.skipif(oracle.bash() is None, reason="no bash of version 5 is installed")

SPARING = (
    "cat ./f", "head -n 1 ./f", "wc -l < ./f", "grep -c x ./f", "sort -r ./f", "cut -d: -f1 ./f", "tail -n1 ./f",
    "awk '{print}' ./f", "awk -v a=1 '/x/' ./f", "ls .", "stat ./f", "nl ./f", "rev ./f", "base64 ./f", "od ./f",
    "md5sum ./f", "du -s .", "sleep 0",
)  # fmt: skip
TAKING = (
    "cat", "cat -", "cat ./f -", "head -c 1", "wc -l", "grep -c x", "grep -f - x ./f", "sort", "cut -d / -f 1",
    "cat /dev/stdin", "cat ./stdin", "awk '{print}'", "awk '{print}' a=1", "awk '{getline x < \"-\"}' ./f",
    "sort - ./f",
    "wc --files0-from=-", "grep -r x -", "cat /proc/self/fd/0", "tail -n1 /dev/fd/0", "awk 'BEGIN{ARGV[1]=\"-\"}1' ./f",
    "awk 'BEGIN{system(\"cat\")}' ./f",
)  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    """A file, and a link to standard input."""
    (tmp_path / "f").write_text("x\n")
    (tmp_path / "stdin").symlink_to("/dev/stdin")
    return tmp_path


def left(command, folder):
    """The words that `read` finds behind the command, by bash."""
    script = f"printf 'one\\ntwo\\n' | {{ {command} >/dev/null 2>&1; read -r x; printf %s \"$x\"; }}"
    return subprocess.run([oracle.bash(), "-c", script], cwd=folder, capture_output=True, check=True).stdout.decode()


def said(command, cwd):
    """The word that the product finds there, `None` where it is not known."""
    text = f"printf 'one\\ntwo\\n' | {{ {command} >/dev/null 2>&1; read -r x; marked \"$x\"; }}"
    found = [
        effect.target.words[1]
        for effect in effects_of(text, cwd)[0]
        if effect.kind == "exec" and isinstance(effect.target, Invocation) and effect.target.program == "marked"
    ]
    return found[0] if len(found) == 1 and isinstance(found[0], str) else None


@pytest.mark.parametrize("command", SPARING)
def test_a_command_with_files_of_its_own_leaves_what_is_read_next(command, folder):
    """Whoever is given files reads nothing else, so that the list behind it stays known."""
    assert (left(command, folder), said(command, folder)) == ("one", "one")


@pytest.mark.parametrize("command", TAKING)
def test_nothing_is_said_of_input_that_a_command_may_take(command, folder):
    """A dash, a stream, a link to one, or no file at all: what `read` finds then is not known."""
    found = said(command, folder)

    assert found is None or found == left(command, folder)
