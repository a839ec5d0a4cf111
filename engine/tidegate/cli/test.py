"""`tidegate test`: the examples of rules and the tests of test files."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from time import sleep

import click

from ..assurance.suites import Ran, Suite, run
from ..errors import Finding
from ..lang.layers import in_file_order
from .again import changes
from .loading import FILE, layer_options
from .reports import FORMATS, Report, render
from .suites import chosen
from .terminal import output

_EVERY = 0.3


@click.command("test", short_help="Run the examples of rules and the tests of test files.")
@click.argument("paths", type=FILE, nargs=-1, metavar="[RULES|FILES]...")
@layer_options
@click.option("-k", "part", metavar="TEXT", help="Only what has this text in its name, in capitals or not.")
@click.option("--watch", is_flag=True, help="Run them again whenever a file changes, until you stop it.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", help="How results are written.")
@click.option("--json", "form", flag_value="json", help="The same as `--format json`.")
def command(
    paths: tuple[Path, ...], managed: Path | None, user: Path | None, part: str | None, watch: bool, form: str
) -> int:
    """Run the examples of rules and the tests of test files.

    A test file ends in `.test.toml` and says which rules it is about; one that does not is about RULES. A folder
    stands for all test files beneath it. Without test files, these are all that are about RULES beneath this folder,
    and RULES is `rules.toml`. Exit code 1 means that something fails.
    """
    if not watch:
        return _write(*chosen(paths, managed, user).gathered(), part, form)
    seen: list[Path] = []

    def looked_at() -> list[Path]:
        now = chosen(paths, managed, user)
        return [*seen, *now.files, *(path for path in now.rules if path is not None)]

    for _ in changes(looked_at, lambda: sleep(_EVERY)):
        if output().terminal:
            sys.stdout.write("\x1b[2J\x1b[H")
        suites, findings = chosen(paths, managed, user).gathered()
        _write(suites, findings, part, form)
        sys.stdout.flush()
        seen[:] = [Path(source.path) for one in suites for layer in one.loaded.rule_sets for source in layer.sources]
        seen += [path for one in suites for path in one.paths if path is not None]
    return 0


def _write(suites: Sequence[Suite], findings: Sequence[Finding], part: str | None, form: str) -> int:
    """Run everything and write the report; the exit code."""
    wanted = (part or "").casefold()
    ran: list[Ran] = []
    for suite in suites:
        if not suite.broken:
            ran += run(suite, lambda name: wanted in name.casefold())
    files = dict.fromkeys(file for suite in suites for file in suite.loaded.files)
    files |= dict.fromkeys(file.shown for suite in suites for file in suite.files)
    found = [*findings, *(one for suite in suites for one in suite.findings)]
    found += [one.finding for one in ran if one.finding is not None]
    report = Report(
        in_file_order(found, list(files)),
        tuple(files),
        rules=sum(len(rule_set.rules) for suite in suites for rule_set in suite.loaded.rule_sets),
        examples=sum(one.group == "example" for one in ran),
        command="test",
        ran=tuple(ran),
    )
    if not suites and not findings:
        raise click.UsageError("there is no `rules.toml` and no test file here; name one")
    if part is not None and not ran and not found:
        raise click.UsageError(f"nothing has `{part}` in its name")
    sys.stdout.write(render(form, report))
    return 1 if report.errors else 0
