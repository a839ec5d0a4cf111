"""The file of approvals and sessions: made once, checked on every use, never made anew."""

import os
import sqlite3
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from tidegate.errors import StateError, StoreError
from tidegate.facts.database import Database
from tidegate.facts.digests import ABSENT, digest_of
from tidegate.facts.history import Mark, SqliteHistory

posix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs the permissions of a POSIX system")


@pytest.fixture
def path(tmp_path):
    """Where the file will stand."""
    return tmp_path / "own" / "sessions.db"


def used(path):
    """The history in the file, which was used once and is closed until it is used again."""
    database = Database(lambda: path)
    history = SqliteHistory(lambda: database)
    history.note("s", ["a"], 1.0)
    database.close()
    return history


def test_nothing_is_made_before_the_first_use(path):
    Database(lambda: path)

    assert not path.parent.exists()


@posix
def test_file_is_for_its_user_alone(path):
    used(path)
    modes = [stat.S_IMODE(one.stat().st_mode) for one in (path, path.parent)]

    assert modes == [0o600, 0o700]


def _broken(path):
    path.write_bytes(b"no database at all" * 100)


def _foreign(path):
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE marks (x)")
    connection.close()
    path.chmod(0o600)


def _gone(path):
    path.unlink()


def _link(path):
    path.rename(path.with_name("real"))
    path.symlink_to("real")


def _open_to_others(path):
    path.chmod(0o644)


@posix
@pytest.mark.parametrize("harm", [_broken, _foreign, _gone, _link, _open_to_others])
def test_file_that_is_no_longer_ours_is_an_error_each_time(path, harm):
    """Nothing is made in its place: what it held must not be lost unseen."""
    history = used(path)
    harm(path)
    before = sorted(one.name for one in path.parent.iterdir() if "-" not in one.name)

    for _ in range(2):
        with pytest.raises(StoreError):
            history.note("s", ["a"], 2.0)
    assert sorted(one.name for one in path.parent.iterdir() if "-" not in one.name) == before


@posix
def test_folder_that_is_open_to_others_is_refused(path):
    path.parent.mkdir(mode=0o755)
    path.parent.chmod(0o755)

    with pytest.raises(StateError):
        used(path)


def test_threads_and_openings_share_the_order(path):
    """Every number is given once, whoever asks."""
    histories = [used(path) for _ in range(3)]
    with ThreadPoolExecutor(6) as threads:
        numbers = list(threads.map(lambda at: histories[at % 3].note("s", [f"k{at}"], 1.0), range(30)))

    assert len(set(numbers)) == 30
    assert histories[0].marks("s", ["k7"]) == {"k7": Mark(numbers[7], 1.0)}


@posix
def test_child_opens_the_file_for_itself(path):
    """A fork takes no open connection along."""
    code = f"""
import os
from pathlib import Path
from tidegate.facts.database import Database
from tidegate.facts.history import SqliteHistory
database = Database(lambda: Path({str(path)!r}))
history = SqliteHistory(lambda: database)
history.note("s", ["parent"], 1.0)
before = database._connection
child = os.fork()
if not child:
    history.note("s", ["child"], 1.0)
    os._exit(database._connection is before)
assert os.waitpid(child, 0)[1] == 0
assert set(history.marks("s", ["parent", "child"])) == {{"parent", "child"}}
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, timeout=60)


class TestDigests:
    """Code is known by what its file holds."""

    def test_same_bytes_have_the_same_digest(self, tmp_path):
        (tmp_path / "a").write_bytes(b"x")
        (tmp_path / "b").write_bytes(b"x")
        (tmp_path / "c").write_bytes(b"y")
        one, other, third = (digest_of(str(tmp_path / name)) for name in "abc")

        assert one == other != third

    def test_nothing_is_told_from_an_empty_file(self, tmp_path):
        (tmp_path / "a").touch()

        assert digest_of(str(tmp_path / "gone")) == ABSENT == digest_of(str(tmp_path / "a" / "b"))
        assert digest_of(str(tmp_path / "a")) != ABSENT

    @posix
    def test_what_is_no_plain_file_cannot_be_read(self, tmp_path, monkeypatch):
        """A pipe does not keep anybody waiting."""
        os.mkfifo(tmp_path / "pipe")
        (tmp_path / "large").write_bytes(b"x" * 11)
        monkeypatch.setattr("tidegate.facts.digests.MOST_BYTES", 10)

        for name in ("pipe", ".", "large"):
            with pytest.raises(OSError, match="no plain file"):
                digest_of(str(tmp_path / name))
