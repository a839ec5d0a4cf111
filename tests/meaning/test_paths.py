"""Paths: every absolute name that stands for what a spelling reaches."""

from __future__ import annotations

import os
import tempfile
from itertools import count
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.meaning.trees import ROOT, Tree, scene
from tidegate.facts.files import LocalFiles
from tidegate.meaning.gaps import MOST_ENTRIES, _hides_dots, shape
from tidegate.meaning.links import walk
from tidegate.meaning.paths import resolve
from tidegate.meaning.scene import Scene
from tidegate.meaning.values import Hole, Partial, unknown

NO_LINKS = unknown("symbolic links cannot be seen here")


def names(value, where=None, cwds=(ROOT,), **how):
    return resolve(value, cwds, scene() if where is None else where, **how).names


def doubts(value, where=None, **how):
    return [name.reason for name in names(value, where, **how) if not isinstance(name, str)]


LINKS = {
    f"{ROOT}/link": "/srv/other/sub",
    f"{ROOT}/cur": "src",
    f"{ROOT}/up": "../project/src",
    f"{ROOT}/dangling": "/srv/other/not-there",
    f"{ROOT}/loop": "pool",
    f"{ROOT}/pool": "loop",
    f"{ROOT}/first": "second",
    f"{ROOT}/second": "third/x",
    f"{ROOT}/third": "/srv/third",
    "/tmp": "private/tmp",
    f"{ROOT}/proc": "/proc/self/cwd",
}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/a.py", {f"{ROOT}/src/a.py"}),
        (f"{ROOT}/src//./a.py", {f"{ROOT}/src/a.py"}),
        (f"{ROOT}/", {ROOT}),
        (".", {ROOT}),
        ("..", {"/srv"}),
        ("../../../../etc", {"/etc"}),
        ("//etc/passwd", {"/etc/passwd"}),
        ("/", {"/"}),
        ("src/../.env", {f"{ROOT}/.env"}),
        (f"{ROOT}/~/notes.txt", {f"{ROOT}/~/notes.txt"}),
        ("~/x", {f"{ROOT}/~/x"}),
        ("link", {f"{ROOT}/link", "/srv/other/sub"}),
        ("link/secret.txt", {f"{ROOT}/link/secret.txt", "/srv/other/sub/secret.txt"}),
        ("link/new/new.txt", {f"{ROOT}/link/new/new.txt", "/srv/other/sub/new/new.txt"}),
        ("link/../secret.txt", {f"{ROOT}/secret.txt", "/srv/other/secret.txt"}),
        ("dangling", {f"{ROOT}/dangling", "/srv/other/not-there"}),
        ("cur/a.py", {f"{ROOT}/cur/a.py", f"{ROOT}/src/a.py"}),
        ("up/../../x", {"/srv/x", f"{ROOT}/../x".replace("/project/..", "")}),
        ("first", {f"{ROOT}/first", f"{ROOT}/second", f"{ROOT}/third/x", "/srv/third/x"}),
        ("/tmp/x/../y", {"/tmp/y", "/private/tmp/y"}),
        ("/proc/self/cwd/../secret.txt", {"/proc/self/secret.txt", "/srv/secret.txt"}),
        ("/proc/thread-self/root/etc/x", {"/proc/thread-self/root/etc/x", "/etc/x"}),
        ("/proc/self/task/7/cwd/a", {"/proc/self/task/7/cwd/a", f"{ROOT}/a"}),
        ("proc/a", {f"{ROOT}/proc/a", "/proc/self/cwd/a", f"{ROOT}/a"}),
        ("/proc/self/environ", {"/proc/self/environ"}),
        ("/proc/self/fd/1", {"/proc/self/fd/1"}),
        ("/dev/fd/2", {"/dev/fd/2", "/proc/self/fd/2"}),
        ("/dev/stdin", {"/dev/stdin"}),
        ("/dev/null", {"/dev/null"}),
        ("/System/Volumes/Data/etc/x", {"/System/Volumes/Data/etc/x", "/etc/x"}),
        ("ab:c", {f"{ROOT}/ab:c"}),
        ("..\\..\\x", {f"{ROOT}/..\\..\\x", "/x"}),
        ("src\\a.py", {f"{ROOT}/src\\a.py", f"{ROOT}/src/a.py"}),
        ("file:///etc/passwd", {f"{ROOT}/file:/etc/passwd", "/etc/passwd"}),
        ("FILE:/etc/passwd", {f"{ROOT}/FILE:/etc/passwd", "/etc/passwd"}),
        ("file:a.py", {f"{ROOT}/file:a.py", f"{ROOT}/a.py"}),
        ("file://localhost/%65tc/x", {f"{ROOT}/file:/localhost/%65tc/x", "/etc/x", "/%65tc/x"}),
        ("file:///srv/%2e%2e/etc?q#f", {f"{ROOT}/file:/srv/%2e%2e/etc?q#f", "/etc", "/srv/%2e%2e/etc?q#f"}),
        ("file:\\\\\\etc\\x", {f"{ROOT}/file:\\\\\\etc\\x", f"{ROOT}/file:/etc/x", "/etc/x"}),
    ],
)
def test_path_has_exactly_the_names_that_stand_for_it(path, expected):
    """The spelling, what each link makes of it, and what it reaches; nothing is folded before links are followed."""
    assert set(names(path, scene(LINKS))) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("link", {f"{ROOT}/link"}),
        ("cur/link", {f"{ROOT}/cur/link", f"{ROOT}/src/link"}),
        ("link/", {f"{ROOT}/link", "/srv/other/sub"}),
        ("link/.", {f"{ROOT}/link", "/srv/other/sub"}),
        ("loop", {f"{ROOT}/loop"}),
        ("/tmp", {"/tmp"}),
    ],
)
def test_last_component_stays_a_link_where_it_is_not_followed(path, expected):
    assert set(names(path, scene(LINKS), follow=False)) == expected


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("", "empty"),
        ("a.py\0/../../etc/passwd", "NUL"),
        ("x/" * 2_049, "too long"),
        ("loop/x", "too many symbolic links"),
        ("/proc/self/fd/7", "not known"),
        ("/dev/fd/63", "not known"),
        ("/dev/stdin/x", "not known"),
        ("/proc/self/exe", "not known"),
        ("/proc/1/cwd/x", "not known"),
        ("/proc/1/root/etc/shadow", "another file system"),
        ("/.vol/16777220/2/etc", "by number"),
        ("file://evil.test/etc/passwd", "host `evil.test`"),
        ("file:///a%00b", "no path"),
        ("file://", "no path"),
        ("C:secret.txt", "Windows"),
        ("c:/secret.txt", "Windows"),
        ("\\\\?\\C:\\secret.txt", "Windows"),
        ("\\\\.\\PhysicalDrive0", "Windows"),
        ("\\\\server\\share\\x", "Windows"),
        ("src/a.txt::$DATA", "Windows"),
        ("src/a.txt:evil:$DATA", "Windows"),
        (".git::$INDEX_ALLOCATION/config", "Windows"),
        ("file:///C:/x", "Windows"),
    ],
)
def test_path_that_cannot_be_told_is_unknown_with_its_reason(path, reason):
    """No confinement can take for inside what nobody understands."""
    assert any(reason in doubt for doubt in doubts(path, scene(LINKS)))


@pytest.mark.parametrize(
    ("path", "tail"),
    [
        ("loop/.env", "/.env"),
        ("/etc/passwd\0.txt", "/etc/passwd"),
        ("/proc/7/cwd/.env", "/.env"),
    ],
)
def test_path_that_cannot_be_told_keeps_the_names_at_its_end(path, tail):
    """A deny of a file name still sees it."""
    assert (Hole.ANY, tail) in [name.parts for name in names(path, scene(LINKS)) if isinstance(name, Partial)]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("C:\\Users\\dev\\.env", "/C:/Users/dev/.env"),
        ("c:secret.txt", "/C:/secret.txt"),
        ("\\\\?\\C:\\x\\..\\y", "/C:/y"),
        ("\\\\server\\share\\.env", "/UNC/server/share/.env"),
        ("\\\\.\\PhysicalDrive0", "/UNC/PhysicalDrive0"),
        ("file:///C:/x", "/C:/x"),
        (".env::$DATA", f"{ROOT}/.env"),
        ("src/.env:x:$DATA", f"{ROOT}/src/.env"),
        (".git::$INDEX_ALLOCATION/config", f"{ROOT}/.git/config"),
    ],
)
def test_path_of_windows_is_elsewhere_on_another_host(path, name):
    """What it would name there is among its names, beside that nobody knows: it lies in no root of this host."""
    assert name in names(path, scene(LINKS))
    assert "the path is spelled as on Windows" in doubts(path, scene(LINKS))


def test_process_of_another_may_still_be_this_root():
    assert "/etc/shadow" in names("/proc/1/root/etc/shadow")


def test_path_has_names_under_each_directory():
    """A relative path is judged under every directory that an earlier `cd` could have left."""
    assert set(names("x", cwds=("/a", "/b"))) == {"/a/x", "/b/x"}
    assert set(names("/x", cwds=("/a", "/b"))) == {"/x"}


@pytest.mark.parametrize("cwds", [(), (unknown("a test"),), ("not/absolute",)])
def test_path_under_an_unknown_directory_keeps_its_spelling(cwds):
    found = names("a/../.env", cwds=cwds)

    assert (Hole.ANY, "/.env") in [name.parts for name in found if isinstance(name, Partial)]
    assert not any(isinstance(name, str) for name in found)


@given(st.text("ab./:~\\", min_size=1, max_size=12), st.booleans(), st.booleans())
def test_plain_path_is_resolved_as_any_other(path, follow, blind):
    """The short way for what is simple leads where the long one does."""
    where = scene(files=None) if blind else scene(LINKS)

    assert names(path, where, follow=follow) == names(path, where, cwds=(ROOT, ROOT), follow=follow)


@given(st.text("ab./", min_size=1, max_size=12), st.sampled_from(["", f"{ROOT}/"]), st.booleans(), st.booleans())
def test_path_has_the_names_of_the_way_along_it(path, start, follow, blind):
    """The short way, which folds a dot or slash at an end, leads where the kernel's way does."""
    where = scene(files=None) if blind else scene(LINKS)
    spelled = start + path
    absolute = spelled if spelled.startswith("/") else f"{ROOT}/{spelled}"

    assert names(spelled, where, follow=follow) == tuple(walk(absolute, where.files, (ROOT,), follow=follow).names)


@given(st.lists(st.sampled_from([".", "..", "a", *Hole]), min_size=1, max_size=4).map(tuple), st.booleans())
def test_name_hides_dots_exactly_where_its_shape_takes_them(component, glob):
    """Names that are known, whole ones, and those that begin visibly or with the hole of a glob never do."""
    automaton = shape(component)
    exempt = component in ((Hole.ENTRY,), (Hole.FOLDERS,)) or not {*component} & {*Hole}
    exempt = exempt or component[0] is Hole.VISIBLE or (glob and isinstance(component[0], Hole))
    takes = any(automaton.accepts(name) for name in ("", ".", ".."))

    assert _hides_dots(component, glob=glob) == (Hole.ANY in component or (takes and not exempt))


def test_links_are_unknown_without_a_file_system():
    """A grant cannot pass, and a deny still sees the spelling."""
    blind = scene(files=None)

    assert names("src/../.env", blind) == (f"{ROOT}/.env", NO_LINKS)
    assert names("/proc/self/root/etc/x", blind) == ("/proc/self/root/etc/x", "/etc/x", NO_LINKS)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("~", "/home/dev"),
        ("~/x", "/home/dev/x"),
        ("~root/x", "/root/x"),
        ("~/../y", "/home/y"),
    ],
)
def test_tilde_stands_for_both_readings_where_a_tool_may_expand_it(path, expected):
    assert set(names(path, tilde=True)) == {expected, os.path.normpath(f"{ROOT}/{path}")}


def test_tilde_of_an_unknown_account_is_unknown():
    assert doubts("~eve/.ssh/id", tilde=True) == ["the home of `eve` is not known"] * 2
    assert doubts("~/x", scene(home=None), tilde=True) == ["the home is not known"] * 2
    assert doubts("~/x", scene(home=None)) == []


# --- partly known paths


def parts_of(found):
    return [name.parts if isinstance(name, Partial) else name for name in found]


ANYTHING = (Hole.ANY,)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (
            ("/tmp/x-", Hole.DIGITS, ".log"),
            [("/tmp/x-", Hole.DIGITS, ".log"), ("/private/tmp/x-", Hole.DIGITS, ".log")],
        ),
        (("src/", Hole.NAME, ".py"), [(f"{ROOT}/src/", Hole.NAME, ".py")]),
        (("src/x", Hole.NAME, "/./b"), [(f"{ROOT}/src/x", Hole.NAME, "/b")]),
        (("src/", Hole.NAME), [ANYTHING]),
        (("src/.", Hole.NAME), [ANYTHING]),
        (("src/", Hole.NAME, "/b"), [(Hole.ANY, "/b"), ANYTHING]),
        (("src/", Hole.ANY), [ANYTHING]),
        (("src/", Hole.ANY, "/.env"), [(Hole.ANY, "/.env"), ANYTHING]),
        (("src/x", Hole.ANY, ".env"), [(Hole.ANY, ".env"), ANYTHING]),
        (("src/", Hole.ANY, "."), [ANYTHING]),
        (("src/", Hole.ANY, "x/../.env"), [(Hole.ANY, "/.env"), ANYTHING]),
        (("src/x", Hole.DIGITS, "/../y"), [(Hole.ANY, "/y"), ANYTHING]),
        ((Hole.ANY, "/a/", Hole.NAME, "z"), [(Hole.ANY, "/a/", Hole.NAME, "z"), ANYTHING]),
        ((Hole.NAME, "/a"), [(Hole.ANY, "/a"), ANYTHING]),
        ((Hole.NAME, ".py"), [(f"{ROOT}/", Hole.NAME, ".py")]),
        (("/", Hole.NAME, "x"), [("/", Hole.NAME, "x")]),
        (("file:", Hole.NAME, "x"), [(f"{ROOT}/file:", Hole.NAME, "x"), ANYTHING]),
        (("a\\", Hole.NAME, "x"), [(f"{ROOT}/a\\", Hole.NAME, "x"), ANYTHING]),
    ],
)
def test_partly_known_path_keeps_what_cannot_be_escaped(parts, expected):
    """Known directories are followed; whatever could hide a `..` takes all that stands before it away."""
    assert parts_of(names(Partial(parts, "a test"), scene(LINKS))) == expected


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((Hole.NAME,), [(f"{ROOT}/", Hole.VISIBLE)]),
        ((Hole.NAME, "/Makefile"), [(f"{ROOT}/", Hole.VISIBLE, "/Makefile")]),
        (("src/", Hole.NAME), [(f"{ROOT}/src/", Hole.VISIBLE)]),
        (("src/.", Hole.NAME), [ANYTHING]),
        (("src/.x", Hole.NAME), [(f"{ROOT}/src/.x", Hole.NAME)]),
    ],
)
def test_file_name_expansion_makes_no_dots(parts, expected):
    """A `*` never becomes `.`, `..` or a hidden name unless its dot is written."""
    assert parts_of(names(Partial(parts, "a test"), glob=True)) == expected


@pytest.mark.parametrize("parts", [("a" * 5_000, Hole.NAME), (Hole.NAME, "a") * 40])
def test_partly_known_path_that_is_too_long_is_unknown(parts):
    assert doubts(Partial(parts, "a test")) == ["the path is too long"]
    assert not any(isinstance(name, str) for name in names(Partial(parts, "a test")))


def test_tilde_before_a_hole_is_a_home():
    found = parts_of(names(Partial(("~/", Hole.NAME, "z"), "a test"), tilde=True))

    assert found == [("/home/dev/", Hole.NAME, "z"), (f"{ROOT}/~/", Hole.NAME, "z")]
    assert doubts(Partial((Hole.NAME, "z"), "r"), tilde=True) == ["r", "the path may begin with `~`"]


BUSY = scene(
    {f"{ROOT}/src/link": "/etc/x", f"{ROOT}/src/.hidden": "/etc/y", f"{ROOT}/d1/e": "/etc"},
    {f"{ROOT}/src": ["a.py", "link", ".hidden"], ROOT: ["src", "d1", "d2"], f"{ROOT}/d1": ["e"], f"{ROOT}/d2": []},
)


def test_links_among_the_names_that_a_glob_takes_are_followed():
    assert set(names(Partial(("src/l", Hole.NAME), "r"), BUSY, glob=True)) == {
        Partial((f"{ROOT}/src/l", Hole.NAME), "r"),
        f"{ROOT}/src/link",
        "/etc/x",
    }
    assert "/etc/y" not in names(Partial(("src/", Hole.NAME), "r"), BUSY, glob=True)
    assert "/etc/passwd" in names(Partial(("d", Hole.NAME, "/e/passwd"), "r"), BUSY, glob=True)


def test_links_among_the_names_that_text_could_be_make_it_unknown():
    assert doubts(Partial(("src/l", Hole.NAME), "r"), BUSY) == ["r", f"`{ROOT}/src/link` is a symbolic link"]
    assert doubts(Partial(("src/l", Hole.NAME), "r"), BUSY, follow=False) == ["r"]
    assert doubts(Partial(("src/a", Hole.NAME), "r"), BUSY) == ["r"]
    assert doubts(Partial(("d", Hole.NAME, "/", Hole.NAME, "z"), "r"), BUSY) == ["r"]


def test_names_that_cannot_be_listed_make_a_partly_known_path_unknown():
    class Closed(Tree):
        kind = staticmethod(lambda _: "unknown")

    closed = scene(files=Closed())
    many = scene((), {f"{ROOT}/src": [f"a{number}" for number in range(MOST_ENTRIES + 1)]})

    assert doubts(Partial(("src/a", Hole.NAME), "r"), closed) == ["r", f"`{ROOT}/src` cannot be listed"]
    assert doubts(Partial(("src/a", Hole.NAME), "r"), many) == ["r", f"there are too many names in `{ROOT}/src`"]


def test_partly_known_path_is_unknown_without_a_file_system():
    assert names(Partial(("src/a", Hole.NAME), "r"), scene(files=None)) == (
        Partial((f"{ROOT}/src/a", Hole.NAME), "r"),
        Partial((Hole.ANY, "/a", Hole.NAME), NO_LINKS.reason),
    )


# --- Windows


WINDOWS = scene(cwd="C:\\work")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a\\b.txt", "/C:/work/a/b.txt"),
        ("a/b.txt", "/C:/work/a/b.txt"),
        ("D:\\x\\..\\y", "/D:/y"),
        ("d:/x", "/D:/x"),
        ("\\x", "/C:/x"),
        ("\\\\?\\C:\\y", "/C:/y"),
        ("a.txt::$DATA", "/C:/work/a.txt"),
        ("b. . \\c", "/C:/work/b/c"),
        ("..\\x", "/C:/x"),
        ("...", "/C:/work/..."),
    ],
)
def test_windows_path_is_understood_on_windows(path, expected):
    assert resolve(path, ("C:\\work",), WINDOWS).names == (expected,)


def test_windows_path_under_an_unknown_directory_keeps_its_spelling():
    assert resolve("a\\b", (), WINDOWS).names[0].parts == (Hole.ANY, "/a/b")
    assert resolve("D:\\a", (), WINDOWS).names == ("/D:/a",)
    assert not isinstance(resolve(Partial(("a", Hole.NAME), "r"), ("C:\\work",), WINDOWS).names[0], str)


@pytest.mark.parametrize(
    "path",
    ["C:x", "nul", "a\\COM1.txt", "con .x", "\\\\server\\share\\x", "//server/share", "\\\\.\\C:", "\\\\?\\UNC\\s\\x"],
)
def test_windows_path_to_a_device_or_share_is_unknown_on_windows(path):
    assert not any(isinstance(name, str) for name in resolve(path, ("C:\\work",), WINDOWS).names)


# --- the real file system as an oracle


@pytest.fixture(scope="module")
def playground():
    with tempfile.TemporaryDirectory() as base:
        yield Path(base).resolve(), count()


steps = st.lists(st.sampled_from(["a", "b", "c", "..", ".", ""]), min_size=1, max_size=5).map("/".join)
trees = st.dictionaries(st.sampled_from(["a", "b", "c", "a/a", "a/b", "b/a", "b/c"]), st.none() | steps, max_size=7)


def build(base, tree):
    for name, target in sorted(tree.items()):
        path = base / name
        if path.parent.is_dir() and not os.path.lexists(path):
            path.mkdir() if target is None else path.symlink_to(target or ".")


@pytest.mark.skipif(os.name != "posix", reason="needs the links of a POSIX system")
@given(tree=trees, path=steps.filter(bool))
@example({"a": None, "b": "a/.."}, "b/../c").via("a link is followed before `..` is")
def test_real_name_is_where_the_kernel_arrives(playground, tree, path):
    """What a path reaches is among its names, and so is every name by which the same file is spelled."""
    top, numbers = playground
    base = top / str(next(numbers))
    base.mkdir()
    build(base, tree)
    found = resolve(path, (str(base),), Scene(cwd=str(base), files=LocalFiles())).names

    try:
        real = os.path.realpath(base / path, strict=True)
    except FileNotFoundError:
        real = os.path.realpath(base / path)
    except OSError:
        real = None
    assert real in found if real is not None else not all(isinstance(name, str) for name in found)
