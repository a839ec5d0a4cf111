"""`tidegate approvals`: approvals are listed and revoked by another process than the one that kept them."""

import json
import os

import pytest

from tests.cli.test_run import at_a_terminal
from tidegate import Approved, Engine
from tidegate.facts.local import local_facts

RULES = """
version = 1
default = "allow"

[[rule]]
id = "asked"
kind = "approval"
remember = ["session"]
"""


@pytest.fixture
def engine(tmp_path, home):
    """An engine that keeps its state where the commands look for it."""
    (tmp_path / "asking.toml").write_text(RULES)
    return Engine.load(tmp_path / "asking.toml", facts=local_facts(home / "state" / "tidegate"))


def approve(engine, *, session="s1", scope="session"):
    question = engine.question("deploy", {"to": "live\u202e"}, session=session)
    return engine.approve(question, Approved(scope, by="ann"))


def verdict(engine):
    return engine.peek("deploy", {"to": "live\u202e"}, session="s1").effect


def test_nothing_is_listed_at_first(tidegate):
    done = tidegate("approvals", "list")

    assert (done.returncode, done.stdout, done.stderr) == (0, b"no approvals\n", b"")


def test_approvals_are_listed_with_what_they_are_for(tidegate, engine):
    """What the call itself says is shown without its invisible characters."""
    ids = [approve(engine), approve(engine, scope="once")]
    shown = tidegate("approvals").stdout.decode()
    listed = [json.loads(line) for line in tidegate("approvals", "list", "--json").stdout.splitlines()]

    assert all(one in shown for one in (*ids, "ann", "session", "deploy"))
    assert "\u202e" not in shown
    assert {one["id"]: one["scope"] for one in listed} == {ids[0]: "session", ids[1]: "once"}


def test_revoked_approval_counts_no_more(tidegate, engine):
    """The other one still does; an id that is not there is told by the exit code."""
    kept, other = approve(engine), approve(engine, session="s2")
    done = tidegate("approvals", "revoke", kept)
    again = tidegate("approvals", "revoke", kept)
    session_two = engine.decide("deploy", {"to": "live\u202e"}, session="s2").effect

    assert (done.returncode, done.stdout) == (0, b"1 revoked\n")
    assert (again.returncode, again.stdout) == (1, b"0 revoked\n")
    assert (engine.decide("deploy", {"to": "live\u202e"}, session="s1").effect, session_two) == ("ask", "allow")
    assert [one.id for one in engine.facts.approvals.all(0.0)] == [other]


def test_all_are_revoked_only_when_said_so(tidegate, engine):
    approve(engine)
    misused = [
        tidegate("approvals", *words).returncode for words in (["revoke"], ["list", "x"], ["revoke", "x", "--all"])
    ]

    assert misused == [2, 2, 2]
    assert tidegate("approvals", "revoke", "--all").returncode == 0
    assert engine.facts.approvals.all(0.0) == []


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_person_at_the_terminal_allows_a_session(tidegate, tmp_path, home, environment):
    """One answer lets both calls of the session run; it is listed under the name of the account, and not for others."""
    (tmp_path / "asking.toml").write_text(RULES)
    calls = [{"tool": "list_dir", "args": {"path": "."}, "session": session} for session in ("s1", "s1", "s2")]
    (tmp_path / "calls.jsonl").write_text("".join(f"{json.dumps(call)}\n" for call in calls))
    words = ["-m", "tidegate", "run", tmp_path / "asking.toml", tmp_path / "calls.jsonl"]
    shown, code = at_a_terminal(words, tmp_path, environment, b"s\nn\n")
    (listed,) = [json.loads(line) for line in tidegate("approvals", "--json").stdout.splitlines()]

    import pwd

    assert (code, shown.count("allow this call once, or")) == (1, 2)
    assert (listed["by"], listed["session"]) == (pwd.getpwuid(os.geteuid()).pw_name, "s1")
