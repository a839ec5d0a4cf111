"""`tidegate doctor --harness`: what an agent CLI cannot enforce of the rules, for people and for programs."""

from __future__ import annotations

from pathlib import Path

from attrs import asdict

from ..engine import Engine
from ..facts.local import local_facts
from .harness_gaps import Gap, gaps
from .jsonlines import dump
from .terminal import output, table


def report(harness: str, rules: Path | None, managed: Path | None, user: Path | None, *, as_json: bool) -> int:
    """Write the gaps; 1 where a rule's call or result may pass.

    Raises:
        RuleError: The rules have an error.
    """
    plan = Engine.load(rules, managed=managed, user=user, facts=local_facts()).plan
    found = gaps(harness, plan)
    passes = any(gap.looser and gap.rule is not None for gap in found)
    if as_json:
        output().line(dump({"ok": not passes, "harness": harness, "gaps": [asdict(gap) for gap in found]}))
        return 1 if passes else 0
    _write(harness, found)
    return 1 if passes else 0


def _write(harness: str, found: list[Gap]) -> None:
    screen = output()
    about = [gap for gap in found if gap.rule is not None]
    if about:
        rows = [("looser" if gap.looser else "other", gap.rule or "", gap.what, gap.instead) for gap in about]
        table(screen, ("", "rule", "does", f"with {harness}"), rows)
    else:
        screen.line(f"{harness} enforces every rule as it is written")
    screen.line()
    screen.line("whatever the rules say:")
    for gap in found:
        if gap.rule is None:
            screen.line(f"- {gap.what}: {gap.instead}")
