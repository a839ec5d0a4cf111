"""pytest collects test files: each `[[test]]` is an item, and a failure shows what every rule said.

pytest loads this through the entry point `tidegate`; nothing of tidegate is imported before a test file is there.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .suites import Ran, Suite
    from .test_files import RuleTest, RuleTestFile

SUFFIX = ".test.toml"
RULES = "tidegate_rules"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the setting `tidegate_rules`."""
    parser.addini(RULES, "The rule file for test files that name none, relative to the root folder.", default="")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Take every test file."""
    return RuleTestsFile.from_parent(parent, path=file_path) if file_path.name.endswith(SUFFIX) else None


class RuleTestsFile(pytest.File):
    """A test file; where it or its rules are broken, collecting it says why."""

    def collect(self) -> Iterable[pytest.Item]:
        """An item for each test.

        Raises:
            CollectError: There are findings.
        """
        from .suites import RulePaths, gather

        rules = self.config.getini(RULES)
        paths = RulePaths(None, self.config.rootpath / rules if rules else None, None)
        suites, findings = gather(paths, [self.path], self.config.rootpath)
        about = [suite for suite in suites if suite.files]
        findings += [finding for suite in about for finding in suite.findings]
        if findings:
            raise self.CollectError("\n".join(map(str, findings)))
        for suite in about:
            for file in suite.files:
                for test in file.tests:
                    yield RuleItem.from_parent(self, name=test.name, suite=suite, file=file, test=test)


class RuleItem(pytest.Item):
    """One test of a test file."""

    def __init__(self, suite: Suite, file: RuleTestFile, test: RuleTest, **rest: Any) -> None:
        super().__init__(**rest)
        self._suite, self._file, self._test = suite, file, test

    def runtest(self) -> None:
        """Run it.

        Raises:
            RuleTestFailed: Something that it expects does not hold.
        """
        from .suites import ran

        done = ran(self._suite, self._file, self._test)
        if done.finding is not None:
            raise RuleTestFailed(done)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *rest: Any, **more: Any) -> Any:
        """The finding and the trace, and no traceback of ours."""
        if isinstance(excinfo.value, RuleTestFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, *rest, **more)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the test stands."""
        return self.path, self._test.line - 1, self.name


class RuleTestFailed(Exception):
    """A test of a test file fails."""

    def __init__(self, done: Ran) -> None:
        super().__init__("\n".join([str(done.finding), *(f"  {line}" for line in done.trace)]))
