"""`tidegate doctor`: what is fine, what is worth knowing, and what is wrong."""

import json
import os
import re

import pytest

from tidegate.cli.app import COMMANDS


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


METADATA = """\
Metadata-Version: 2.4
Name: tidegate
Version: 9.9
Provides-Extra: fuzz
Requires-Dist: attrs>=25.3
Requires-Dist: {}
Requires-Dist: no-such-package; python_version < "3"
Requires-Dist: no-such-extra>=1; extra == 'fuzz'
"""


def installed(tmp_path, needed):
    """A folder in which tidegate seems to be installed, with what it says that it needs."""
    folder = tmp_path / "site/tidegate-9.9.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(METADATA.format(needed))
    return os.pathsep.join([str(folder.parent), *filter(None, [os.environ.get("PYTHONPATH")])])


def test_what_is_needed_is_what_the_package_says(tidegate, tmp_path):
    """Packages of an extra, or of other platforms, are no fault where they are missing."""
    done = tidegate("doctor", "--json", PYTHONPATH=installed(tmp_path, "click"))
    found = checks(done)

    assert (done.returncode, found["packages"]["status"]) == (0, "fine")
    assert [part.split()[0] for part in found["packages"]["found"].split(", ")] == ["attrs", "click"]
    assert (found["extra fuzz"]["status"], "no-such-extra" in found["extra fuzz"]["found"]) == ("note", True)


def test_a_package_that_is_missing_is_wrong(tidegate, tmp_path):
    """It is named, with the command that brings it."""
    done = tidegate("doctor", "--json", PYTHONPATH=installed(tmp_path, "gone-for-good>=3,<4"))
    packages = checks(done)["packages"]

    assert (done.returncode, packages["status"]) == (1, "wrong")
    assert packages["found"] == "missing: gone-for-good"
    assert packages["mend"] == "run `pip install gone-for-good`"


def test_only_commands_that_there_are_are_named(tidegate, tmp_path):
    """Nobody is sent to a command that does not exist."""
    text = tidegate("doctor", PYTHONPATH=installed(tmp_path, "click")).stdout.decode()
    named = set(re.findall(r"`tidegate ([a-z-]+)", text))

    assert named
    assert named <= set(COMMANDS)
