"""What commands do to the names that others list: nothing that changes was taken for untouched."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, note, settings

from tests.meaning.commands.tree_changes import commands, run, trees

pytestmark = pytest.mark.skipif(
    any(shutil.which(name) is None for name in ("bash", "find", "xargs", "sed", "grep")), reason="a program is missing"
)


@settings(max_examples=settings().max_examples // 2)
@given(commands(), trees())
@example("find . -type f | xargs rm", {"q ../out/kept": ""}).via(
    "a blank in a name makes two words, of which one climbs"
)
@example("mkdir -p 'q ../out'; touch 'q ../out/kept'; find . -type f | xargs rm", {}).via("the call makes such a name")
@example("find . -type f | while read f; do rm $f; done", {"q ../out/kept": ""}).via("the shell splits it as well")
@example("find . -type f | xargs -I{} rm {}", {"q\n../out/kept": ""}).via("a newline in a name makes two lines")
@example("find ln/ -type f -exec rm {} +", {"ln": "->../out"}).via("the start is a link")
@example("find -L . -type f -exec rm {} +", {"dir/ln": "->../../out"}).via("links are followed")
@example("find . -name ln -exec sed -i s/k/x/ {}/kept ';'", {"ln": "->../out"}).via("a name that is found is a link")
@example("find . -name l -exec truncate -s 0 {} ';'", {"l": "->../out/kept"}).via("it leads to a file")
@example("find dir -mindepth 1 -type d -exec rm {}/../b.txt ';'", {"dir/sub/x": "", "dir/b.txt": ""}).via("text climbs")
@example("ls | xargs rm", {"-r": "", "dir/a": ""}).via("a name is an option")
@example("find -name b.txt -execdir rm {} ';'", {"dir/b.txt": ""}).via("each runs in the folder of what is found")
@example("find dir -printf '%f\\0' | xargs -0 rm", {"dir/-r": "", "dir/a": ""}).via("an option from another folder")
@example("find . -print0 | xargs -I{} touch {}", {"a b": "", "c": ""}).via("the first of names with no end of line")
@example("find . -name b.txt | xargs -0 touch", {"b.txt": "", "dir/b.txt": ""}).via("all names in one")
@example("rm $(find . -type f)", {"q ../out/kept": ""}).via("words of a substitution")
@example("find . -type f | sort | grep -v zz | xargs rm", {"q ../out/kept": ""}).via("filters keep what they are given")
@example("find b.txt | sed s/b/c/ | xargs rm", {"b.txt": "", "c.txt": ""}).via("a filter that changes names")
@example("find . -name 'c*' -exec cp {} {}.bak ';'", {"c.sh": "", "dir/c": ""}).via("a name that no list holds")
@example("find dir -name '*.sh' | while read f; do touch ${f%.sh}.txt; done", {"dir/c.sh": ""}).via("one that is cut")
@example("cd dir; find . -type d -exec mkdir -p ../out/{} ';'", {"dir/a/b": ""}).via("a tree made anew elsewhere")
@example("find dir -name b -execdir touch n ';'", {"dir/a/b": ""}).via("a name beside what is found")
@example("gzip -kr .", {"b.txt": "", "dir/x y.txt": ""}).via("names beside all that a program comes by")
@example("tar cf t.tar ln; rm ln; tar xf t.tar; find . -name ln -exec touch {}/n ';'", {"ln": "->../out"}).via("a link")
def test_no_change_of_a_tree_is_taken_for_none(text, tree):
    """What changes is among the effects, and a deny of it says yes or unknown, unless nothing is certain."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        seen = run(text, Path(folder) / "t", tree)
    note(f"{seen}")

    assert (seen.unseen, seen.denied_no) == (frozenset(), frozenset())
