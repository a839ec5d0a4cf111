"""The short way from a path to its names says what the long way says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.meaning.paths import _resolved
from tidegate.meaning.scene import Scene
from tidegate.meaning.simple_paths import simple_names
from tidegate.meaning.values import Hole, Matched, Partial, Plain, unknown

PIECES = (
    "a", "..", ".", "/", "//", "proc", "dev", "~", "b c", "\\", "\n", "a:", "System", ".vol", "x.y", "-", "...", "é",
    "/proc", "/dev/null", "./", "file:", "\0", "a" * 1_001,
)  # fmt: skip
texts = st.lists(st.sampled_from(PIECES), max_size=5).map("".join)
holes = st.sampled_from(list(Hole))
parts = st.lists(st.one_of(texts, holes), min_size=1, max_size=5).map(tuple)
likely = st.builds(
    lambda folder, beneath, name: (folder, *beneath, *name),
    st.sampled_from(["./", "a/", "/x/y/", "../", "/proc/", "/", "a", ""]),
    st.sampled_from([(), (Hole.FOLDERS,)]),
    st.lists(st.one_of(st.sampled_from(["a", ".c", ".", "..", "b/c", ""]), holes), max_size=3),
)
values = st.one_of(
    texts,
    st.builds(lambda kind, some: kind(some, "r"), st.sampled_from([Partial, Plain, Matched]), parts | likely),
)
PLACES = [
    ("/srv/project",),
    ("/",),
    ("/proc/self",),
    ("/dev",),
    ("rel",),
    ("/a", "/b"),
    (),
    (unknown("r"),),
    ("/C:/a",),
]


@given(values, st.sampled_from(PLACES), st.sampled_from([None, "/srv", "/C:/x"]), st.booleans(), st.booleans())
def test_simple_way_is_the_long_way(value, cwds, start, follow, glob):
    """`simple_names` says what `_resolved` says, or nothing."""
    names = simple_names(value, cwds, start, glob)

    if names is not None:
        long = _resolved(value, cwds, Scene(start), follow=follow, tilde=False, glob=glob)
        assert [(type(name), name) for name in names] == [(type(name), name) for name in long.names]


PATHS = (
    "a", ".", "./a/", "/x", "..", "a/../b", "/dev/fd/1", "/dev/null", "/proc/self/root/etc", "/.vol/1", "~", "a:b", "",
    Partial(("./", Hole.FOLDERS, Hole.NAME, ".c"), "r"), Partial(("a", Hole.NAME), "r"),
)  # fmt: skip


@pytest.mark.parametrize("cwds", PLACES, ids=str)
def test_simple_way_is_the_long_way_in_every_place(cwds):
    """One plain folder is needed; where there may be several, a path has several names."""
    for value in PATHS:
        names = simple_names(value, cwds, "/srv", False)
        long = _resolved(value, cwds, Scene("/srv"), follow=True, tilde=False, glob=False)
        assert names is None or [*names] == [*long.names]


NAMES = ("a", ".c", ".", "..", "b/c", "", *Hole)


@pytest.mark.parametrize("glob", [False, True])
@pytest.mark.parametrize("beneath", [(), (Hole.FOLDERS,)], ids=["in a folder", "beneath it"])
@pytest.mark.parametrize("folder", ["./", "a/", "/x/y/", "../", "/proc/", "/dev/", "/", "a", ".", "..", ""])
def test_simple_way_is_the_long_way_of_each_shape_of_a_name(folder, beneath, glob):
    """All names of one or two pieces."""
    for name in (*((one,) for one in NAMES), *((one, other) for one in NAMES for other in NAMES)):
        value = Partial((folder, *beneath, *name), "r")
        names = simple_names(value, ("/srv",), "/srv", glob)
        long = _resolved(value, ("/srv",), Scene("/srv"), follow=True, tilde=False, glob=glob)
        assert names is None or [*names] == [*long.names]


@pytest.mark.parametrize(
    "value",
    ["a", ".", "./a/b/", "/x/y.c", "...", Partial(("./", Hole.FOLDERS, Hole.NAME, ".c"), "r")],
    ids=["name", "here", "folder", "absolute", "dots", "found"],
)
def test_simple_way_is_taken(value):
    """The law would be empty if the long way were always taken."""
    assert simple_names(value, ("/srv",), "/srv", False) is not None
