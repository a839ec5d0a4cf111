"""Counters in a file: made once, never made anew, safe over threads, forks and bad files."""

import os
import sqlite3
import stat
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tidegate.errors import StoreError
from tidegate.facts import sqlite_counters, sqlite_file
from tidegate.facts.counters import Lease, Refused
from tidegate.facts.sqlite_counters import SqliteCounters
from tidegate.kind import Claim

ONE = [Claim("k", 1, 60.0)]
posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a POSIX system")


@pytest.fixture
def path(tmp_path):
    """Where the store of a test stands."""
    return tmp_path / "limits.db"


@pytest.fixture
def counters(path):
    """A store that is closed when the test is over."""
    made = opened(path)
    yield made
    made.close()


class Machine:
    """A machine that is as old as it is told."""

    age = 1_000.0

    def uptime(self):
        return self.age


def opened(path, machine=Machine()):  # noqa: B008 - most tests stand in one moment
    """A store on a machine."""
    return SqliteCounters(path, machine.uptime)


def spend(counters, claims, now=1_000.0):
    """Take claims and count them; whether there was room."""
    lease = counters.reserve(claims, now, 30.0)
    return isinstance(lease, Lease) and counters.commit(lease, now)


class TestFile:
    """The file is made where it is missing, belongs to its user alone, and is one store for all who open it."""

    def test_nothing_is_made_before_the_first_use(self, path):
        opened(path).close()

        assert not path.exists()

    @posix
    def test_file_is_for_its_user_alone(self, path, counters):
        """The database and what SQLite keeps beside it can be read and written by the user only."""
        spend(counters, ONE)
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}

        assert modes == {"limits.db": 0o600, "limits.db-wal": 0o600, "limits.db-shm": 0o600}

    def test_count_outlives_the_process(self, path, counters):
        """What was counted is found by the next one who opens the file."""
        spend(counters, ONE)
        counters.close()
        machine = Machine()
        with closing(opened(path, machine)) as later:
            machine.age = 1_059.0
            assert isinstance(later.test(ONE, 1_059.0), Refused)
            machine.age = 1_060.0
            assert later.test(ONE, 1_060.0) is None

    def test_lease_can_be_reported_by_another_process(self, path, counters):
        """A lease is known by its number and not by the connection that took it."""
        lease = counters.reserve(ONE, 1_000.0, 30.0)
        with closing(opened(path)) as other:
            assert other.commit(lease, 1_001.0)
        assert counters.commit(lease, 1_001.0) is False

    def test_what_has_left_its_window_is_deleted(self, path):
        """Three hundred calls, one at a time within the window, leave a row or two."""
        machine = Machine()
        with closing(opened(path, machine)) as counters:
            for _ in range(300):
                machine.age += 60.0
                assert spend(counters, ONE, machine.age)
        with closing(sqlite3.connect(path)) as connection:
            (rows,) = connection.execute("SELECT count(*) FROM units").fetchone()

        assert rows <= 2


class TestBadFiles:
    """What is not a sound store is an error each time, and stays as it is."""

    @pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + b"\xff" * 5_000])
    def test_broken_file_is_never_made_anew(self, path, counters, content):
        path.write_bytes(content)
        path.chmod(0o600)
        for _ in range(2):
            with pytest.raises(StoreError):
                counters.reserve(ONE, 1_000.0, 30.0)

        assert path.read_bytes() == content

    def test_database_of_another_program_is_refused(self, path, counters):
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TABLE units (a)")
        path.chmod(0o600)

        with pytest.raises(StoreError, match="not a store of counters"):
            counters.test(ONE, 1_000.0)

    def test_page_that_is_broken_later_is_an_error(self, path, counters):
        """Damage in the middle of the file is found when it is read, and nothing is let through."""
        for number in range(500):
            counters.reserve([Claim(f"k{number}", 1, 6_000.0)], 1_000.0, 3_000.0)
        counters.close()
        size = path.stat().st_size
        with path.open("r+b") as file:
            file.seek(4_096)
            file.write(b"\xff" * (size - 4_096))

        with pytest.raises(StoreError):
            counters.reserve(ONE, 1_000.0, 30.0)

    @posix
    def test_file_that_others_may_read_is_refused(self, path, counters):
        spend(counters, ONE)
        path.chmod(0o644)

        with pytest.raises(StoreError, match="user alone"):
            counters.test(ONE, 1_000.0)

    @posix
    def test_symlink_is_refused(self, path, counters, tmp_path):
        with closing(opened(tmp_path / "elsewhere.db")) as other:
            spend(other, ONE)
        path.symlink_to(tmp_path / "elsewhere.db")

        with pytest.raises(StoreError, match="regular file"):
            counters.test(ONE, 1_000.0)

    @posix
    def test_file_that_is_removed_in_use_is_not_made_anew(self, path, counters):
        """Who had the file open does not begin to count from nothing when somebody deletes it."""
        spend(counters, ONE)
        path.unlink()
        for _ in range(2):
            with pytest.raises(StoreError):
                counters.reserve(ONE, 1_000.0, 30.0)

        assert not path.exists()

    @posix
    def test_file_that_is_replaced_in_use_is_refused(self, path, counters):
        spend(counters, ONE)
        path.rename(path.with_name("old.db"))
        with closing(opened(path)) as other:
            spend(other, ONE)

        with pytest.raises(StoreError, match="replaced"):
            counters.test(ONE, 1_000.0)

    def test_folder_that_is_missing_is_an_error(self, tmp_path):
        with pytest.raises(StoreError):
            opened(tmp_path / "nowhere" / "limits.db").test(ONE, 1_000.0)

    def test_locked_store_is_an_error_and_works_again_later(self, path, counters, monkeypatch):
        """A store that somebody else holds for too long refuses, and takes nothing."""
        monkeypatch.setattr(sqlite_file, "WAIT", 0.05)
        counters.give_back(counters.reserve(ONE, 1_000.0, 30.0))
        with closing(sqlite3.connect(path, isolation_level=None)) as holder:
            holder.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreError, match="locked"):
                counters.reserve(ONE, 1_000.0, 30.0)
            holder.execute("ROLLBACK")

        assert spend(counters, ONE)

    def test_thread_that_waits_too_long_is_an_error(self, counters, monkeypatch):
        monkeypatch.setattr(sqlite_counters, "WAIT", 0.05)
        with counters._transaction("DEFERRED"), pytest.raises(StoreError, match="busy"):
            counters.test(ONE, 1_000.0)

    def test_full_store_is_an_error_and_forgets_nothing(self, counters, monkeypatch):
        """Hostile keys fill the file up to its bound, and not further; what is known stays counted."""
        monkeypatch.setattr(sqlite_file, "_PAGES", 40)
        spend(counters, ONE)
        hostile = (Claim(f"{number:0>400}", 1, 6_000.0) for number in range(10_000))
        with pytest.raises(StoreError, match="full"):
            _ = [counters.reserve([claim], 1_001.0, 3_000.0) for claim in hostile]

        assert isinstance(counters.test(ONE, 1_002.0), Refused)
        assert sum(file.stat().st_size for file in counters._path.parent.iterdir()) < 40 * 4_096 * 40

    def test_failed_reservation_takes_nothing(self, counters):
        """A clock without a time is an error, and the units are all still there."""
        with pytest.raises(StoreError):
            counters.reserve(ONE, float("nan"), 30.0)

        assert spend(counters, ONE)


@posix
class TestForks:
    """A child opens the file for itself, and shares the limit with its parent."""

    def test_parent_and_children_share_a_limit(self, counters):
        """Of a parent and three children, each with five calls, as many enter as the limit says."""
        claims = [Claim("shared", 7, 3_600.0)]
        entered = sum(spend(counters, claims) for _ in range(2))
        for _ in range(3):
            read, write = os.pipe()
            child = os.fork()
            if child == 0:
                try:
                    os.write(write, bytes([sum(spend(counters, claims) for _ in range(5))]))
                finally:
                    os._exit(0)
            os.waitpid(child, 0)
            entered += os.read(read, 1)[0]
            os.close(read)
            os.close(write)
        entered += sum(spend(counters, claims) for _ in range(3))

        assert entered == 7

    def test_child_that_ends_in_order_does_not_harm_its_parent(self, tmp_path):
        """A child that ends as Python programs do leaves the parent's connection as it was."""
        script = tmp_path / "forks.py"
        script.write_text(_FORKS)

        assert os.spawnl(os.P_WAIT, sys.executable, sys.executable, str(script), str(tmp_path / "forks.db")) == 0

    def test_child_can_count_although_its_parent_was_counting(self, counters, monkeypatch):
        """A fork in the middle of a reservation leaves the child neither the lock nor the connection."""
        monkeypatch.setattr(sqlite_counters, "WAIT", 0.05)
        with counters._transaction("DEFERRED"):
            child = os.fork()
            if child == 0:
                try:
                    os._exit(17 if counters.test(ONE, 1_000.0) is None else 1)
                finally:
                    os._exit(2)
            (_, status) = os.waitpid(child, 0)

        assert os.waitstatus_to_exitcode(status) == 17

    def test_child_does_not_make_anew_what_its_parent_had_open(self, path, counters):
        spend(counters, ONE)
        path.unlink()
        child = os.fork()
        if child == 0:
            try:
                counters.test(ONE, 1_000.0)
            except StoreError:
                os._exit(17)
            finally:
                os._exit(0)
        (_, status) = os.waitpid(child, 0)

        assert os.waitstatus_to_exitcode(status) == 17


_FORKS = """
import os, sys
from pathlib import Path
from tidegate.facts.clock import uptime
from tidegate.facts.counters import Refused
from tidegate.facts.sqlite_counters import SqliteCounters
from tidegate.kind import Claim

counters, claims = SqliteCounters(Path(sys.argv[1]), uptime), [Claim("k", 4, 60.0)]
counters.commit(counters.reserve(claims, 1_000.0, 30.0), 1_000.0)
for number in range(3):
    if os.fork() == 0:
        counters.commit(counters.reserve(claims, 1_000.0, 30.0), 1_000.0)
        counters.close()
        sys.exit(0)
    os.wait()
full = isinstance(counters.reserve(claims, 1_000.0, 30.0), Refused)
counters.close()
sys.exit(0 if full and Path(sys.argv[1]).exists() else 1)
"""


def test_path_may_hold_any_characters(tmp_path):
    """A folder named like part of a URL is a folder."""
    folder = tmp_path / "a b?mode=memory#%41"
    folder.mkdir()
    with closing(opened(folder / "limits.db")) as counters:
        spend(counters, ONE)

    assert Path(folder / "limits.db").exists()
