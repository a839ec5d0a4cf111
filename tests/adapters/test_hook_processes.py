"""Hooks as harnesses run them: a process for each event, which is all that one event knows of another."""

import json
import os
import subprocess
import sys

import pytest

from tests.adapters.harnesses import BEFORE, checked, event, reason, verdict
from tidegate.adapters.hook_answers import HARNESSES

RULES = """\
version = 1
default = "allow"

[[rule]]
id = "searches"
kind = "rate-limit"
tools = ["search"]
limit = "1/hour"
per = ["session"]

[[rule]]
id = "no-mail-after-secrets"
kind = "sequence"
tools = ["send"]
not_after = [{ tool = "read_secret" }]
message = "nothing goes out any more"
"""


@pytest.fixture(params=HARNESSES)
def harness(request):
    """Each harness in turn."""
    return request.param


@pytest.fixture
def hook(harness, tmp_path):
    """Runs a process for an event of one tool; a *script* may spoil it first."""
    (tmp_path / "rules.toml").write_text(RULES, encoding="utf-8")
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "SYSTEMROOT") if name in os.environ}
    environ = {**kept, "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}
    words = ["hook", harness, "--event", BEFORE[harness], "--rules", "rules.toml"]

    def run(tool="ls", session="s1", script=""):
        told = event(harness, BEFORE[harness], tool, {}, tmp_path)
        told["sessionId" if harness == "copilot" else "session_id"] = session
        start = f"import sys\nfrom tidegate.cli import hook, main\n{script}\nsys.exit(main({words!r}))"
        done = subprocess.run(
            [sys.executable, "-c", start],
            input=json.dumps(told).encode(),
            capture_output=True,
            cwd=tmp_path,
            env=environ,
            timeout=60,
            check=False,
        )

        assert done.returncode == 0, done.stderr
        return checked(harness, BEFORE[harness], done.stdout)

    return run


def test_limits_count_over_processes_and_sessions_are_kept_apart(hook):
    """A limit for each session counts the calls of that session, whichever process judges them."""
    said = [verdict(hook("search")), verdict(hook("search")), verdict(hook("search", "s2"))]

    assert said == ["nothing", "deny", "nothing"]


def test_sequences_see_what_other_processes_allowed(hook):
    """What happened in a session bars a later call of it."""
    hook("read_secret")

    assert reason(hook("send")) == "nothing goes out any more"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="without processes of its own, a thread stands in")
def test_a_crash_is_a_refusal(hook):
    """Where the work is killed, the harness reads a refusal in its own form."""
    assert verdict(hook(script="import os; hook._work = lambda *_: os.kill(os.getpid(), 11)")) == "deny"
