"""Findings as the workflow commands by which GitHub annotates a change."""

from __future__ import annotations

from ...errors import Finding
from ...shown import escape
from ..terminal import safe
from . import Report


def write(report: Report) -> str:
    """One command for each finding.

    Source: GitHub's reference of workflow commands, and `escapeData` and `escapeProperty` of its toolkit.
    """
    return "".join(f"{_command(finding)}\n" for finding in report.findings)


def _command(finding: Finding) -> str:
    place = {"file": finding.file, "line": finding.line, "col": finding.column, "title": f"tidegate {finding.code}"}
    known = {key: str(value) for key, value in place.items() if value}
    properties = ",".join(f"{key}={_property(value)}" for key, value in known.items())
    message = f"{finding.what}\nwhy: {finding.why}\nmend: {finding.mend}"
    return f"::{finding.severity} {properties}::{_data(message)}"


def _data(text: str) -> str:
    return "%0A".join(safe(line).replace("%", "%25") for line in text.split("\n"))


def _property(text: str) -> str:
    return escape(text).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
