"""What of the risk catalogues a rule set answers, for people and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..assurance.risks import CatalogueCoverage, Mapped, RiskCoverage
from ..errors import Finding
from .jsonlines import dump
from .loading import finding_lines
from .reports import as_json as finding_as_json
from .terminal import Screen, errors, output, table


def show(coverage: RiskCoverage, findings: Sequence[Finding], *, as_json: bool) -> None:
    """Write the coverage to standard output, and findings to standard error."""
    screen = output()
    if as_json:
        value = {
            "catalogues": [_as_json(one) for one in coverage.catalogues],
            "unmapped": list(coverage.unmapped),
            "findings": [finding_as_json(finding) for finding in findings],
        }
        screen.line(dump(value))
        return
    for one in coverage.catalogues:
        _show(one, screen)
    if coverage.unmapped:
        screen.line(f"rules that answer none of these: {', '.join(coverage.unmapped)}")
    for finding in findings:
        for line in finding_lines(finding):
            errors().line(line)


def _show(one: CatalogueCoverage, screen: Screen) -> None:
    screen.line(screen.paint(f"{one.catalogue.title}: {one.covered} of {len(one.entries)} answered", "bold"))
    rows = [(entry.id, entry.means, _rules(entry.rules)) for entry in one.entries]
    table(screen, ("entry", "is about", "rules"), rows)
    screen.line()


def _rules(rules: Sequence[Mapped]) -> str:
    named = (rule.rule if rule.enforced else f"{rule.rule} (monitors)" for rule in rules)
    return ", ".join(named) or "-"


def _as_json(one: CatalogueCoverage) -> dict[str, Any]:
    return {
        "id": one.catalogue.id,
        "title": one.catalogue.title,
        "covered": one.covered,
        "of": len(one.entries),
        "entries": [
            {
                "id": entry.id,
                "means": entry.means,
                "covered": entry.covered,
                "rules": [{"rule": rule.rule, "enforced": rule.enforced} for rule in entry.rules],
            }
            for entry in one.entries
        ],
    }
