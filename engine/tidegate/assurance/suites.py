"""What is tested together: a rule set with the examples of its rules and the test files that are about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from attrs import frozen

from ..compile.compiler import Outcome, Subject, compile_plan
from ..compile.examples import check_example
from ..compile.stage import Watch
from ..errors import Finding
from ..lang.layers import load
from ..lang.ruleset import Loaded
from ..plan.protection import RULE as PROTECTED
from ..plan.sitting import ARGUMENTS
from .fields import DEFAULT
from .fuzzing.invariants import Invariant
from .running import run_test
from .test_files import SUFFIX, RuleTest, RuleTestFile, invariants_of, is_test_file, read_test_file, unknown_rules

NOW = 0.0
"""The time of loading: what expires does so by the time of a call, and no result depends on the day of the run."""


class RulePaths(NamedTuple):
    """The rule files of a set by layer."""

    managed: Path | None = None
    project: Path | None = None
    user: Path | None = None

    def __bool__(self) -> bool:
        """Whether any is named."""
        return any(path is not None for path in self)


@frozen
class Suite:
    """A rule set, compiled, and the tests that are about it.

    `findings` are those of the rules and of tests that name rules which do not exist; with an error among them there
    is nothing to run. `invariants` are those of all test files.
    """

    paths: RulePaths
    loaded: Loaded
    outcome: Outcome
    findings: tuple[Finding, ...]
    files: tuple[RuleTestFile, ...]
    invariants: tuple[Invariant, ...] = ()

    @property
    def broken(self) -> bool:
        """Whether nothing can be run."""
        return any(finding.severity == "error" for finding in self.findings)


@frozen
class Ran:
    """One example or test that was run: what it is called, where it stands, and why it fails, if it does.

    `group` is `example` or `test`; `trace` tells of the failing call what every rule said.
    """

    group: str
    name: str
    file: str
    line: int
    finding: Finding | None
    trace: tuple[str, ...] = ()


def gather(paths: RulePaths, files: Iterable[Path], base: Path) -> tuple[list[Suite], list[Finding]]:
    """The suites of the rules at *paths* and of every rule set that one of the test *files* names.

    Findings name files relative to *base*. Those that come back beside the suites are about test files that could not
    be taken into one.
    """
    read: list[RuleTestFile] = []
    findings: list[Finding] = []
    for path in files:
        file, found = read_test_file(path, base)
        findings += found
        if file is not None:
            read.append(file)
    groups: dict[RulePaths, list[RuleTestFile]] = {paths: []} if paths else {}
    for file in read:
        wanted = RulePaths(file.managed, file.rules, file.user) or paths
        if not wanted:
            findings.append(_no_rules(file))
            continue
        groups.setdefault(_same(wanted, groups), []).append(file)
    return [_suite(of, tests, base) for of, tests in groups.items()], findings


def _same(wanted: RulePaths, known: Iterable[RulePaths]) -> RulePaths:
    """The one of *known* that names the same files, else *wanted*."""

    def resolved(paths: RulePaths) -> list[Path | None]:
        return [None if path is None else path.resolve() for path in paths]

    return next((one for one in known if resolved(one) == resolved(wanted)), wanted)


def found_beneath(folder: Path) -> list[Path]:
    """Every test file beneath *folder*, sorted; hidden folders and those of packages are left out."""
    found = []
    for path in sorted(folder.rglob(f"*{SUFFIX}")):
        parts = path.relative_to(folder).parts[:-1]
        if is_test_file(path) and not any(part[0] == "." or part == "node_modules" for part in parts):
            found.append(path)
    return found


def _suite(paths: RulePaths, files: Sequence[RuleTestFile], base: Path) -> Suite:
    loaded = load(managed=paths.managed, project=paths.project, user=paths.user, base=base)
    outcome = compile_plan(loaded, now=NOW)
    known = [DEFAULT, ARGUMENTS, PROTECTED]
    known += [rule.address for rule_set in loaded.rule_sets for rule in rule_set.rules]
    findings = [finding for finding in outcome.findings if finding.severity == "error"]
    if not findings:
        findings += [found for file in files for test in file.tests for found in unknown_rules(test, known)]
    invariants: list[Invariant] = []
    for file in files if outcome.readers else ():
        some, found = invariants_of(file, outcome.readers[-1].table)
        invariants += some
        findings += found
    return Suite(paths, loaded, outcome, tuple(findings), tuple(files), tuple(invariants))


def run(
    suite: Suite,
    wanted: Callable[[str], bool] = lambda _: True,
    *,
    of_rule: Callable[[Subject], Watch] | None = None,
    of_all: Watch | None = None,
) -> Iterator[Ran]:
    """Run the examples of the rules, then the tests, of those whose names are *wanted*.

    *of_rule* gives what watches the examples of one rule, *of_all* watches the tests.
    """
    outcome = suite.outcome
    for subject in outcome.subjects:
        watch = of_rule(subject) if of_rule is not None else None
        for index in range(len(subject.examples)):
            name = f"{subject.raw.address} example {index + 1}"
            if wanted(name):
                place = subject.raw.span(("example", index))
                found = check_example(outcome.readers[subject.rule.layer], subject, index, watch)
                yield Ran("example", name, place.file, place.line, found)
    assert outcome.plan is not None  # noqa: S101 - whoever runs a suite has looked whether it is broken
    for file in suite.files:
        for test in file.tests:
            if wanted(test.name):
                yield ran(suite, file, test, of_all)


def ran(suite: Suite, file: RuleTestFile, test: RuleTest, watch: Watch | None = None) -> Ran:
    """Run one test of a suite."""
    assert suite.outcome.plan is not None  # noqa: S101 - as above
    failed = run_test(suite.outcome.plan, test, watch)
    if failed is None:
        return Ran("test", test.name, file.shown, test.line, None)
    return Ran("test", test.name, file.shown, test.line, failed.finding, failed.trace)


def _no_rules(file: RuleTestFile) -> Finding:
    return file.document.finding(
        (),
        "no-rules",
        "nobody says which rules the tests are about",
        why="without rules there is nothing to test",
        mend='write `rules = "rules.toml"` at the top of the file, or name a rule file on the command line',
    )
