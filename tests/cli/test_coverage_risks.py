"""`tidegate coverage --risks`: which entries of risk catalogues are answered, by which rules, and which not."""

import json

import pytest

RULES = """\
version = 1
include = ["pack:baseline"]

[[rule]]
id = "no-mail"
kind = "tools"
deny = ["send_email"]
maps = ["ASI07", "ASI_08"]
mode = "monitor"

[[rule]]
id = "no-calls"
kind = "tools"
deny = ["call_phone"]
"""


@pytest.fixture
def written(tmp_path):
    path = tmp_path / "rules.toml"
    path.write_text(RULES, encoding="utf-8")
    return path


@pytest.mark.usefixtures("written")
def test_a_line_for_each_entry(tidegate):
    """What is answered and what is not, and below it what answers nothing; a slip goes to standard error."""
    done = tidegate("coverage", "--risks")
    lines = [" ".join(line.split()) for line in done.stdout.decode().split("\n")]

    assert done.returncode == 0
    assert "OWASP Top 10 for Agentic Applications (2026): 4 of 10 answered" in lines
    assert "ASI07 messages between agents are forged or overheard no-mail (monitors)" in lines
    assert "ASI09 people trust what an agent says and wave it through -" in lines
    assert "rules that answer none of these: no-calls" in lines
    assert done.stderr.startswith(b"rules.toml:8:18: warning[unknown-risk]: `ASI_08` is in no risk catalogue")
    assert done.stderr.rstrip().endswith(b"mend: write `ASI08`")


@pytest.mark.usefixtures("written")
def test_json_says_the_same(tidegate):
    """One object, with the findings in it."""
    done = tidegate("coverage", "--risks", "--json")
    value = json.loads(done.stdout)
    entries = {entry["id"]: entry for one in value["catalogues"] for entry in one["entries"]}

    assert (done.returncode, done.stderr) == (0, b"")
    assert entries["AML.T0083"]["rules"] == [{"rule": "baseline/secrets", "enforced": True}]
    assert (entries["ASI07"]["covered"], entries["ASI07"]["rules"]) == (False, [{"rule": "no-mail", "enforced": False}])
    assert value["unmapped"] == ["no-calls"]
    assert [finding["code"] for finding in value["findings"]] == ["unknown-risk"]


def test_a_broken_rule_file_is_told(tidegate, tmp_path):
    """Nothing is said of rules of which no plan is made."""
    (tmp_path / "rules.toml").write_text("version = 1\nfoo = 1\n", encoding="utf-8")
    done = tidegate("coverage", "--risks")

    assert (done.returncode, done.stdout) == (2, b"")
    assert b"error[unknown-key]" in done.stderr


@pytest.mark.usefixtures("written")
def test_check_warns_of_an_unknown_id(tidegate):
    """`check` says it too."""
    done = tidegate("check")

    assert done.returncode == 0
    assert b"warning[unknown-risk]" in done.stdout
