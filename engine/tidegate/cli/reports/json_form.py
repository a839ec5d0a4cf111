"""Findings as one JSON object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..jsonlines import dump
from . import Report, as_json

if TYPE_CHECKING:
    from ...assurance.suites import Ran


def write(report: Report) -> str:
    """One object with the findings in file order."""
    value: dict[str, Any] = {
        "ok": not report.errors,
        "errors": report.errors,
        "warnings": report.warnings,
        "files": list(report.files),
        "rules": report.rules,
        "examples": report.examples,
        "findings": [as_json(finding) for finding in report.findings],
    }
    if report.ran is not None:
        value["ran"] = [_ran(one) for one in report.ran]
    return f"{dump(value)}\n"


def _ran(one: Ran) -> dict[str, Any]:
    """One example or test that was run."""
    return {
        "group": one.group,
        "name": one.name,
        "file": one.file,
        "line": one.line,
        "ok": one.finding is None,
        "finding": None if one.finding is None else as_json(one.finding),
        "trace": list(one.trace),
    }
