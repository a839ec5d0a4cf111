"""Findings for people: one below the other, and a line that sums up."""

from __future__ import annotations

from ..terminal import safe
from . import Report


def write(report: Report) -> str:
    """The findings and the sum."""
    findings = "".join(f"{safe(line)}\n" for finding in report.findings for line in str(finding).split("\n"))
    return f"{findings}{summary(report)}\n"


def summary(report: Report) -> str:
    """What was looked at and what was found, in one line."""
    seen = f"{_count(report.rules, 'rule')} and {_count(report.examples, 'example')}"
    seen += f" in {_count(len(report.files), 'file')}"
    if not report.findings:
        return f"fine: {seen}"
    found = [
        _count(number, word) for number, word in ((report.errors, "error"), (report.warnings, "warning")) if number
    ]
    return f"{' and '.join(found)}: {seen}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
