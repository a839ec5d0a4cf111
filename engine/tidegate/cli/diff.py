"""`tidegate diff`: what new rules do that old ones did not, tool by tool."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from time import time

import click

from ..assurance.diff import Comparison, compare
from ..assurance.diff.revisions import at_revision
from ..assurance.witnesses import Bench
from ..compile.compiler import compile_plan
from ..errors import RuleError
from ..facts.local import local_facts
from ..lang.layers import load
from .diffing import FORMS, write
from .loading import layer_options


@click.command("diff", short_help="Say what new rules do that old ones did not.")
@click.argument("old", required=False)
@click.argument("new", required=False)
@layer_options
@click.option("--git", "revision", help="Compare a rule file with itself at this revision; then it is named alone.")
@click.option(
    "--tool", "tools", multiple=True, help="A tool to be compared although no rule names it; may be repeated."
)
@click.option("--format", "form", type=click.Choice(FORMS), default="text", help="How the answer is written.")
@click.option("--json", "form", flag_value="json", help="The same as `--format json`.")
@click.option(
    "--fail-on",
    type=click.Choice(("looser", "stricter", "any")),
    help="Exit with 1 where something is looser, stricter or either, or where that is not ruled out.",
)
def command(  # noqa: PLR0913, PLR0917 - as many as there are options
    old: str | None,
    new: str | None,
    managed: Path | None,
    user: Path | None,
    revision: str | None,
    tools: tuple[str, ...],
    form: str,
    fail_on: str | None,
) -> int:
    """Compare two rule files with all that they include, and say for each tool what has changed.

    A tool is equal, looser, stricter or incomparable. Equal is proved; the others are shown by calls that the two
    decide differently, on lines that `tidegate decide` reads. What is neither proved nor shown is not decided, and the
    answer says why. OLD and NEW are files, or `REVISION:FILE` for a file in git.
    """
    with ExitStack() as opened:
        before, after = _sides(old, new, revision, opened)
        comparison = compare(_bench(before, managed, user), _bench(after, managed, user), tools)
    sys.stdout.writelines(f"{line}\n" for line in write(form, comparison))
    return 1 if _fails(comparison, fail_on) else 0


def _sides(old: str | None, new: str | None, revision: str | None, opened: ExitStack) -> tuple[Path, Path]:
    """The two files, wherever they come from."""
    if revision is not None:
        if new is not None:
            raise click.UsageError("with `--git` one file is named, and not two")
        path = Path(old or "rules.toml")
        return opened.enter_context(at_revision(revision, path)), path
    if old is None or new is None:
        raise click.UsageError("name two files, or one with `--git REVISION`")
    before, after = (side(name, opened) for name in (old, new))
    return before, after


def side(name: str, opened: ExitStack) -> Path:
    """The rule file that *name* stands for: a path, or `REVISION:FILE` as long as *opened* is."""
    revision, colon, path = name.partition(":")
    if colon and revision and path and not Path(name).exists():
        return opened.enter_context(at_revision(revision, Path(path)))
    return Path(name)


def _bench(path: Path, managed: Path | None, user: Path | None) -> Bench:
    loaded = load(managed=managed, project=path, user=user, base=Path.cwd())
    outcome = compile_plan(loaded, now=time())
    if outcome.plan is None:
        raise RuleError(outcome.findings)
    return Bench(outcome, local_facts())


def _fails(comparison: Comparison, on: str | None) -> bool:
    looser = on in ("looser", "any") and comparison.looser
    return looser or (on in ("stricter", "any") and comparison.stricter)
