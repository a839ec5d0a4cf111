"""Opening a path beneath a root never leaves it, whatever is swapped in meanwhile."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

from tidegate.errors import UnsafePath
from tidegate.facts.opening import open_beneath, open_stepwise

pytestmark = pytest.mark.skipif(os.open not in os.supports_dir_fd, reason="needs descriptors of directories")


def stepwise(root, path, flags, mode=0o666):
    top = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        return open_stepwise(top, path, flags, mode)
    finally:
        os.close(top)


@pytest.fixture(params=[open_beneath, stepwise], ids=["by the kernel", "step by step"])
def opener(request):
    return request.param


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "root"
    (root / "dir" / "deep").mkdir(parents=True)
    (root / "dir" / "file").write_text("inside")
    (tmp_path / "secret").write_text("outside")
    (root / "inner").symlink_to("dir/file")
    (root / "dir" / "up").symlink_to("../dir/deep/../file")
    (root / "outer").symlink_to("../secret")
    (root / "absolute").symlink_to(root / "dir" / "file")
    (root / "away").symlink_to("..")
    (root / "sideways").symlink_to("dir/deep")
    (root / "loop").symlink_to("loop")
    (root / "new").symlink_to("dir/made")
    (root / "new-outside").symlink_to("../made")
    return root


def content(descriptor):
    with os.fdopen(descriptor) as file:
        return file.read()


@pytest.mark.parametrize("path", ["dir/file", "./dir//file", "dir/deep/../file", "inner", "dir/up", "sideways/../file"])
def test_opening_follows_what_stays_beneath(opener, root, path):
    assert content(opener(str(root), path, os.O_RDONLY)) == "inside"


@pytest.mark.parametrize(
    "path",
    ["../secret", "dir/../../secret", "outer", "away/secret", "absolute", "loop", "dir/deep/../../../secret", ".."],
)
def test_opening_refuses_what_leaves_the_root(opener, root, path):
    """A path that leaves the root is refused, also where it would come back."""
    with pytest.raises(UnsafePath):
        opener(str(root), path, os.O_RDONLY)


def test_opening_refuses_a_magic_link(root):
    with pytest.raises(UnsafePath):
        open_beneath("/proc/self", "cwd/.", os.O_RDONLY) if sys.platform == "linux" else open_beneath(
            str(root), "..", 0
        )


@pytest.mark.parametrize("path", ["/etc/passwd", "", "a\0b", "/"])
def test_opening_refuses_a_path_that_is_none_of_the_root(root, path):
    with pytest.raises(UnsafePath):
        open_beneath(str(root), path, os.O_RDONLY)


def test_opening_takes_an_absolute_path_that_begins_with_the_root(root):
    assert content(open_beneath(str(root), f"{root}/dir/file", os.O_RDONLY)) == "inside"
    with pytest.raises(UnsafePath):
        open_beneath(str(root), f"{root}-sibling/file", os.O_RDONLY)
    os.close(open_beneath(str(root), str(root), os.O_RDONLY))


@pytest.mark.parametrize("path", ["dir/absent", "dir/file/below", "absent/x"])
def test_opening_says_what_else_is_wrong(opener, root, path):
    with pytest.raises(OSError, match=r"No such file|Not a directory"):
        opener(str(root), path, os.O_RDONLY)


def test_opening_makes_a_file_with_its_mode(opener, root):
    before = os.umask(0o022)
    try:
        os.close(opener(str(root), "dir/created", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o640))
        os.close(opener(str(root), "new", os.O_WRONLY | os.O_CREAT, 0o600))
    finally:
        os.umask(before)

    assert (root / "dir" / "created").stat().st_mode & 0o777 == 0o640
    assert (root / "dir" / "made").stat().st_mode & 0o777 == 0o600


def test_opening_makes_nothing_outside(opener, root):
    """A dangling link that leads out is refused, and nothing appears at its end."""
    with pytest.raises(UnsafePath):
        opener(str(root), "new-outside", os.O_WRONLY | os.O_CREAT)

    assert not (root.parent / "made").exists()


def descriptors():
    return len(list(Path("/proc/self/fd").iterdir()))


def test_opening_leaves_no_descriptor_behind(opener, root):
    if not Path("/proc/self/fd").is_dir():
        pytest.skip("descriptors cannot be counted here")
    before = descriptors()
    for path in ("dir/file", "outer", "absent/x", "dir/up", "dir/deep/../file"):
        try:
            os.close(opener(str(root), path, os.O_RDONLY))
        except (OSError, UnsafePath):
            continue

    assert descriptors() == before


def test_opened_descriptor_is_not_inherited(opener, root):
    descriptor = opener(str(root), "dir/file", os.O_RDONLY)

    assert os.get_inheritable(descriptor) is False
    os.close(descriptor)


@contextmanager
def swapping(root):
    """A thread that makes `dir` a link out of the root and a directory within it, in turn."""
    stop = threading.Event()
    (root / "good").mkdir()
    (root / "good" / "secret").write_text("inside")
    (root.parent / "evil").mkdir()
    (root.parent / "evil" / "secret").write_text("outside")
    for name, target in (("to-good", "good"), ("to-evil", "../evil")):
        (root / name).symlink_to(target)

    def swap():
        while not stop.is_set():
            for target in ("../evil", "good"):
                (root / "next").symlink_to(target)
                (root / "next").replace(root / "door")

    (root / "door").symlink_to("good")
    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def test_opening_wins_every_race(opener, root):
    """While a link is swapped in and out, what is opened is always beneath the root."""
    seen = set()
    with swapping(root):
        for attempt in range(100_000):
            if attempt >= 3_000 and {"inside", "refused"} <= seen:
                break
            try:
                seen.add(content(opener(str(root), "door/secret", os.O_RDONLY)))
            except UnsafePath:
                seen.add("refused")
            except FileNotFoundError:
                seen.add("gone")

    assert "outside" not in seen
    assert {"inside", "refused"} <= seen
