"""Rules and tests as texts become suites, without a disk."""

from pathlib import Path

from tidegate.assurance.suites import RulePaths, Suite
from tidegate.assurance.test_files import invariants_of, parse_test_file
from tidegate.compile.compiler import compile_plan
from tidegate.lang.layers import loads

PLACE = Path("/srv/policies/rules.test.toml")


def file_of(text):
    """The test file that a text is; it must have no finding."""
    file, findings = parse_test_file(text.encode(), PLACE, PLACE.name)

    assert findings == []
    return file


def findings_of(text):
    """The findings of a text that is no test file."""
    file, findings = parse_test_file(text.encode(), PLACE, PLACE.name)

    assert file is None
    return [str(finding) for finding in findings]


def suite_of(rules, tests=""):
    """A suite of rules and tests, neither of which may have an error."""
    loaded = loads(rules, "/srv/policies/rules.toml")
    outcome = compile_plan(loaded, now=0.0)

    assert outcome.plan is not None, outcome.findings
    files = (file_of(f"version = 1\n{tests}"),) if tests else ()
    invariants, findings = [], []
    for file in files:
        some, found = invariants_of(file, outcome.readers[-1].table)
        invariants += some
        findings += found

    assert findings == []
    return Suite(RulePaths(None, Path("rules.toml"), None), loaded, outcome, (), files, tuple(invariants))
