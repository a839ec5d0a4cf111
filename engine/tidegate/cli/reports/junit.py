"""Findings as a JUnit report: a test case for each file, or for each example and test that was run."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree as ET

from ...errors import Finding
from ..terminal import safe
from . import Report


def write(report: Report) -> str:
    """One suite; what has an error is a failure, and the warnings of a file are printed with it."""
    cases = [*_of_files(report), *_of_runs(report)]
    failed = sum(case.find("failure") is not None for case in cases)
    counts = {"tests": str(len(cases)), "failures": str(failed), "errors": "0", "skipped": "0"}
    suites = ET.Element("testsuites", counts)
    ET.SubElement(suites, "testsuite", {"name": f"tidegate {report.command}", **counts}).extend(cases)
    ET.indent(suites)
    return f"<?xml version='1.0' encoding='utf-8'?>\n{ET.tostring(suites, encoding='unicode')}\n"


def _of_files(report: Report) -> Iterator[ET.Element]:
    """A case for each file; where examples and tests were run, for those that could not be."""
    ran = {one.finding for one in report.ran or ()}
    findings = [finding for finding in report.findings if finding not in ran]
    files = dict.fromkeys([*(report.files if report.ran is None else ()), *(finding.file for finding in findings)])
    for file in files:
        case = ET.Element("testcase", {"classname": f"tidegate.{report.command}", "name": _clean(file)})
        errors = [finding for finding in findings if finding.file == file and finding.severity == "error"]
        if errors:
            _fail(case, errors[0], _texts(errors))
        warnings = [finding for finding in findings if finding.file == file and finding.severity == "warning"]
        if warnings:
            ET.SubElement(case, "system-out").text = _texts(warnings)
        yield case


def _of_runs(report: Report) -> Iterator[ET.Element]:
    for one in report.ran or ():
        case = ET.Element("testcase", {"classname": _clean(one.file), "name": _clean(one.name), "line": str(one.line)})
        if one.finding is not None:
            _fail(case, one.finding, "\n".join([_texts([one.finding]), *map(_clean, one.trace)]))
        yield case


def _fail(case: ET.Element, finding: Finding, text: str) -> None:
    message = f"{finding.code}: {finding.what}"
    ET.SubElement(case, "failure", {"message": _clean(message), "type": finding.code}).text = text


def _texts(findings: list[Finding]) -> str:
    return "\n".join(_clean(line) for finding in findings for line in str(finding).split("\n"))


def _clean(text: str) -> str:
    """The text without the characters that XML forbids; what is safe to show may still hold U+FFFE and U+FFFF."""
    return safe(text).translate({0xFFFE: "\\u{fffe}", 0xFFFF: "\\u{ffff}"})
