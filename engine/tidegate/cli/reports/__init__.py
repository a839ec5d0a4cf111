"""Findings in the forms that programs read: JSON, SARIF, GitHub's annotations, JUnit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from attrs import frozen

from ...errors import Finding

if TYPE_CHECKING:
    from ...assurance.suites import Ran


@frozen
class Report:
    """What a command found out.

    `files` are the names of all files in the order of their findings; `rules` and `examples` count what was looked at.
    `ran` are the examples and tests that were run one by one, `None` where the command is about files.
    """

    findings: tuple[Finding, ...]
    files: tuple[str, ...]
    rules: int
    examples: int
    command: str = "check"
    ran: tuple[Ran, ...] | None = None

    @property
    def errors(self) -> int:
        """How many findings are errors."""
        return sum(finding.severity == "error" for finding in self.findings)

    @property
    def warnings(self) -> int:
        """How many are warnings."""
        return len(self.findings) - self.errors


def as_json(finding: Finding) -> dict[str, Any]:
    """A finding as a JSON object."""
    return {
        "file": finding.file,
        "line": finding.line,
        "column": finding.column,
        "severity": finding.severity,
        "code": finding.code,
        "what": finding.what,
        "why": finding.why,
        "mend": finding.mend,
    }


FORMATS: tuple[str, ...] = ("text", "json", "sarif", "github", "junit")
"""The names of the forms; `text` is for people."""

_MODULES: Mapping[str, str] = {"json": "json_form", "sarif": "sarif", "github": "github", "junit": "junit"}


def render(form: str, report: Report) -> str:
    """The report in one of `FORMATS`, ending in a newline unless it is empty."""
    module = import_module(f".{_MODULES[form]}" if form in _MODULES else ".text", __package__)
    return cast("Callable[[Report], str]", module.write)(report)
