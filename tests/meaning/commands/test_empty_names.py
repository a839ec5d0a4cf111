"""An empty name means nothing: POSIX has no file of that name, and programs that open what they are given say so."""

from __future__ import annotations

import shutil

import pytest

from tests.meaning.commands.reading import read
from tests.meaning.commands.tree_changes import effects_of, furnish, run
from tidegate.meaning.commands.arranging import _OPENING
from tidegate.meaning.effects import PathTarget

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="no bash is installed")

TREE = {"a": "1\n", "b.txt": "2\n", "dir/c": "3\n"}
WORDS = {
    "chgrp": "root '' a", "chmod": "600 ''", "chown": "root ''", "cp": "-r '' dir", "cut": "-f1 ''", "grep": "-r x ''",
    "egrep": "x ''", "fgrep": "x ''", "ln": "-s '' dir", "mkdir": "-p ''", "mv": "'' dir", "rm": "-rf ''",
    "sed": "-i s/1/2/ ''", "shred": "-u ''", "truncate": "-s 0 ''", "cmp": "'' a", "diff": "'' a",
}  # fmt: skip
MORE = (
    "cp a ''", "cp -t '' a", "mv a ''", "ln a ''", "find '' -delete", "find '' -name a -exec rm {} +",
    "find '' | xargs rm -f",
    "find '' a -name a -execdir touch n ';'", "rm -r '' dir", "find '' | while read f; do rm \"$f\"; done",
    "tee '' < a",
)  # fmt: skip


@pytest.mark.parametrize("program", sorted(_OPENING))
def test_program_that_is_said_to_do_nothing_to_an_empty_name_does_nothing(program, tmp_path):
    """`rm -rf ""` deletes nothing, and nobody is asked about it."""
    found = run(f"{program} {WORDS.get(program, repr(''))}", tmp_path / "t", TREE)

    assert found.unseen | found.denied_no == frozenset()


@pytest.mark.parametrize("command", MORE)
def test_empty_name_among_others_hides_none_of_them(command, tmp_path):
    """What is done beside an empty name, or to what an empty start does not find, is said as ever."""
    found = run(command, tmp_path / "t", TREE)

    assert found.unseen | found.denied_no == frozenset()


@pytest.mark.parametrize("command", ["rm ''", "rm -rf ''", "find '' -delete", "touch ''", "cp a ''"])
def test_nothing_is_changed_under_an_empty_name(command, tmp_path):
    """There is no name to refuse, so that no deny of a path has anything to ask about."""
    effects, _ = effects_of(command, furnish(tmp_path / "t", TREE))

    assert [effect for effect in effects if effect.kind == "unknown"] == []
    assert {name for each in effects if each.kind in ("write", "delete") for name in each.target.names} == set()


@pytest.mark.parametrize(
    "line", ["gzip ''", "unzip a.zip -d ''", "zip '' a", "split a ''", "tar -C '' -xf a.tar", "my-tool ''"]
)
def test_empty_name_is_not_known_to_programs_that_make_names_of_it(line):
    """`split a ""` writes `aa`, and `zip "" a` writes `.zip`: an entry that makes names is not taken to make none."""
    targets = [each.target for each in read(line).effects if isinstance(each.target, PathTarget)]
    paths = [target for target in targets if target.text == ""]

    assert all(not isinstance(name, str) for path in paths for name in path.names)
    assert all(path.names for path in paths)
