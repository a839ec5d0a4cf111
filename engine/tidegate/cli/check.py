"""`tidegate check`: what is wrong with rule files."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from time import time

import attrs
import click

from ..assurance.risks import check_maps
from ..compile.catalogue import check_tools
from ..compile.compiler import compile_plan
from ..compile.examples import check_examples
from ..compile.expiry import overdue
from ..compile.sides import check_sides
from ..errors import Finding
from ..lang.layers import in_file_order, load
from .loading import FILE, catalogue_at, layer_options
from .reports import FORMATS, Report, render


@click.command("check", short_help="Check rule files and run their examples.")
@click.argument("rules", type=FILE, required=False)
@layer_options
@click.option(
    "--tools",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="All tools of the agent, as JSON for OpenAI, Anthropic or from MCP; then no rule may name another.",
)
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", help="How findings are written.")
@click.option("--json", "form", flag_value="json", help="The same as `--format json`.")
@click.option("--examples", is_flag=True, help="Ask of each rule an example that it answers and a near miss.")
@click.option("--strict", is_flag=True, help="Take warnings for errors.")
def command(
    rules: Path | None,
    managed: Path | None,
    user: Path | None,
    tools: Path | None,
    form: str,
    examples: bool,
    strict: bool,
) -> int:
    """Check rule files, with all that they include, and run their examples.

    RULES is the project's top rule file, by default `rules.toml` in this folder; without such a file the other
    layers may be checked alone. Exit code 1 means that something is wrong.
    """
    usual = Path("rules.toml")
    if rules is None and (usual.exists() or not (managed or user)):
        rules = usual
    report = _check(rules, managed, user, tools, examples=examples)
    if strict:
        findings = tuple(attrs.evolve(finding, severity="error") for finding in report.findings)
        report = attrs.evolve(report, findings=findings)
    sys.stdout.write(render(form, report))
    return 1 if report.errors else 0


def _check(
    rules: Path | None, managed: Path | None, user: Path | None, tools: Path | None, *, examples: bool
) -> Report:
    catalogue = catalogue_at(tools) if tools is not None else None
    # Names begin where the person stands, so that an editor and a service can find the file.
    loaded = load(managed=managed, project=rules, user=user, base=Path.cwd())
    outcome = compile_plan(loaded, now=time())
    findings: Iterable[Finding] = [*outcome.findings, *check_tools(loaded.rule_sets, catalogue)]
    findings = [*findings, *check_maps(loaded.rule_sets), *check_examples(outcome)]
    findings = [*findings, *(check_sides(outcome) if examples else ())]
    return Report(
        in_file_order(overdue(findings), loaded.files),
        loaded.files,
        rules=sum(len(rule_set.rules) for rule_set in loaded.rule_sets),
        examples=sum(len(subject.examples) for subject in outcome.subjects),
    )
