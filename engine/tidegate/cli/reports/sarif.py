"""Findings as SARIF 2.1.0, which code scanning services read."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any
from urllib.parse import quote

from ...errors import Finding
from ..version import own_version
from . import Report

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def write(report: Report) -> str:
    """One log with one run; URIs are relative to the folder in which `check` was called.

    Source: OASIS, Static Analysis Results Interchange Format 2.1.0.
    """
    codes = list(dict.fromkeys(finding.code for finding in report.findings))
    driver = {
        "name": "tidegate",
        "version": own_version(),
        "rules": [{"id": code, "shortDescription": {"text": code.replace("-", " ")}} for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, codes) for finding in report.findings],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _result(finding: Finding, codes: list[str]) -> dict[str, Any]:
    text = f"{finding.what}\nwhy: {finding.why}\nmend: {finding.mend}"
    place: dict[str, Any] = {"artifactLocation": _artifact(finding.file)}
    if finding.line:
        place["region"] = {"startLine": finding.line, "startColumn": finding.column}
    # Lines move; what is said of which file does not.
    stable = f"{finding.file}\n{finding.code}\n{finding.what}"
    return {
        "ruleId": finding.code,
        "ruleIndex": codes.index(finding.code),
        "level": finding.severity,
        "message": {"text": text},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"tidegate/v1": sha256(stable.encode(errors="surrogatepass")).hexdigest()[:32]},
    }


def _artifact(file: str) -> dict[str, str]:
    if file.startswith("pack:"):
        return {"uri": f"pack:{quote(file.removeprefix('pack:'))}"}
    uri = quote(file, errors="replace")
    return {"uri": f"file://{uri}"} if file.startswith("/") else {"uri": uri, "uriBaseId": "%SRCROOT%"}
