"""Directories of patterns that lead elsewhere are found in each call, whatever was seen before."""

import os

import pytest

from tidegate.facts.files import LocalFiles
from tidegate.meaning.glimpse import Glimpse
from tidegate.meaning.indexes.linked import Directories
from tidegate.meaning.places import Places
from tidegate.meaning.scene import Scene

YEARS_AGO = 10**9


class Settled(LocalFiles):
    """The real file system, of which every change was long ago but of the time that is told."""

    def __init__(self):
        self.looked = 0

    def readlink(self, path):
        self.looked += 1
        return super().readlink(path)

    def stamp(self, path):
        try:
            seen = os.lstat(path)
        except FileNotFoundError:
            return "absent"
        return seen.st_ino, seen.st_ctime_ns


def moved(directories, start, files):
    """The numbers that are found in a new call."""
    return set(directories.moved(str(start), Places(Scene(str(start), files=Glimpse(files)))))


@pytest.mark.skipif(os.name == "nt", reason="links need a right there, and no stamps are kept")
@pytest.mark.parametrize("many", [0, 40])
@pytest.mark.parametrize("files", [LocalFiles, Settled])
def test_link_is_seen_in_the_next_call(tmp_path, many, files):
    """A directory that becomes a link, or has one above it, moves what stands beneath; and back again."""
    (tmp_path / "app").mkdir()
    (tmp_path / "elsewhere" / "conf").mkdir(parents=True)
    files, directories = files(), Directories()
    for number, path in enumerate(["/app/conf", "/app", "/other", *(f"/none{n}" for n in range(many))]):
        directories.add(path, number)

    assert moved(directories, tmp_path, files) == set()

    (tmp_path / "app" / "conf").symlink_to(tmp_path / "elsewhere")

    assert moved(directories, tmp_path, files) == {0}

    (tmp_path / "app").rename(tmp_path / "old")
    (tmp_path / "app").symlink_to(tmp_path / "elsewhere")

    assert moved(directories, tmp_path, files) == {0, 1}

    (tmp_path / "app").unlink()

    assert moved(directories, tmp_path, files) == set()


@pytest.mark.skipif(os.name == "nt", reason="no stamps are kept there")
def test_settled_directory_is_looked_through_once(tmp_path):
    """As long as nothing changes, links are not asked for again."""
    (tmp_path / "app").mkdir()
    files, directories = Settled(), Directories()
    directories.add("/app/conf", 0)
    moved(directories, tmp_path, files)
    looked = files.looked
    moved(directories, tmp_path, files)

    assert files.looked == looked


@pytest.mark.skipif(os.name == "nt", reason="no stamps are kept there")
def test_directory_that_changed_a_moment_ago_has_no_stamp(tmp_path):
    """Two changes within one tick of a clock would look like one."""
    (tmp_path / "new").mkdir()

    assert LocalFiles().stamp(str(tmp_path)) is None
    assert LocalFiles().stamp("/usr") is not None
    assert LocalFiles().stamp(str(tmp_path / "none")) == "absent"
