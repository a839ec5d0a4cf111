"""Hooks as real processes, with a resident, without one, and with one that is in trouble."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.resident.conftest import LIMITED, RULES, Running, alone, ended, taken, until
from tidegate.cli.hook_alone import LOST
from tidegate.resident.asking import own_name
from tidegate.resident.control import residents
from tidegate.resident.place import PROGRAM

DENIED = "stay inside the project"
LATE = "longer than 8 seconds"  # what a busy machine makes of a hook that decides by itself


def reason(answer):
    return answer.get("hookSpecificOutput", {}).get("permissionDecisionReason")


@pytest.fixture
def passwd(event):
    return event("Read", {"file_path": "/etc/passwd"})


@pytest.fixture
def search(project, event):
    """A call that counts against a limit of five."""
    (project / "rules.toml").write_text(RULES + LIMITED, encoding="utf-8")
    return event("WebSearch", {"query": "a"})


def running(folder):
    """What the residents of a folder say of themselves."""
    return [one.said for one in residents(folder) if one.said]


def test_the_first_hook_decides_and_starts_the_resident_of_the_next(folder, hook, ask, passwd):
    """Nobody has to start anything, and both answers are the same."""
    first = hook(passwd, folder)
    until(lambda: running(folder))

    assert (reason(first), running(folder)[0]["calls"]) == (DENIED, 0)
    ask(passwd)  # the rules are loaded now, also on a busy machine
    assert hook(passwd, folder) == first
    assert running(folder)[0]["calls"] == 2


def test_hooks_at_the_same_time_start_one_resident(folder, hook, passwd):
    """However many hooks find none, one is there in the end, and every hook has its answer."""
    processes = [hook.begin(passwd, folder) for _ in range(5)]

    assert all(said == DENIED or LATE in said for said in [reason(ended(process)) for process in processes])
    said = until(lambda: running(folder))[0]
    assert [one["pid"] for one in running(folder)] == [said["pid"]]
    assert len([one for one in Path(folder).iterdir() if not one.suffix]) == 1


def test_a_resident_holds_nothing_of_the_hook_that_started_it(folder, hook, passwd):
    """It has a session and a working folder of its own, and none of the variables of a project."""
    os.environ["TIDEGATE_SECRET"] = "of the project"
    try:
        hook(passwd, folder)
    finally:
        del os.environ["TIDEGATE_SECRET"]
    pid = until(lambda: running(folder))[0]["pid"]
    opened = [str(Path(f"/proc/{pid}/fd/{number}").readlink()) for number in "012"] if _linux() else []

    assert os.getsid(pid) == os.getpgid(pid) != os.getsid(0)
    if _linux():
        assert opened == ["/dev/null"] * 3
        assert b"TIDEGATE_SECRET" not in Path(f"/proc/{pid}/environ").read_bytes()
        assert Path(f"/proc/{pid}/cwd").readlink() == Path("/")


def _linux():
    return sys.platform == "linux"


@pytest.mark.parametrize("places", ["resident", "alone", "mixed"])
def test_parallel_hooks_share_a_limit_exactly(resident, folder, ask, event, hook, search, places):
    """Of hooks at once exactly five are let through, wherever each is judged; those that are late are refused."""
    where = {"resident": [folder] * 8, "alone": ["off"] * 6, "mixed": [folder, folder, "off"] * 3}[places]
    ask(event("Read", {"file_path": "/etc/passwd"}))  # the rules are loaded now
    processes = [hook.begin(search, one) for one in where]
    reasons = [reason(ended(process)) for process in processes]
    late = sum(said is not None and LATE in said for said in reasons)

    assert 5 - late <= sum(said is None for said in reasons) <= 5, reasons


def test_a_resident_that_was_killed_is_replaced(folder, hook, passwd):
    """After a `kill -9` the next hook decides by itself, past the socket that was left, and starts another."""
    hook(passwd, folder)
    old = until(lambda: running(folder))[0]["pid"]
    os.kill(old, signal.SIGKILL)
    until(lambda: not taken(folder))

    assert reason(hook(passwd, folder)) == DENIED
    assert until(lambda: running(folder))[0]["pid"] != old


def test_a_stopped_resident_keeps_no_hook_waiting(resident, folder, hook, passwd):
    """A resident that does not move is passed over, and is not doubled."""
    resident.process.send_signal(signal.SIGSTOP)
    answer = hook(passwd, folder)
    resident.process.send_signal(signal.SIGCONT)

    assert reason(answer) == DENIED
    assert resident.calls() == 0


def test_a_call_that_was_being_counted_is_refused_when_the_resident_is_killed(resident, folder, hook, search, project):
    """Nobody knows how far it came: it is refused, and not counted once more; the limit holds as it is."""
    assert reason(hook(search, folder)) is None
    limits = project.parent / "home/state/tidegate/limits.db"
    until(lambda: not _waits_for(resident.process.pid, limits))
    with closing(sqlite3.connect(limits, isolation_level=None)) as held:
        held.execute("BEGIN IMMEDIATE")  # whoever counts has to wait now
        process = hook.begin(search, folder)
        until(lambda: _waits_for(resident.process.pid, limits))
        resident.process.kill()

        assert reason(ended(process)).endswith(LOST)
        held.execute("ROLLBACK")
    reasons = [reason(json.loads(alone(search)[0])) for _ in range(5)]

    assert [said is None for said in reasons] == [True] * 4 + [False]


def _waits_for(pid, file):
    """Whether a process has the file open."""
    return any(link.is_symlink() and link.readlink() == file for link in Path(f"/proc/{pid}/fd").iterdir())


if sys.platform != "linux":
    test_a_call_that_was_being_counted_is_refused_when_the_resident_is_killed = pytest.mark.skip(
        "only Linux tells which files another process has open"
    )(test_a_call_that_was_being_counted_is_refused_when_the_resident_is_killed)


# A folder that is not as it should be.


def open_to_others(folder):
    Path(folder).chmod(0o755)


def behind_a_link(folder):
    Path(folder).rename(f"{folder}.real")
    Path(folder).symlink_to(f"{folder}.real")


def with_a_foreign_file(folder):
    Path(folder, own_name()).write_text("mine", encoding="utf-8")


def with_a_link_for_a_socket(folder):
    Path(folder, own_name()).symlink_to("/nowhere")


def with_a_lock_that_is_a_link(folder):
    Path(folder, f"{own_name()}.lock").symlink_to("/nowhere")


def unwritable(folder):
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    Path(folder).chmod(0o500)


@pytest.fixture
def spoiled(folder):
    yield folder
    if Path(folder).is_symlink():
        Path(folder).unlink()
        Path(f"{folder}.real").rename(folder)
    Path(folder).chmod(0o700)
    lock = Path(folder, f"{own_name()}.lock")
    if lock.is_symlink():
        lock.unlink()


def there(folder):
    """What lies in the folder, the lock aside."""
    return sorted(one.name for one in Path(folder).iterdir() if one.suffix != ".lock")


BROKEN = (
    open_to_others,
    behind_a_link,
    with_a_foreign_file,
    with_a_link_for_a_socket,
    with_a_lock_that_is_a_link,
    unwritable,
)


@pytest.mark.parametrize("spoil", BROKEN, ids=lambda spoil: spoil.__name__)
def test_a_folder_that_is_not_safe_has_no_resident(spoiled, hook, passwd, spoil):
    """Hooks decide by themselves, nothing in the folder is touched, and a resident says why it does not start."""
    spoil(spoiled)
    before = there(spoiled)

    assert reason(hook(passwd, spoiled)) == DENIED
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(PROGRAM), "--serve", spoiled, "1"],
        capture_output=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 1
    assert done.stderr.startswith(b"tidegate: no resident in")
    assert there(spoiled) == before


def test_a_resident_behind_a_link_is_not_asked(resident, folder, hook, passwd):
    """Also where a resident listens, a link in the place of the folder is not followed."""
    Path(f"{folder}.link").symlink_to(folder)
    try:
        assert reason(hook(passwd, f"{folder}.link")) == DENIED
    finally:
        Path(f"{folder}.link").unlink()
    assert resident.calls() == 0


def test_a_resident_in_a_folder_that_was_opened_is_not_asked(resident, folder, hook, passwd):
    """Once others can look into the folder, nobody knows who listens there."""
    Path(folder).chmod(0o711)
    answer = hook(passwd, folder)
    Path(folder).chmod(0o700)

    assert (reason(answer), resident.calls()) == (DENIED, 0)


def test_a_resident_goes_when_its_socket_is_taken_away(resident, folder):
    """A process that nobody can find does not stay."""
    Path(folder, own_name()).unlink()

    assert resident.process.wait(20) == 0


def test_an_idle_resident_goes_and_takes_its_socket_along(folder):
    """It leaves nothing but its lock."""
    one = Running(folder, idle=0.2)
    try:
        assert one.process.wait(20) == 0
        assert there(folder) == []
    finally:
        one.close()


def test_a_second_resident_does_not_stay(resident, folder):
    """There is one of a version in a folder."""
    second = Running(folder)
    try:
        assert second.process.wait(20) == 1
        assert resident.said() is not None
    finally:
        second.close()


def test_a_process_that_may_do_less_is_not_answered(resident, folder, project, passwd):
    """What was shut into a sandbox cannot have the resident read and write for it."""
    if not _linux():
        pytest.skip("only Linux tells what another process may do")
    shut = (
        "import ctypes, sys, time; sys.path.insert(0, sys.argv.pop(1)); from tidegate.resident import asking\n"
        "words = ['claude-code', '--rules', 'rules.toml']\n"
        "ask = lambda: asking.asked(sys.argv[1], words, sys.argv[2].encode(), time.monotonic() + 8) is not None\n"
        "print(ask(), ctypes.CDLL(None).prctl(38, 1, 0, 0, 0), ask())\n"  # PR_SET_NO_NEW_PRIVS
    )
    words = [sys.executable, "-I", "-c", shut, str(Path(PROGRAM).parent.parent), folder, passwd]
    done = subprocess.run(words, capture_output=True, text=True, cwd=project, timeout=60, check=True)
    if "NoNewPrivs:\t1" in Path("/proc/self/status").read_text(encoding="ascii"):
        pytest.skip("the tests themselves may gain nothing")

    assert done.stdout.split() == ["True", "0", "False"]


# The program itself.


def test_the_program_imports_next_to_nothing(folder):
    """What asks is all that a hook pays for where a resident answers."""
    counted = "import sys; before = set(sys.modules); sys.path.insert(0, sys.argv[1]); import asking\n"
    counted += "print(*sorted(set(sys.modules) - before))"
    words = [sys.executable, "-I", "-S", "-c", counted, str(Path(PROGRAM).parent / "resident")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)

    assert set(done.stdout.split()) <= {"_socket", "asking", "posix", "select", "time"}


def test_the_program_refuses_where_it_is_not_installed_as_it_should_be(folder, project, passwd):
    """A wrong word on the command line is no reason to let a call run."""
    words = [sys.executable, "-I", "-S", str(PROGRAM), "claude-code", "--rule", "rules.toml", "--resident", folder]
    done = subprocess.run(words, input=passwd, capture_output=True, timeout=60, check=False)

    assert (done.returncode, done.stdout) == (2, b"")
    assert b"not installed as it should be" in done.stderr


def test_an_answer_that_cannot_be_written_refuses(resident, folder, project, ask, passwd):
    """Where nobody can read the answer, the exit code refuses."""
    ask(passwd)
    reading, writing = os.pipe()
    os.close(reading)
    words = [sys.executable, "-I", "-S", str(PROGRAM), "claude-code", "--rules", "rules.toml", "--resident", folder]
    done = subprocess.run(words, input=passwd, stdout=writing, stderr=subprocess.PIPE, timeout=60, check=False)
    os.close(writing)

    assert done.returncode == 2
    assert resident.calls() == 2
