"""`tidegate coverage`: in words, with marks, as JSON, as a page, and by mutants."""

import json
import re
from html.parser import HTMLParser

import pytest

TESTS = """\
version = 1
rules = "rules.toml"

[[test]]
call = { tool = "read_file", args = { path = "/etc/passwd" } }
expect = "deny"
"""


@pytest.fixture
def tests(rules):
    """One test beside the rules."""
    path = rules.parent / "a.test.toml"
    path.write_text(TESTS, encoding="utf-8")
    return path


@pytest.mark.usefixtures("tests")
def test_what_is_not_matched_is_told_with_its_place(tidegate):
    """A line for each point that no example and no test matches, and the sum."""
    done = tidegate("coverage")

    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().split("\n") == [
        "rules.toml:7:31: reached, never matched: `list_*` in `tools` of rule `workspace`",
        "4 of 5 rules and patterns are matched (80 %), by 1 example and 1 test",
        "",
    ]


def test_nothing_is_reached_without_examples_and_tests(tidegate, rules):
    """Rules that nobody tests are all gaps."""
    rules.write_text(rules.read_text(encoding="utf-8").partition("[[rule.example]]")[0], encoding="utf-8")
    lines = tidegate("coverage").stdout.decode().split("\n")

    assert lines[0] == "rules.toml:4:1: never reached: rule `workspace`"
    assert lines[-2] == "0 of 5 rules and patterns are matched (0 %), by nothing: there is no example and no test"


def test_long_exception_stands_on_one_line(tidegate, rules):
    """A gap is one line without escapes, however its exception is broken into lines in the file."""
    commands = ", ".join(f'"npm run build-{number} ..."' for number in range(9))
    rules.write_text(
        f'version = 1\ndefault = "ask"\n\n[[rule]]\nid = "no-npm"\nkind = "command"\ndeny = ["npm **"]\n'
        f"except = [{{ command = [{commands}] }}]\n",
        encoding="utf-8",
    )
    told = tidegate("coverage").stdout.decode()

    assert '{ command = ["npm run build-0 ...", "npm run build-1 ..."' in told
    assert "\\u{" not in told


@pytest.mark.usefixtures("tests")
def test_threshold_is_not_rounded(tidegate):
    """Four of five are 80 %: enough for 80, too few for 81."""
    assert tidegate("coverage", "--fail-under", "80").returncode == 0
    done = tidegate("coverage", "--fail-under", "81")

    assert (done.returncode, done.stderr) == (1, b"less than 81 % is matched\n")


@pytest.mark.usefixtures("tests")
def test_recorded_calls_count_as_well(tidegate, tmp_path):
    """They are judged and never executed; a line that is no call is an error."""
    (tmp_path / "calls.jsonl").write_text('{"tool": "list_dir", "args": {"path": "."}}\n', encoding="utf-8")
    done = tidegate("coverage", "--calls", "calls.jsonl", "--fail-under", "100")

    assert done.stdout == (b"5 of 5 rules and patterns are matched (100 %), by 1 example, 1 test and 1 recorded call\n")
    assert done.returncode == 0
    assert tidegate("coverage", "--calls", "-", say="{}\n").returncode == 2


@pytest.mark.usefixtures("tests")
def test_marks_stand_beside_each_line(tidegate):
    """The margin shows the worst point of a line, with how often it was matched."""
    lines = tidegate("coverage", "--format", "marks").stdout.decode().split("\n")

    assert lines[0] == "rules.toml"
    assert lines[4] == "+    2    4  [[rule]]"
    assert lines[5] == '          5  id = "workspace"'
    assert lines[7] == '!         7  tools = ["read_*", "write_*", "list_*"]'
    assert lines[8] == '+    1    8  allow = ["{root}/**"]'


@pytest.mark.usefixtures("tests")
def test_json_has_every_point(tidegate):
    """Programs read how often each was reached and matched."""
    value = json.loads(tidegate("coverage", "--json").stdout)
    (rule,) = value["rules"]

    assert (value["matched"], value["total"], value["percent"]) == (4, 5, 80)
    assert (rule["rule"], rule["state"]) == ("workspace", "matched")
    assert rule["points"][3] == {
        "path": ["tools", 2],
        "text": "list_*",
        "file": "rules.toml",
        "line": 7,
        "column": 31,
        "state": "reached",
        "reached": 2,
        "matched": 0,
    }


class Page(HTMLParser):
    """What a page loads, its marks and its text."""

    def __init__(self):
        super().__init__()
        self.loads, self.marks, self.text, self.open = [], [], "", []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.loads += [tag] if tag in {"script", "link", "img", "iframe"} else []
        self.loads += [value for key, value in attrs if key in {"src", "href"} and not value.startswith("#")]
        if tag == "mark" and "title" in given:
            self.marks.append((given["class"], given["title"]))
        if tag not in {"meta", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        self.text += data


@pytest.mark.usefixtures("tests")
def test_page_needs_nothing_else(tidegate, tmp_path):
    """One file shows the rules with marks, in light and dark, and loads and runs nothing."""
    assert tidegate("coverage", "--format", "html", "--out", "c.html").stdout == b""
    text = (tmp_path / "c.html").read_text(encoding="utf-8")
    page = Page()
    page.feed(text)

    assert (page.loads, page.open) == ([], [])
    assert "prefers-color-scheme: dark" in text
    assert not re.search(r"@import|url\(", text)
    assert ("reached", "`list_*` in `tools` of rule `workspace`: matched 0 of the 2 times that it was reached") in (
        page.marks
    )
    assert 'tools = ["read_*", "write_*", "list_*"]' in page.text
    assert "4 of 5 rules and patterns are matched (80 %)" in page.text


def test_page_shows_rules_and_runs_none_of_them(tidegate, rules):
    """What stands in a rule file is text of the page, whatever it looks like."""
    text = rules.read_text(encoding="utf-8").replace("read_*", "<script>alert(1)</script>")
    rules.write_text(text + '\n[[rule]]\nid = "x"\nkind = "tools"\ndeny = ["<b title=\'\\"\'>"]\n', encoding="utf-8")
    page = Page()
    page.feed(tidegate("coverage", "--format", "html").stdout.decode())

    assert page.loads == []
    assert "<script>alert(1)</script>" in page.text


def test_failing_tests_fail_the_coverage(tidegate, tests):
    """What a test that fails has matched counts, and the exit code is 1 all the same."""
    tests.write_text(TESTS.replace("deny", "ask"), encoding="utf-8")
    done = tidegate("coverage")

    assert done.returncode == 1
    assert b"error[failing-test]" in done.stderr


def test_broken_rules_are_findings(tidegate, rules):
    """Nothing is measured of rules that have an error."""
    rules.write_text("version = 1\nx = 1\n", encoding="utf-8")
    done = tidegate("coverage")

    assert (done.returncode, done.stdout) == (2, b"")
    assert b"rules.toml:2:1: error[unknown-key]" in done.stderr


@pytest.mark.usefixtures("tests")
def test_mutants_that_nobody_notices_are_shown_as_differences(tidegate):
    """Each with its place and the edit; what is noticed is only counted."""
    done = tidegate("coverage", "--mutate", "--workers", "1")
    text = done.stdout.decode()

    assert done.returncode == 0
    assert (
        "rules.toml:7:31: nobody notices: drop a pattern in `tools` of rule `workspace`\n"
        '  - "list_*"\n'
        "rules.toml:7:31: nobody notices: widen a pattern in `tools` of rule `workspace`\n"
        '  - "list_*"\n'
        '  + "*"\n'
    ) in text
    assert re.search(r"\n\d+ of \d+ mutants are noticed \(\d+ %\); \d+ are refused at load\n$", text)


@pytest.mark.usefixtures("tests")
def test_score_of_mutants_has_a_threshold(tidegate):
    """`--fail-under` is about the mutants then; JSON tells what became of each and by what."""
    done = tidegate("coverage", "--mutate", "--json", "--workers", "1", "--fail-under", "100")
    value = json.loads(done.stdout)
    fates = {(one["edit"], one["before"]): (one["fate"], one["by"]) for one in value["mutants"]}

    assert (done.returncode, done.stderr) == (1, b"less than 100 % of the mutants are noticed\n")
    assert fates["drop the rule", 'id = "workspace"'] == ("killed", "workspace example 1")
    assert fates["swap the default", 'default = "ask"'] == ("survived", "")


def test_mutants_of_rules_that_fail_are_misuse(tidegate, tests):
    """A test that fails already notices nothing."""
    tests.write_text(TESTS.replace("deny", "ask"), encoding="utf-8")
    done = tidegate("coverage", "--mutate")

    assert (done.returncode, done.stdout) == (2, b"")
    assert b"`test 1` fails as the rules stand" in done.stderr
