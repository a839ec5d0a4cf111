"""Test files are as strict as rule files: everything that is wrong is found at once, with its place."""

import json
from pathlib import Path

import pytest
import tomli
from jsonschema import Draft202012Validator

from tests.assurance.suites_of import PLACE, file_of, findings_of
from tidegate.assurance.codes import CODES
from tidegate.assurance.suites import RulePaths, found_beneath, gather
from tidegate.assurance.test_files import is_test_file

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "engine/tidegate/tests.schema.json").read_text(encoding="utf-8"))
HEAD = "version = 1\n"
CALL = 'call = { tool = "x", args = {} }\n'
GOOD = f'{HEAD}[[test]]\n{CALL}expect = "deny"\n'

BROKEN = {
    "unknown key at the top": (f'rule = "r.toml"\n{GOOD}', "1:1: error[unknown-key]: unknown key `rule`"),
    "unknown key of a test": (
        f'{HEAD}[[test]]\n{CALL}expected = "deny"\n',
        "4:1: error[unknown-key]: unknown key `expected` in test 1",
    ),
    "wrong type": (f"{HEAD}[[test]]\n{CALL}expect = true\n", "4:10: error[wrong-type]: a boolean `true` stands where "),
    "another version": (GOOD.replace("1", "2", 1), "1:11: error[bad-value]: `version` is 2, and this tidegate reads"),
    "no version": (GOOD.removeprefix(HEAD), ": error[missing-key]: the key `version` is missing"),
    "no test": (HEAD, ": error[missing-key]: the file has no `[[test]]`"),
    "no call": (f'{HEAD}[[test]]\nexpect = "deny"\n', "2:1: error[missing-key]: it has no call"),
    "a call and calls": (
        f'{HEAD}[[test]]\n{CALL}calls = [{{ tool = "x", args = {{}} }}]\nexpect = "deny"\n',
        "2:1: error[missing-key]: it has `call` and `calls`",
    ),
    "nothing expected": (f"{HEAD}[[test]]\n{CALL}", "2:1: error[missing-key]: it expects nothing"),
    "the word of an example": (
        GOOD.replace("deny", "pass"),
        "4:10: error[bad-value]: `pass` is no decision",
    ),
    "one answer for two calls": (
        f'{HEAD}[[test]]\ncalls = [{{ tool = "x", args = {{}} }}, {{ tool = "x", args = {{}} }}]\nexpect = "deny"\n',
        "4:10: error[bad-value]: it has 2 calls and one `expect`",
    ),
    "two rules for one call": (
        f'{HEAD}[[test]]\n{CALL}rule = ["a", "b"]\n',
        "4:8: error[bad-value]: it has 1 call and 2 of `rule`",
    ),
    "arguments of which call": (
        f'{HEAD}[[test]]\ncalls = [{{ tool = "x", args = {{}} }}]\nexpect_arguments = {{}}\n',
        "4:20: error[bad-value]: `expect_arguments` stands beside `calls`",
    ),
    "a result without what becomes of it": (
        f'{HEAD}[[test]]\n{CALL}expect = "deny"\nresult = "x"\n',
        "5:10: error[missing-key]: `result` stands there without `expect_result`",
    ),
    "one name twice": (
        f'{HEAD}[[test]]\nname = "a"\n{CALL}expect = "deny"\n[[test]]\nname = "a"\n{CALL}expect = "deny"\n',
        "7:8: error[duplicate-name]: the `name` `a` is already taken at line 2",
    ),
    "no TOML": ("version = 1\n[[test\n", "2:7: error[toml-syntax]: this header of an array of tables does not end"),
    "rules that are not there": (
        f'rules = "nope.toml"\n{GOOD}',
        "1:9: error[missing-file]: there is no rule file `nope.toml`",
    ),
}


@pytest.mark.parametrize(("text", "said"), BROKEN.values(), ids=BROKEN)
def test_what_is_wrong_is_a_finding_at_its_place(text, said):
    """The finding names file, line and column, says what, why and how to mend it, and nothing is run."""
    (finding,) = findings_of(text)
    lines = finding.split("\n")

    assert lines[0].startswith(PLACE.name + (said if said.startswith(": ") else f":{said}"))
    assert [line[:8] for line in lines[1:]] == ["  why:  ", "  mend: "]


def test_all_findings_come_at_once():
    """One test that is wrong hides no other."""
    found = findings_of(f'{HEAD}[[test]]\n{CALL}[[test]]\n{CALL}expect = "dney"\n')

    assert [line.split(": ")[1] for line in found] == ["error[missing-key]", "error[bad-value]"]
    assert found[1].endswith("write `deny`")


def test_test_without_a_name_is_called_by_its_number():
    """Numbers count from 1, names stand as they are."""
    file = file_of(f'{GOOD}[[test]]\nname = "b"\n{CALL}rule = "x"\n')

    assert [test.name for test in file.tests] == ["test 1", "b"]


@pytest.mark.parametrize("text", [GOOD, GOOD + 'rule = "(default)"\nwhy = "x"\n', f'"$schema" = "x"\n{GOOD}'])
def test_schema_takes_what_the_loader_takes(text):
    """Editors mark nothing in a file that is right."""
    Draft202012Validator.check_schema(SCHEMA)
    file_of(text)

    assert list(Draft202012Validator(SCHEMA).iter_errors(tomli.loads(text))) == []


@pytest.mark.parametrize("name", ["unknown key at the top", "unknown key of a test", "wrong type", "no version"])
def test_schema_refuses_what_the_loader_refuses(name):
    """Editors mark keys and types that the loader refuses."""
    assert list(Draft202012Validator(SCHEMA).iter_errors(tomli.loads(BROKEN[name][0]))) != []


RULES = 'version = 1\ndefault = "deny"\n[[rule]]\nid = "reads"\nkind = "tools"\nallow = ["x"]\n'


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "rules.toml").write_text(RULES, encoding="utf-8")
    (tmp_path / "other.toml").write_text(RULES, encoding="utf-8")
    return tmp_path


def test_test_that_names_a_rule_that_is_not_there_is_a_finding(folder):
    """The nearest rule is told, and nothing is run of the suite."""
    (folder / "a.test.toml").write_text(f'{HEAD}rules = "rules.toml"\n[[test]]\n{CALL}rule = "read"\n')
    (suite,), findings = gather(RulePaths(), [folder / "a.test.toml"], folder)
    text = "\n".join(map(str, suite.findings))

    assert (findings, suite.broken) == ([], True)
    assert "a.test.toml:5:8: error[unknown-rule]: there is no rule `read`" in text
    assert "mend: write `reads`" in text


def test_file_is_run_with_its_own_rules_else_with_those_of_the_command_line(folder):
    """Files about one rule set are one suite, under whatever name they reach it."""
    (folder / "sub").mkdir()
    for name, head in (("own", 'rules = "../other.toml"\n'), ("same", 'rules = "../rules.toml"\n'), ("none", "")):
        (folder / f"sub/{name}.test.toml").write_text(f'{head}{HEAD}[[test]]\n{CALL}expect = "allow"\n')
    suites, findings = gather(RulePaths(None, folder / "rules.toml"), found_beneath(folder), folder)

    assert findings == []
    assert [[file.path.stem for file in suite.files] for suite in suites] == [["none.test", "same.test"], ["own.test"]]


def test_file_without_rules_is_a_finding_where_the_command_line_names_none(folder):
    """Nothing is guessed."""
    (folder / "a.test.toml").write_text(GOOD)
    suites, findings = gather(RulePaths(), [folder / "a.test.toml"], folder)

    assert suites == []
    assert [finding.code for finding in findings] == ["no-rules"]


def test_files_are_found_beneath_a_folder_but_not_in_hidden_ones(folder):
    """Sorted, and without what packages bring along."""
    for name in ("b/x.test.toml", "a.test.toml", ".git/y.test.toml", "node_modules/p/z.test.toml", "c.toml"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(GOOD)

    assert [path.relative_to(folder).as_posix() for path in found_beneath(folder)] == ["a.test.toml", "b/x.test.toml"]
    assert not is_test_file(folder / ".test.toml")


def test_every_code_is_on_the_page_of_findings():
    """Whoever meets a code finds what it means."""
    page = (ROOT / "docs/findings.md").read_text(encoding="utf-8")

    assert [code for code in CODES if f"`{code}`" not in page] == []
