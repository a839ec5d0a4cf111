"""Residents as real processes, in a folder of their own and never in that of the account."""

import json
import os
import posix
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

pytest.importorskip("_socket")
if sys.platform == "win32":
    collect_ignore_glob = ["test_*.py"]
else:
    from tidegate.adapters.hook_answers import Wanted
    from tidegate.adapters.hook_reply import respond
    from tidegate.cli.hook_engines import fresh
    from tidegate.resident import asking
    from tidegate.resident.control import residents, told
    from tidegate.resident.place import PROGRAM, Taken, locked

RULES = """\
version = 1
default = "allow"

[[rule]]
id = "workspace"
kind = "path"
deny = ["/etc/**"]
message = "stay inside the project"
"""

LIMITED = """
[[rule]]
id = "searches"
kind = "rate-limit"
tools = ["WebSearch"]
limit = "5/hour"
"""


def until(holds, seconds=20):
    """Wait until it holds, which it must."""
    deadline = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.01)
    return found


@pytest.fixture
def folder():
    """A folder for sockets, with a short path, in which nothing runs any more at the end."""
    path = tempfile.mkdtemp(prefix="tg-")
    yield path
    until(lambda: not _end(path) and not taken(path))
    shutil.rmtree(path, ignore_errors=True)


def taken(path):
    """Whether a process is the resident of a folder, or about to be."""
    try:
        with locked(path):
            return False
    except Taken:
        return True


def _end(path):
    """End every resident of a folder; those that were told to go."""
    return [one for one in residents(path) if told(path, one.name, b"stop") is not None]


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with rules and a home of its own, in which this process stands."""
    for name in ("project", "home"):
        (tmp_path / name).mkdir()
    (tmp_path / "project/rules.toml").write_text(RULES, encoding="utf-8")
    monkeypatch.chdir(tmp_path / "project")
    home = str(tmp_path / "home")
    for name, value in (("HOME", home), ("XDG_STATE_HOME", f"{home}/state")):
        monkeypatch.setenv(name, value)
        monkeypatch.setitem(posix.environ, name.encode(), value.encode())
    return tmp_path / "project"


class Running:
    """A resident that answers, and its process."""

    def __init__(self, folder, program=PROGRAM if sys.platform != "win32" else None, idle=60):
        self.folder = folder
        words = [sys.executable, "-I", "-S", str(program), "--serve", folder, str(idle)]
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def ready(self):
        until(lambda: self.said() or self.process.poll() is not None)
        assert self.process.poll() is None, self.process.stderr.read()
        return self

    def said(self):
        """What this very process says of itself."""
        found = [one.said for one in residents(self.folder) if one.said]
        return next((said for said in found if said["pid"] == self.process.pid), None)

    def calls(self):
        return self.said()["calls"]

    def close(self):
        self.process.send_signal(signal.SIGCONT)
        self.process.terminate()
        self.process.wait(20)
        self.process.stderr.close()


@pytest.fixture
def resident(folder):
    """A resident that is ready."""
    running = Running(folder)
    yield running.ready()
    running.close()


@pytest.fixture
def event(project):
    """Makes an event of Claude Code before one call."""

    def make(tool, arguments, **more):
        said = {
            "session_id": "s1",
            "cwd": str(project),
            "hook_event_name": "PreToolUse",
            "tool_name": tool,
            "tool_input": arguments,
            "tool_use_id": "toolu_1",
            **more,
        }
        return json.dumps(said).encode()

    return make


@pytest.fixture
def ask(folder, monkeypatch):
    """Asks the resident about an event, as its hook would, but with more patience: the two streams and exit code."""
    monkeypatch.setattr(asking, "PATIENCE", 20.0)

    def answer(data, *options, rules="rules.toml"):
        words = ["claude-code", "--rules", str(rules), *options]
        return asking.asked(folder, words, data, time.monotonic() + 30)

    return answer


@pytest.fixture
def hook(project):
    """Runs the program of a hook in a process of its own, to its end; `begin` returns the process."""
    processes = []

    def begin(data, resident, rules="rules.toml", program=PROGRAM):
        words = [sys.executable, "-I", "-S", str(program), "claude-code", "--rules", str(rules)]
        process = subprocess.Popen(
            [*words, "--resident", resident],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=project,
            env=dict(os.environ),
        )
        processes.append(process)
        process.stdin.write(data)
        process.stdin.close()
        process.stdin = None
        return process

    def run(data, resident, **more):
        return ended(begin(data, resident, **more))

    run.begin = begin
    yield run
    for process in processes:
        if process.poll() is None:
            process.kill()
            process.communicate()


def ended(process):
    """What a hook said in the end; it must not have failed."""
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    return json.loads(output)


def alone(data, rules="rules.toml"):
    """The answer of a hook that decides by itself, made in this process."""
    return tuple(respond(Wanted("claude-code", rules=str(rules)), data, os.environ, fresh))


def copied(target):
    """A copy of the package, as another installation of tidegate, and the program in it."""
    package = Path(PROGRAM).parent
    shutil.copytree(package, target / "tidegate", ignore=shutil.ignore_patterns("__pycache__"))
    return target / "tidegate/hook_program.py"
