"""Findings for people: one below the other, and a line that sums up."""

from __future__ import annotations

from ..terminal import safe
from . import Report


def write(report: Report) -> str:
    """The findings, each with the trace of its call where it has one, and the sum."""
    traces = {one.finding: one.trace for one in report.ran or ()}
    lines: list[str] = []
    for finding in report.findings:
        lines += str(finding).split("\n")
        lines += (f"  {line}" for line in traces.get(finding, ()))
    lines.append(summary(report) if report.ran is None else summary_of_runs(report))
    return "".join(f"{safe(line)}\n" for line in lines)


def summary(report: Report) -> str:
    """What was looked at and what was found, in one line."""
    seen = f"{_count(report.rules, 'rule')} and {_count(report.examples, 'example')}"
    seen += f" in {_count(len(report.files), 'file')}"
    if not report.findings:
        return f"fine: {seen}"
    return f"{_found(report)}: {seen}"


def summary_of_runs(report: Report) -> str:
    """How many examples and tests were run, and how many fail."""
    ran = report.ran or ()
    failing = any(one.finding is not None for one in ran)
    counts = []
    for group in ("test", "example"):
        these = [one for one in ran if one.group == group]
        if ran and not these:
            continue
        failed = sum(one.finding is not None for one in these)
        counts.append(f"{failed} of {_count(len(these), group)}" if failing else _count(len(these), group))
    seen = " and ".join(counts)
    about = f"{_count(report.rules, 'rule')} in {_count(len(report.files), 'file')}"
    if failing:
        return f"{seen} fail: {about}"
    return f"{_found(report) or 'fine'}: {seen} of {about}"


def _found(report: Report) -> str:
    counts = ((report.errors, "error"), (report.warnings, "warning"))
    return " and ".join(_count(number, word) for number, word in counts if number)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
