"""`tidegate resident`: what a person sees of the process that answers hooks."""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("there is no resident on Windows", allow_module_level=True)


@pytest.fixture
def folder(tidegate):
    """A folder with a short path, in which nothing runs at the end."""
    path = tempfile.mkdtemp(prefix="tg-")
    yield path
    tidegate("resident", "stop", "--folder", path)
    shutil.rmtree(path, ignore_errors=True)


def test_a_resident_is_started_shown_and_stopped(tidegate, folder):
    """Each word says what is so, and the exit code whether one of this version runs."""
    before = tidegate("resident", "status", "--folder", folder)
    started = tidegate("resident", "start", "--folder", folder, "--idle", "50", "--json")
    shown = tidegate("resident", "status", "--folder", folder, "--json")
    again = tidegate("resident", "start", "--folder", folder)
    stopped = tidegate("resident", "stop", "--folder", folder)
    after = tidegate("resident", "status", "--folder", folder)

    assert (before.returncode, b"no resident" in before.stdout) == (1, True)
    assert (started.returncode, json.loads(started.stdout)["started"]) == (0, True), started.stderr
    said = json.loads(shown.stdout)
    assert (said["running"], [one["idle"] for one in said["residents"]]) == (True, [50.0])
    assert (again.returncode, again.stdout) == (0, b"the resident runs already\n")
    assert (stopped.returncode, stopped.stdout) == (0, b"1 stopped\n")
    assert after.returncode == 1


def test_nothing_to_stop_is_fine(tidegate, folder):
    """What is asked for is so already."""
    done = tidegate("resident", "stop", "--folder", folder)

    assert (done.returncode, done.stdout) == (0, b"no resident was running\n")


def test_a_folder_that_others_can_open_has_no_resident(tidegate, folder):
    """It is said how to see why."""
    Path(folder).chmod(0o755)
    done = tidegate("resident", "start", "--folder", folder)
    Path(folder).chmod(0o700)

    assert done.returncode == 1
    assert b"did not start" in done.stdout
    assert b"--serve" in done.stderr


def test_a_relative_folder_is_misuse(tidegate):
    """It would depend on where one stands."""
    done = tidegate("resident", "status", "--folder", "here")

    assert (done.returncode, b"absolute" in done.stderr) == (2, True)


def test_the_quick_command_answers_a_hook(tmp_path, environment, rules, folder):
    """What is installed is a whole command line, which decides also where no resident can run."""
    from tidegate.cli.hook_command import quick_command

    command = quick_command(["claude-code", "--rules", str(rules)])

    assert command is not None
    assert command[-2:] == ["--resident", command[-1]]
    event = {
        "hook_event_name": "PreToolUse",
        "cwd": str(tmp_path),
        "tool_name": "read_file",
        "tool_input": {"path": "/etc/passwd"},
    }
    done = subprocess.run(
        [*command[:-1], "off"], input=json.dumps(event).encode(), capture_output=True, env=environment, check=False
    )

    assert b'"deny"' in done.stdout
    assert Path(command[-1]).is_absolute()
