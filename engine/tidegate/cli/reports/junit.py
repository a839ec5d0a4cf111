"""Findings as a JUnit report: one test case for each file."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from ...errors import Finding
from ..terminal import safe
from . import Report


def write(report: Report) -> str:
    """One suite; a file with an error is a failure, and its warnings are printed with it."""
    files = dict.fromkeys([*report.files, *(finding.file for finding in report.findings)])
    failed = {finding.file for finding in report.findings if finding.severity == "error"}
    counts = {"tests": str(len(files)), "failures": str(len(failed)), "errors": "0", "skipped": "0"}
    suites = ET.Element("testsuites", counts)
    suite = ET.SubElement(suites, "testsuite", {"name": "tidegate check", **counts})
    for file in files:
        found = [finding for finding in report.findings if finding.file == file]
        _case(suite, file, found)
    ET.indent(suites)
    return f"<?xml version='1.0' encoding='utf-8'?>\n{ET.tostring(suites, encoding='unicode')}\n"


def _case(suite: ET.Element, file: str, findings: list[Finding]) -> None:
    case = ET.SubElement(suite, "testcase", {"classname": "tidegate.check", "name": _clean(file)})
    errors = [finding for finding in findings if finding.severity == "error"]
    if errors:
        message = f"{errors[0].code}: {errors[0].what}"
        failure = ET.SubElement(case, "failure", {"message": _clean(message), "type": errors[0].code})
        failure.text = _texts(errors)
    warnings = [finding for finding in findings if finding.severity == "warning"]
    if warnings:
        ET.SubElement(case, "system-out").text = _texts(warnings)


def _texts(findings: list[Finding]) -> str:
    return "\n".join(_clean(line) for finding in findings for line in str(finding).split("\n"))


def _clean(text: str) -> str:
    """The text without the characters that XML forbids; what is safe to show may still hold U+FFFE and U+FFFF."""
    return safe(text).translate({0xFFFE: "\\u{fffe}", 0xFFFF: "\\u{ffff}"})
