"""The real file system as a fact."""

from __future__ import annotations

import os
import socket

import pytest

from tidegate.facts.files import LocalFiles

posix = pytest.mark.skipif(os.name != "posix", reason="needs the links of a POSIX system")


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "dir").mkdir()
    (tmp_path / "dir" / "b").write_text("b")
    (tmp_path / "dir" / "a").write_text("a")
    (tmp_path / "link").symlink_to("dir/a")
    (tmp_path / "dangling").symlink_to("/not/there")
    (tmp_path / "loop").symlink_to("loop")
    return tmp_path


@posix
def test_local_files_read_links_as_written(tree):
    files = LocalFiles()

    assert files.readlink(f"{tree}/link") == "dir/a"
    assert files.readlink(f"{tree}/dangling") == "/not/there"
    assert files.readlink(f"{tree}/loop") == "loop"


@posix
@pytest.mark.parametrize("name", ["dir", "dir/a", "absent", "dir/a/below", "\udcff"])
def test_local_files_see_no_link_where_there_is_none(tree, name):
    assert LocalFiles().readlink(f"{tree}/{name}") is None


@posix
@pytest.mark.parametrize("name", ["nul\0", "x" * 5_000, "loop/below", "\ud800"])
def test_local_files_take_what_they_cannot_look_at_for_a_link_to_itself(tree, name):
    """So that nobody takes it for a plain name."""
    assert LocalFiles().readlink(f"{tree}/{name}") == f"{tree}/{name}"


@posix
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("dir", "dir"),
        ("dir/a", "file"),
        ("link", "link"),
        ("loop", "link"),
        ("absent", "absent"),
        ("dir/a/below", "absent"),
        ("loop/below", "unknown"),
        ("nul\0", "unknown"),
        ("x" * 5_000, "unknown"),
    ],
)
def test_local_files_tell_what_stands_at_a_path(tree, name, kind):
    """Nothing is followed, and what may not be looked at is unknown."""
    assert LocalFiles().kind(f"{tree}/{name}") == kind


@posix
def test_local_files_call_a_socket_other(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")

        assert LocalFiles().kind(f"{tmp_path}/socket") == "other"


def test_local_files_list_names_in_order(tree):
    files = LocalFiles()

    assert files.names(f"{tree}/dir") == ["a", "b"]
    assert files.names(f"{tree}/dir/a") is None
    assert files.names(f"{tree}/absent") is None
    assert files.names("nul\0") is None
