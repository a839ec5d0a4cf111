"""`tidegate doctor`: what is fine, what is worth knowing, and what is wrong."""

import json
import os

import pytest


def checks(done):
    return {check["name"]: check for check in json.loads(done.stdout)["checks"]}


@pytest.mark.usefixtures("rules")
def test_a_healthy_installation(tidegate):
    """Everything needed is there, and the exit code is 0."""
    done = tidegate("doctor", "--json")
    found = checks(done)

    assert (done.returncode, json.loads(done.stdout)["ok"]) == (0, True)
    assert {name: check["status"] for name, check in found.items() if check["status"] == "wrong"} == {}
    assert {"python", "tidegate", "packages", "matcher", "state", "separation", "rules", "packs"} <= set(found)


def test_it_says_what_one_user_means(tidegate):
    """Where agent and engine are one user, self-protection is no boundary, and that is said."""
    separation = checks(tidegate("doctor", "--json"))["separation"]

    assert separation["status"] == "note"
    assert "no boundary" in separation["mend"]


def test_text_is_for_people(tidegate):
    """Without `--json` there is a table, and below it what to do."""
    text = tidegate("doctor").stdout.decode()

    assert "fine  matcher" in text
    assert "rules: `tidegate new policy` writes a first one" in text


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_an_open_folder_of_state_is_wrong(tidegate, home):
    """State that others could change is wrong, and the exit code is 1."""
    (home / "state/tidegate").mkdir(parents=True)
    (home / "state/tidegate").chmod(0o777)
    done = tidegate("doctor", "--json")
    state = checks(done)["state"]

    assert done.returncode == 1
    assert state["status"] == "wrong"
    assert "chmod 700" in state["found"]
