"""What `find` finds, beside what was said before that it would: its expression is read as it is meant."""

import os
import shutil
import subprocess

import pytest
from hypothesis import example, given, note
from hypothesis import strategies as st

from tests.meaning.commands.reading import TABLE, words
from tidegate.meaning.commands.find_tests import Named, is_printing, reached
from tidegate.meaning.commands.grammars import sort_words

pytestmark = pytest.mark.skipif(shutil.which("find") is None, reason="no `find` is installed")

FILES = ("a", "b.txt", "B.TXT", ".hid", "dir/a", "dir/b.txt", "dir/sub/a.log", "dir.d/c", "dir/a b")
LINKS = {"link": "a", "dir/over": "../dir.d"}

_tests = st.sampled_from(
    [
        *("-name a", "-name *.txt", "-name .*", "-name dir*", "-name ?", "-iname b.*", "-iname DIR", "-path ./dir/*"),
        *("-path *a", "-wholename .", "-ipath ./DIR/SUB", "-type f", "-type d", "-type l", "-type f,l", "-xtype f"),
        *("-true", "-false", "-empty", "-size -2k", "-prune", "-lname *a", "-name [ab]", "-print", "-links 1"),
    ]
)
_limits = st.sampled_from(["", "", "-maxdepth 1", "-mindepth 1", "-maxdepth 0", "-mindepth 2", "-depth"])


def _with_operators(inner):
    return st.one_of(
        inner.map(lambda one: f"! {one}"),
        inner.map(lambda one: f"( {one} )"),
        st.tuples(inner, st.sampled_from(["-o", "-a", "", "-or", "-and", ","]), inner).map(" ".join),
    )


expressions = st.recursive(_tests, _with_operators, max_leaves=6)


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    base = tmp_path_factory.mktemp("tree")
    for name in FILES:
        path = base / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x" * len(name))
    for name, leads in LINKS.items():
        (base / name).symlink_to(leads)
    (base / "none").mkdir()
    return base


def _kind(path):
    return "link" if path.is_symlink() else "dir" if path.is_dir() else "file"


@given(start=st.sampled_from([".", "dir", "dir/", "./dir/sub", "a"]), limit=_limits, expression=expressions)
@example(".", "", "-name a -o ! -name a").via("either")
@example(".", "", "-name dir -prune -o -print").via("what is pruned is not entered")
@example("dir/", "", "-name dir").via("the last name of a start with a slash behind it")
def test_name_is_found_or_left_out_as_was_said(tree, start, limit, expression):
    """Of what really stands there, `find` prints all that certainly is reached, and nothing that is not."""
    line = [part for part in [start, *limit.split(), *expression.split(" ")] if part]
    done = subprocess.run(["find", *line], cwd=tree, capture_output=True, text=True, check=False)
    if done.returncode or done.stderr:
        return
    printed = set(done.stdout.splitlines())
    found = sort_words(TABLE.entry("find"), words(*line))
    names = [start]
    for folder, folders, files in os.walk(tree / start):
        inside = os.path.relpath(folder, tree / start)
        names += [os.path.join(start, *([] if inside == "." else [inside]), name) for name in folders + files]  # noqa: PTH118
    wrong = []
    for name in names:
        depth = 0 if name == start else len(name[len(start) :].strip("/").split("/"))
        said = reached(found, Named(name, depth, _kind(tree / name)), is_printing)
        if isinstance(said, bool) and said is not (name in printed):
            wrong.append((name, said))
    note(" ".join(line))

    assert wrong == []
