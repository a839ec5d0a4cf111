"""`tidegate check`: findings in every form, with and without a catalogue."""

import json
from xml.etree import ElementTree as ET

import pytest

BROKEN = """\
version = 1
default = "deny"
defualt = "ask"

[[rule]]
id = "workspace"
kind = "paht"
allow = ["{root}/**"]
"""


def broken(tmp_path, name="rules.toml"):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(BROKEN, encoding="utf-8")
    return path


@pytest.mark.usefixtures("rules")
def test_fine_rules(tidegate):
    """Rules without a finding end in 0 and a line that says what was looked at."""
    done = tidegate("check")

    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == b"fine: 1 rule and 1 example in 1 file\n"


def test_findings_and_summary(tidegate, tmp_path):
    """Every finding is printed, in file order, and summed up; the exit code is 1."""
    broken(tmp_path)
    done = tidegate("check", "rules.toml")
    lines = done.stdout.decode().split("\n")

    assert done.returncode == 1
    assert lines[0] == "rules.toml:3:1: error[unknown-key]: unknown key `defualt` at the top of the file"
    assert lines[3].startswith("rules.toml:7:8: error[unknown-kind]: unknown kind `paht` in rule `workspace`")
    assert lines[-2] == "2 errors: 1 rule and 0 examples in 1 file"


def test_names_begin_where_the_person_stands(tidegate, tmp_path):
    """Files are named relative to the current folder, so that an editor finds them."""
    broken(tmp_path, "sub/rules.toml")
    done = tidegate("check", "sub/rules.toml")

    assert done.stdout.startswith(b"sub/rules.toml:3:1: ")


def test_missing_file(tidegate):
    """A rule file that is not there is a finding too."""
    done = tidegate("check", "nope.toml")

    assert done.returncode == 1
    assert done.stdout.startswith(b"nope.toml: error[missing-file]")


def test_failing_example(tidegate, rules):
    """An example that does not hold is a finding at the example."""
    rules.write_text(rules.read_text().replace('expect = "allow"', 'expect = "deny"'), encoding="utf-8")
    done = tidegate("check")

    assert done.returncode == 1
    assert b"error[failing-example]: example 1 of rule `workspace` does not hold" in done.stdout


def test_examples_on_both_sides(tidegate, rules):
    """`--examples` asks of each rule an example that it answers and a near miss."""
    done = tidegate("check", "--examples")
    rules.write_text(
        rules.read_text()
        + '\n[[rule.example]]\ncall = { tool = "read_file", args = { path = "/etc/motd" } }\nexpect = "deny"\n',
        encoding="utf-8",
    )

    assert done.returncode == 1
    assert done.stdout.startswith(b"rules.toml:4:1: error[one-sided]: no example of rule `workspace` shows what it ")
    assert tidegate("check", "--examples").returncode == 0


def test_json(tidegate, tmp_path):
    """`--json` is one object with everything that a finding holds."""
    broken(tmp_path)
    done = tidegate("check", "--json")
    report = json.loads(done.stdout)

    assert done.returncode == 1
    assert (report["ok"], report["errors"], report["warnings"]) == (False, 2, 0)
    assert set(report["findings"][0]) == {"file", "line", "column", "severity", "code", "what", "why", "mend"}
    assert [(one["code"], one["line"], one["column"]) for one in report["findings"]] == [
        ("unknown-key", 3, 1),
        ("unknown-kind", 7, 8),
    ]


def test_sarif(tidegate, tmp_path):
    """SARIF names the rule, the level, the place from 1, and a relative URI."""
    broken(tmp_path, "sub dir/rules.toml")
    done = tidegate("check", "sub dir/rules.toml", "--format", "sarif")
    log = json.loads(done.stdout)
    run = log["runs"][0]
    result = run["results"][0]
    place = result["locations"][0]["physicalLocation"]

    assert (log["version"], len(log["runs"])) == ("2.1.0", 1)
    assert log["$schema"].endswith("sarif-schema-2.1.0.json")
    assert run["columnKind"] == "unicodeCodePoints"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["unknown-key", "unknown-kind"]
    assert (result["ruleId"], result["ruleIndex"], result["level"]) == ("unknown-key", 0, "error")
    assert place["artifactLocation"] == {"uri": "sub%20dir/rules.toml", "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {"startLine": 3, "startColumn": 1}
    assert len(result["partialFingerprints"]["tidegate/v1"]) == 32


def test_sarif_of_a_whole_file_has_no_region(tidegate):
    """A finding about a file as a whole has no region, since lines begin at 1."""
    log = json.loads(tidegate("check", "nope.toml", "--format", "sarif").stdout)

    assert "region" not in log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]


def test_github(tidegate, tmp_path):
    """GitHub gets one command for each finding, with newlines, commas and colons escaped."""
    broken(tmp_path, "a,b/rules.toml")
    done = tidegate("check", "a,b/rules.toml", "--format", "github")
    first = done.stdout.decode().split("\n")[0]

    assert first.startswith(
        "::error file=a%2Cb/rules.toml,line=3,col=1,title=tidegate unknown-key::unknown key `defualt`"
    )
    assert "%0Awhy: " in first
    assert "%0Amend: " in first


def test_junit(tidegate, tmp_path):
    """JUnit is well-formed and counts a file with an error as a failure, whatever characters it is about."""
    path = tmp_path / "rules.toml"
    path.write_text('version = 1\n"bad\\u0007\\uFFFE" = 1\n', encoding="utf-8")
    suites = ET.fromstring(tidegate("check", "--format", "junit").stdout)
    failure = suites.find("testsuite/testcase/failure")

    assert (suites.get("tests"), suites.get("failures")) == ("1", "1")
    assert failure.get("type") == "unknown-key"
    assert "mend:" in failure.text


@pytest.mark.usefixtures("rules")
def test_junit_of_fine_rules(tidegate):
    """A file without an error is a test that passed."""
    suites = ET.fromstring(tidegate("check", "--format", "junit").stdout)

    assert [case.get("name") for case in suites.iter("testcase")] == ["rules.toml"]
    assert list(suites.iter("failure")) == []


def typo(rules, tool="raed_file"):
    rules.write_text(rules.read_text().replace('"list_*"]', f'"{tool}"]'), encoding="utf-8")


def test_tool_that_matches_nothing_is_a_warning(tidegate, rules):
    """Without a catalogue a name that nobody knows is a warning, with the nearest known one."""
    typo(rules)
    done = tidegate("check")

    assert done.returncode == 0
    assert b"rules.toml:7:31: warning[unmatched-tool]: `raed_file` matches no tool that is known here" in done.stdout
    assert b"mend: write `read_file`" in done.stdout


def test_strict_takes_warnings_for_errors(tidegate, rules):
    """With `--strict` a warning is an error."""
    typo(rules)
    done = tidegate("check", "--strict")

    assert done.returncode == 1
    assert b"error[unmatched-tool]" in done.stdout


@pytest.mark.usefixtures("rules")
def test_tool_that_matches_nothing_is_an_error_in_a_closed_catalogue(tidegate, tmp_path):
    """With a catalogue there are no other tools, and a glob that names none is an error."""
    names = ["read_file", "write_file", "ls"]
    (tmp_path / "tools.json").write_text(json.dumps([{"name": name, "input_schema": {}} for name in names]))
    done = tidegate("check", "--tools", "tools.json")

    assert done.returncode == 1
    assert b"rules.toml:7:31: error[unmatched-tool]: `list_*` matches no tool of the catalogue" in done.stdout


@pytest.mark.usefixtures("rules")
def test_broken_catalogue_is_misuse(tidegate, tmp_path):
    """A catalogue that is none ends in 2 and says what is wrong."""
    (tmp_path / "tools.json").write_text('[{"name": 3}]')
    done = tidegate("check", "--tools", "tools.json")

    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"tidegate: `tools.json`: tool 1 has no `name`\n"


@pytest.mark.usefixtures("rules")
def test_layers(tidegate, tmp_path):
    """`--managed` and `--user` are read with the project's rules."""
    (tmp_path / "managed.toml").write_text("version = 1\nnope = 1\n")
    (tmp_path / "user.toml").write_text("version = 1\nnope = 1\n")
    done = tidegate("check", "--managed", "managed.toml", "--user", "user.toml")

    assert done.returncode == 1
    assert b"managed.toml:2:1: error[unknown-key]" in done.stdout
    assert b"user.toml:2:1: error[unknown-key]" in done.stdout


def test_a_layer_alone(tidegate, tmp_path):
    """Without a project the file of another layer is checked alone, with what only it may say."""
    (tmp_path / "managed.toml").write_text("version = 1\nself_protection = false\n")
    done = tidegate("check", "--managed", "managed.toml")

    assert (done.returncode, done.stdout) == (0, b"fine: 0 rules and 0 examples in 1 file\n")


def test_everything_shown_is_escaped(tidegate, tmp_path):
    """Control and bidi characters of a rule file never reach the terminal."""
    (tmp_path / "rules.toml").write_text('version = 1\n"\\u001b[31m\\u202e" = 1\n', encoding="utf-8")
    done = tidegate("check")

    assert done.returncode == 1
    assert b"\x1b" not in done.stdout
    assert "\u202e".encode() not in done.stdout
    assert b"\\u{1b}[31m\\u{202e}" in done.stdout
