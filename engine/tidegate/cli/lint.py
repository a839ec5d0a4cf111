"""`tidegate lint`: slips in rules that load, each shown by a call."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from time import time

import click
from attrs import evolve

from ..assurance.lint import Lint, Slip, lint
from ..assurance.witnesses import Bench, line_of
from ..compile.compiler import compile_plan
from ..errors import Finding, RuleError
from ..facts.local import local_facts
from ..lang.layers import load
from .jsonlines import dump
from .loading import FILE, catalogue_at, layer_options
from .reports import FORMATS, Report, as_json, render
from .terminal import safe


@click.command("lint", short_help="Look for slips in rules, each shown by a call.")
@click.argument("rules", type=FILE, required=False)
@layer_options
@click.option(
    "--tools",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="All tools of the agent, as JSON for OpenAI, Anthropic or from MCP.",
)
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", help="How findings are written.")
@click.option("--json", "form", flag_value="json", help="The same as `--format json`.")
def command(rules: Path | None, managed: Path | None, user: Path | None, tools: Path | None, form: str) -> int:
    """Look for rules that load and still do not do what they seem to do.

    Rules that can never match, that other rules drown, contradict or repeat, exceptions that except nothing, grants
    that reach further than they look, patterns that need an anchor, secrets. Each comes with calls that show it, on
    lines that `tidegate decide` reads; what could not be decided is said to be so. RULES is the project's top rule
    file, by default `rules.toml` in this folder. Exit code 1 means that something was found.
    """
    usual = Path("rules.toml")
    if rules is None and (usual.exists() or not (managed or user)):
        rules = usual
    loaded = load(managed=managed, project=rules, user=user, base=Path.cwd())
    outcome = compile_plan(loaded, now=time())
    if outcome.plan is None:
        raise RuleError(outcome.findings)
    found = lint(Bench(outcome, local_facts()), loaded.files, catalogue_at(tools) if tools is not None else None)
    number = sum(len(rule_set.rules) for rule_set in loaded.rule_sets)
    report = Report(tuple(map(_with_calls, found.slips)), loaded.files, rules=number, examples=0, command="lint")
    if form == "text":
        sys.stdout.writelines(f"{line}\n" for line in _lines(found, report))
    else:
        sys.stdout.write(f"{dump(_as_json(found, report))}\n" if form == "json" else render(form, report))
    return 1 if found.slips else 0


def _with_calls(slip: Slip) -> Finding:
    """The finding with its calls in the words that say why, for forms that have no place for them."""
    shown = [f"{line_of(one.call)}: {one.said}" for one in slip.witnesses]
    return evolve(slip.finding, why="; ".join([slip.finding.why, *shown]))


def _lines(found: Lint, report: Report) -> Iterator[str]:
    for slip in found.slips:
        yield from (safe(line) for line in str(slip.finding).split("\n"))
        for one in slip.witnesses:
            yield f"  call: {line_of(one.call)}"
            yield f"        {safe(one.said)}"
    for open_one in found.undecided:
        yield f"not decided: rule `{safe(open_one.rule)}`: {open_one.code}: {safe(open_one.why)}"
    counts = [_count(len(found.slips), "finding")] if found.slips else ["fine"]
    if found.accepted:
        counts.append(f"{len(found.accepted)} accepted")
    if found.undecided:
        counts.append(f"{_count(len(found.undecided), 'question')} not decided")
    yield f"{', '.join(counts)}: {_count(report.rules, 'rule')} in {_count(len(report.files), 'file')}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _as_json(found: Lint, report: Report) -> dict[str, object]:
    return {
        "ok": not found.slips,
        "files": list(report.files),
        "rules": report.rules,
        "findings": [
            {
                **as_json(slip.finding),
                "calls": [{"line": line_of(one.call), "shows": one.said} for one in slip.witnesses],
            }
            for slip in found.slips
        ],
        "accepted": [as_json(slip.finding) for slip in found.accepted],
        "undecided": [{"rule": one.rule, "code": one.code, "why": one.why} for one in found.undecided],
    }
