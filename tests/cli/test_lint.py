"""`tidegate lint`: its forms, its exit codes, and that its calls do what it says."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```toml\n((?:(?!```)[^\n]*\n)*)```\n", re.MULTILINE)
SECTION = re.compile(BLOCK.pattern + r"\n```text\n(.*?)^```$", re.DOTALL | re.MULTILINE)

SLIPS = """\
version = 1
default = "deny"

[[rule]]
id = "workspace"
kind = "path"
allow = ["{root}/**", "{root}/.env"]

[[rule]]
id = "secrets"
kind = "path"
deny = ["**/.env"]

[[rule]]
id = "hours"
kind = "time-window"
tools = ["deploy"]
zone = "UTC"
only = [{ from = "09:00", to = "17:00" }]
"""
FINE = 'version = 1\ndefault = "deny"\n\n[[rule]]\nid = "r"\nkind = "tools"\nallow = ["get_time"]\n'


def documented():
    page = (ROOT / "docs/lint.md").read_text(encoding="utf-8")
    return [pytest.param(*match, id=str(number)) for number, match in enumerate(SECTION.findall(page), 1)]


@pytest.mark.parametrize(("rules", "printed"), documented())
def test_page_shows_what_lint_prints(tidegate, tmp_path, rules, printed):
    """Below each example of the page stands what lint says of it."""
    (tmp_path / "rules.toml").write_text(f'version = 1\ndefault = "deny"\n\n{rules}', encoding="utf-8")
    done = tidegate("lint")

    assert done.stdout.decode() == printed
    assert done.returncode == 1


def test_page_has_an_example_for_almost_every_code():
    """Only the check for secrets has none: a page with a secret would be one."""
    page = (ROOT / "docs/lint.md").read_text(encoding="utf-8")

    assert len(documented()) == len(re.findall(r"^## ", page, re.MULTILINE)) - 1


def test_calls_of_findings_are_read_and_decided(tidegate, tmp_path):
    """`decide` reads every call that lint prints, and decides it as lint says."""
    (tmp_path / "rules.toml").write_text(SLIPS, encoding="utf-8")
    report = json.loads(tidegate("lint", "--json").stdout)
    calls = [call for finding in report["findings"] for call in finding["calls"]]
    done = tidegate("decide", "rules.toml", say="".join(f"{call['line']}\n" for call in calls))
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    refused = [call["shows"] for call in calls].index("`workspace` alone says allow, and it is deny by `secrets`")

    assert len(answers) == len(calls) > 1
    assert (answers[refused]["effect"], answers[refused]["rule"]) == ("deny", "secrets")


def test_json_has_findings_and_what_is_undecided(tidegate, tmp_path):
    (tmp_path / "rules.toml").write_text(SLIPS, encoding="utf-8")
    done = tidegate("lint", "--format", "json")
    report = json.loads(done.stdout)

    assert done.returncode == 1
    assert [finding["code"] for finding in report["findings"]] == ["redundant", "contradicting"]
    assert {(one["rule"], one["code"]) for one in report["undecided"]} == {("hours", "redundant")}


@pytest.mark.parametrize(
    ("form", "mark"),
    [
        ("github", b"::warning file=rules.toml,line=7"),
        ("sarif", b'"ruleId": "contradicting"'),
        ("junit", b"tidegate lint"),
    ],
)
def test_other_forms_carry_the_calls(tidegate, tmp_path, form, mark):
    """Annotations, SARIF and JUnit hold the finding with the call that shows it."""
    (tmp_path / "rules.toml").write_text(SLIPS, encoding="utf-8")
    done = tidegate("lint", "rules.toml", "--format", form)

    assert mark in done.stdout
    assert b"/srv/project/.env" in done.stdout
    assert done.returncode == 1


def test_rules_without_a_slip_are_fine(tidegate, tmp_path):
    (tmp_path / "rules.toml").write_text(FINE, encoding="utf-8")
    done = tidegate("lint")

    assert (done.returncode, done.stdout) == (0, b"fine: 1 rule in 1 file\n")


def test_accepted_finding_is_counted(tidegate, tmp_path):
    """What a comment accepts is in the sum, and is no reason to fail."""
    page = (ROOT / "docs/lint.md").read_text(encoding="utf-8")
    rules = next(text for text in BLOCK.findall(page) if "accepted" in text)
    (tmp_path / "rules.toml").write_text(f'version = 1\ndefault = "deny"\n\n{rules}', encoding="utf-8")
    done = tidegate("lint")

    assert (done.returncode, done.stdout) == (0, b"fine, 1 accepted: 2 rules in 1 file\n")


def test_rules_that_do_not_load_are_not_linted(tidegate, tmp_path):
    """What `check` refuses is said first."""
    (tmp_path / "rules.toml").write_text(FINE.replace("allow", "alow"), encoding="utf-8")
    done = tidegate("lint")

    assert done.returncode == 2
    assert b"error[unknown-key]" in done.stderr
    assert done.stdout == b""


def test_tools_are_those_of_the_catalogue(tidegate, tmp_path):
    """With `--tools`, calls are made of the tools that there are, with what their schemas ask for."""
    (tmp_path / "rules.toml").write_text(SLIPS.partition('[[rule]]\nid = "hours"')[0], encoding="utf-8")
    schema = {
        "type": "object",
        "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}},
        "required": ["limit"],
    }
    (tmp_path / "tools.json").write_text(json.dumps([{"name": "read_file", "inputSchema": schema}]), encoding="utf-8")
    report = json.loads(tidegate("lint", "--tools", "tools.json", "--json").stdout)
    lines = [json.loads(call["line"]) for finding in report["findings"] for call in finding["calls"]]

    assert {line["tool"] for line in lines} == {"read_file"}
    assert all(line["args"]["limit"] == 1 for line in lines)
