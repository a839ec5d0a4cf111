"""`tidegate coverage`: what a rule set covers, and what of it is covered by tests."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from time import time
from typing import TYPE_CHECKING

import click

from ..call import Call
from ..calls import read_calls
from ..errors import CallError, RuleError
from .jsonlines import bounded_lines, opened
from .loading import FILE, finding_lines, layer_options
from .terminal import errors

if TYPE_CHECKING:
    from ..assurance.suites import Suite

FORMATS = ("text", "marks", "json", "html")


@click.command("coverage", short_help="Say what the rules cover, and what of them tests cover.")
@click.argument("paths", type=FILE, nargs=-1, metavar="[RULES] [TESTS]...")
@layer_options
@click.option("--risks", is_flag=True, help="Which entries of risk catalogues the rules answer, by their `maps`.")
@click.option(
    "--mutate", is_flag=True, help="Edit the rules a little, many times, and say which edits no test notices."
)
@click.option("--calls", metavar="FILE", help="Recorded calls, one JSON line each, that count as well; `-` for stdin.")
@click.option(
    "--fail-under",
    type=click.IntRange(0, 100),
    default=0,
    help="Exit with 1 below so many percent; nothing is rounded.",
)
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", help="How it is shown.")
@click.option("--json", "form", flag_value="json", help="The same as `--format json`.")
@click.option("--out", type=FILE, help="Write it to this file.")
@click.option("--workers", type=click.IntRange(1), help="How many processes edit rules; one for each core without it.")
def command(  # noqa: PLR0913 - one for each option
    paths: tuple[Path, ...],
    managed: Path | None,
    user: Path | None,
    *,
    risks: bool,
    mutate: bool,
    calls: str | None,
    fail_under: int,
    form: str,
    out: Path | None,
    workers: int | None,
) -> int:
    """Say which rules and patterns examples and tests match, reach, or never reach.

    RULES is `rules.toml` and TESTS are all test files about it beneath this folder, unless they are named. `--format
    marks` shows the rule files with marks in their margin, `--format html` as a page with counts under the pointer.

    With `--mutate`: small wrong edits of the rules, and which of them no example and no test notices.

    With `--risks`: which entries of the catalogues of OWASP and MITRE the rules answer, by which rules, and which not.
    What they answer is what their authors say; it is no proof that a risk is gone.

    Exit code 1 means that it is less than `--fail-under`, or that an example or test fails.
    """
    from .suites import chosen

    if risks:
        project = chosen(paths, managed, user).rules.project
        return _risks(project, managed, user, as_json=form == "json")
    suite = _suite(paths, managed, user)
    if mutate:
        from .mutation import show

        return show(suite, fail_under, form, out, workers or os.cpu_count() or 1)
    return _covered(suite, calls, fail_under, form, out)


def _suite(paths: tuple[Path, ...], managed: Path | None, user: Path | None) -> Suite:
    """The one rule set that is looked at, with its tests.

    Raises:
        RuleError: The rules or a test file have an error.
        UsageError: Several rule sets are meant, or none.
    """
    from .suites import chosen

    suites, findings = chosen(paths, managed, user).gathered()
    findings += [finding for suite in suites for finding in suite.findings]
    if findings:
        raise RuleError(tuple(findings))
    if len(suites) != 1:
        several = "the tests are about several rule sets" if suites else "there is no `rules.toml` here"
        raise click.UsageError(f"{several}; name one rule file")
    return suites[0]


def _covered(suite: Suite, calls: str | None, fail_under: int, form: str, out: Path | None) -> int:
    from ..assurance.coverage import reaches
    from ..assurance.measuring import measure
    from .coverage_text import as_json, gaps, source
    from .terminal import output

    measured = measure(suite, _recorded(calls) if calls is not None else ())
    screen = output()
    rule_sets = suite.outcome.rule_sets
    if form == "html":
        from .coverage_html import page

        text = page(measured, rule_sets)
    elif form == "json":
        text = f"{as_json(measured)}\n"
    else:
        lines = source(measured, rule_sets, screen) if form == "marks" else gaps(measured, screen)
        text = "".join(f"{line}\n" for line in lines)
    write(text, out)
    for one in measured.failing:
        assert one.finding is not None  # noqa: S101 - only such runs are failing
        for line in finding_lines(one.finding):
            errors().line(line)
    enough = reaches(measured.coverage.matched, measured.coverage.total, fail_under)
    if not enough:
        errors().line(f"less than {fail_under} % is matched")
    return 0 if enough and not measured.failing else 1


def write(text: str, out: Path | None) -> None:
    """Write the report to a file, or to standard output."""
    if out is None:
        sys.stdout.write(text)
    else:
        out.write_text(text, encoding="utf-8", newline="\n")


def _recorded(calls: str) -> Iterator[Call]:
    """The recorded calls of a file.

    Raises:
        CallError: A line is no call.
    """
    with opened(calls) as stream:
        for line in read_calls(bounded_lines(stream)):
            if line.call is None:
                raise CallError(line.error)
            yield line.call


def _risks(rules: Path | None, managed: Path | None, user: Path | None, *, as_json: bool) -> int:
    from ..assurance.risks import check_maps, risk_coverage
    from ..compile.compiler import compile_plan
    from ..lang.layers import load
    from .risks import show

    loaded = load(managed=managed, project=rules, user=user, base=Path.cwd())
    outcome = compile_plan(loaded, now=time())
    if outcome.plan is None:
        raise RuleError(outcome.findings)
    show(risk_coverage(outcome.subjects), check_maps(loaded.rule_sets), as_json=as_json)
    return 0
