"""Findings as one JSON object."""

from __future__ import annotations

from ..jsonlines import dump
from . import Report, as_json


def write(report: Report) -> str:
    """One object with the findings in file order."""
    value = {
        "ok": not report.errors,
        "errors": report.errors,
        "warnings": report.warnings,
        "files": list(report.files),
        "rules": report.rules,
        "examples": report.examples,
        "findings": [as_json(finding) for finding in report.findings],
    }
    return f"{dump(value)}\n"
