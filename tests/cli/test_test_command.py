"""`tidegate test`: examples and test files, in every form."""

import json
import os
import subprocess
import sys
from xml.etree import ElementTree as ET

import pytest

from tidegate.cli.again import changes

TESTS = """\
version = 1
rules = "rules.toml"

[[test]]
name = "inside"
call = { tool = "write_file", args = { path = "src/a.py", content = "x" } }
expect = "allow"
rule = "workspace"

[[test]]
name = "Outside"
call = { tool = "read_file", args = { path = "/etc/passwd" } }
expect = "ask"
"""


@pytest.fixture
def tests(rules):
    """Two tests beside the rules, of which one fails."""
    path = rules.parent / "a.test.toml"
    path.write_text(TESTS, encoding="utf-8")
    return path


@pytest.fixture
def fine(tests):
    """The same with both right."""
    tests.write_text(TESTS.replace('"ask"', '"deny"'), encoding="utf-8")
    return tests


@pytest.mark.usefixtures("fine")
def test_all_is_found_without_a_word(tidegate):
    """`rules.toml` and every test file of the folder are run."""
    done = tidegate("test")

    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == b"fine: 2 tests and 1 example of 1 rule in 2 files\n"


@pytest.mark.usefixtures("tests")
def test_failure_shows_what_every_rule_said(tidegate):
    """The finding comes first, then the trace, and the sum; the exit code is 1."""
    done = tidegate("test")
    lines = done.stdout.decode().split("\n")

    assert done.returncode == 1
    assert lines[0] == (
        "a.test.toml:13:10: error[failing-test]: `Outside` fails: it expects `ask`, "
        "and the rules answer `deny` by rule `workspace`"
    )
    assert "  decision: deny by `workspace`" in lines
    assert "    workspace  path  deny 1  it lies outside of what the rule confines to" in lines
    assert lines[-2] == "1 of 2 tests and 0 of 1 example fail: 1 rule in 2 files"


@pytest.mark.usefixtures("tests")
def test_part_of_a_name_chooses_tests(tidegate):
    """`-k` takes capitals for small letters; a text that nothing has is misuse."""
    assert tidegate("test", "-k", "inSIDE").returncode == 0
    assert tidegate("test", "-k", "outside").returncode == 1
    assert tidegate("test", "-k", "nobody").returncode == 2


@pytest.mark.usefixtures("tests")
def test_rule_file_brings_the_tests_that_are_about_it(tidegate, tmp_path):
    """Tests of other rules beneath the folder are not run with it."""
    (tmp_path / "other.toml").write_text('version = 1\ndefault = "deny"\n', encoding="utf-8")

    assert tidegate("test", "other.toml").stdout == b"fine: 0 tests and 0 examples of 0 rules in 1 file\n"
    assert tidegate("test", "rules.toml").returncode == 1


def test_file_without_rules_takes_those_of_the_command_line(tidegate, tests, tmp_path):
    """Named beside a rule file it is run with it, alone it is a finding."""
    text = TESTS.replace('rules = "rules.toml"\n', "").replace('rule = "workspace"\n', "")
    tests.write_text(text, encoding="utf-8")
    (tmp_path / "loose.toml").write_text('version = 1\ndefault = "ask"\n', encoding="utf-8")
    done = tidegate("test", "loose.toml", "a.test.toml")

    assert b"`inside` fails: it expects `allow`, and the rules answer `ask` by `default`" in done.stdout
    assert b"error[no-rules]" in tidegate("test", "a.test.toml").stdout


def test_broken_rules_and_tests_are_findings(tidegate, tests, rules):
    """Nothing is run of rules that have an error; the other findings come with it."""
    tests.write_text(TESTS.replace("expect =", "expcet ="), encoding="utf-8")
    rules.write_text(rules.read_text().replace("otherwise", "otherwize"), encoding="utf-8")
    done = tidegate("test")

    assert done.returncode == 1
    assert b"a.test.toml:7:1: error[unknown-key]" in done.stdout
    assert b"rules.toml:9:1: error[unknown-key]" in done.stdout
    assert done.stdout.endswith(b"3 errors: 0 tests and 0 examples of 1 rule in 1 file\n")


def test_nothing_to_test_is_misuse(tidegate):
    """An empty folder ends in 2, and so do two rule files."""
    assert tidegate("test").returncode == 2
    assert b"are several rule files" in tidegate("test", "a.toml", "b.toml").stderr


@pytest.mark.usefixtures("tests")
def test_json_has_every_run_with_its_trace(tidegate):
    """Programs read what passed and what failed, and why."""
    value = json.loads(tidegate("test", "--json").stdout)

    assert [(one["name"], one["group"], one["ok"]) for one in value["ran"]] == [
        ("workspace example 1", "example", True),
        ("inside", "test", True),
        ("Outside", "test", False),
    ]
    assert value["ran"][2]["finding"] == value["findings"][0]
    assert value["ran"][2]["trace"][1] == "decision: deny by `workspace`"
    assert (value["ok"], value["errors"]) == (False, 1)


@pytest.mark.usefixtures("tests")
def test_junit_has_a_case_for_each_run(tidegate):
    """A CI service counts tests, and shows finding and trace of those that fail."""
    suite = ET.fromstring(tidegate("test", "--format", "junit").stdout)[0]

    assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == ("tidegate test", "3", "1")
    assert [case.get("name") for case in suite] == ["workspace example 1", "inside", "Outside"]
    assert "decision: deny by `workspace`" in suite[2][0].text


@pytest.mark.usefixtures("tests")
def test_github_and_sarif_point_at_the_test(tidegate):
    """The annotation stands at what was expected."""
    command = tidegate("test", "--format", "github").stdout.decode()
    (result,) = json.loads(tidegate("test", "--format", "sarif").stdout)["runs"][0]["results"]

    assert command.startswith("::error file=a.test.toml,line=13,col=10,title=tidegate failing-test::")
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 13, "startColumn": 10}


def test_broken_files_are_cases_of_junit(tidegate, tests):
    """What could not be run fails too."""
    tests.write_text(TESTS.replace("expect =", "expcet ="), encoding="utf-8")
    suite = ET.fromstring(tidegate("test", "--format", "junit").stdout)[0]

    assert [(case.get("name"), case.find("failure") is not None) for case in suite] == [
        ("a.test.toml", True),
        ("workspace example 1", False),
    ]


def test_change_during_the_work_is_noticed(tmp_path):
    """A file that is written while the work goes on makes it go on once more, without waiting."""
    file = tmp_path / "a"
    file.write_text("1")
    for number, _ in enumerate(changes(lambda: [file], lambda: pytest.fail("it waits"))):
        file.write_text("1" * (number + 2))
        if number == 1:
            break

    assert file.read_text() == "111"


def test_changes_are_noticed_and_nothing_else(tmp_path):
    """Work is done once, and again after a file was written, came or went; else it waits."""
    file, other = tmp_path / "a", tmp_path / "b"
    file.write_text("1")
    done = []
    acts = iter([lambda: None, lambda: file.write_text("22"), lambda: other.write_text(""), other.unlink])

    def wait():
        done.append("waits")
        next(acts)()

    for _ in changes(lambda: [file, other], wait):
        done.append("works")
        if len(done) > 6:
            break

    assert done == ["works", "waits", "waits", "works", "waits", "works", "waits", "works"]


@pytest.mark.usefixtures("fine")
def test_watch_runs_again_when_a_rule_changes(tmp_path, environment, rules):
    """A process that watches prints a second report once the rule file is another."""
    words = [sys.executable, "-u", "-m", "tidegate", "test", "--watch"]
    with subprocess.Popen(words, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True) as watching:
        first = watching.stdout.readline()
        rules.write_text(rules.read_text(encoding="utf-8").replace("otherwise", "otherwize"), encoding="utf-8")
        os.utime(rules, (0, 0))
        second = watching.stdout.readline()
        watching.kill()

    assert first == "fine: 2 tests and 1 example of 1 rule in 2 files\n"
    assert second.startswith("rules.toml:9:1: error[unknown-key]: unknown key `otherwize`")
