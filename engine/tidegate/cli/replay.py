"""`tidegate replay`: recorded calls judged again, and what has changed."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import click
from attrs import frozen

from ..assurance.replaying.comparing import Task
from ..assurance.replaying.formats import FORMATS
from ..assurance.replaying.judge import Judge
from ..assurance.replaying.replay import Replayed, replay
from ..assurance.replaying.sources import Source, source_of
from ..assurance.replaying.tables import is_table, table_at
from ..assurance.suites import RulePaths
from .diff import side
from .jsonlines import bounded_lines, opened
from .loading import layer_options
from .progress import Share
from .replayed import FORMS, write
from .terminal import errors

USUAL = "rules.toml"


@frozen
class _Places:
    """What the calls stand in, as far as they do not say it."""

    root: str | None
    home: str | None
    here: bool


@click.command("replay", short_help="Judge recorded calls again, and say what has changed.")
@click.argument("calls", nargs=-1, required=True)
@click.option("--rules", "new", default=USUAL, show_default=True, help="The rules by which calls are judged again.")
@click.option("--against", "old", help="The old rules; without it, what the record says was decided.")
@layer_options
@click.option("--from", "source", type=click.Choice(tuple(FORMATS)), help="The format of CALLS, where it is not found.")
@click.option("--root", help="The project's folder of calls that do not say theirs; by default that of the rules.")
@click.option("--home", help="The home folder of calls that do not say theirs; by default that of this account.")
@click.option("--here", is_flag=True, help="The calls were made on this machine: its links and variables count.")
@click.option("--workers", type=click.IntRange(1, 256), help="How many processes judge; by default what is exact.")
@click.option("--format", "form", type=click.Choice(FORMS), default="text", help="How the answer is written.")
@click.option("--json", "form", flag_value="json", help="The same as `--format json`.")
@click.option(
    "--fail-on",
    type=click.Choice(("looser", "stricter", "any")),
    help="Exit with 1 where something is, or where a call could not be compared.",
)
def command(  # noqa: PLR0913 - one for each option
    calls: tuple[str, ...],
    *,
    new: str,
    old: str | None,
    managed: Path | None,
    user: Path | None,
    source: str | None,
    root: str | None,
    home: str | None,
    here: bool,
    workers: int | None,
    form: str,
    fail_on: str | None,
) -> int:
    """Judge recorded calls again by other rules, and group those whose decision has changed. Nothing is executed.

    CALLS are files, or `-`: tidegate's own audit, calls as `decide` reads them, transcripts of Claude Code, messages of
    OpenAI and Anthropic, spans of OpenTelemetry; and tables, with the extra `tidegate[replay]`: Parquet, packed lines,
    patterns of names. NEW and OLD are files, or `REVISION:FILE` for a file in git.

    A line that is no call is counted and told. Where rules count calls, one process judges them all, in their order;
    else all cores do.
    """
    with ExitStack() as stack:
        task, sources = _prepared(
            calls, source, _judges(new, old, (managed, user), _Places(root, home, here), stack), stack
        )
        total = sum(one.size or 0 for one in sources) if all(one.size is not None for one in sources) else None
        with Share(errors(), total) as progress:
            replayed = replay(task, sources, workers, os.cpu_count() or 1, progress.step)
    sys.stdout.writelines(f"{line}\n" for line in write(form, replayed))
    return 1 if _fails(replayed, fail_on) else 0


def _judges(
    new: str, old: str | None, layers: tuple[Path | None, Path | None], places: _Places, stack: ExitStack
) -> tuple[Judge, Judge | None]:
    """Both rule sets, in the same places; what either forbids to change, as its own source, both do."""
    paths = [None if name is None else RulePaths(layers[0], side(name, stack), layers[1]) for name in (new, old)]
    after, before = paths
    assert after is not None  # noqa: S101 - it has a default
    judge = Judge(after, root=places.root, home=places.home, here=places.here)
    if before is None:
        return judge, None
    root, home = judge.around.root, judge.around.home
    other = Judge(before, root=root, home=home, here=places.here, protect=judge.sources)
    return Judge(after, root=root, home=home, here=places.here, protect=other.sources), other


def _prepared(
    calls: Sequence[str], form: str | None, judges: tuple[Judge, Judge | None], stack: ExitStack
) -> tuple[Task, list[Source]]:
    sources = [_source(name, index, form, stack) for index, name in enumerate(calls)]
    new, old = judges
    return Task(new, old, tuple(one.name for one in sources), tuple(one.form for one in sources)), sources


def _source(name: str, index: int, form: str | None, stack: ExitStack) -> Source:
    if is_table(name):
        return table_at(name, index, form)
    stream = stack.enter_context(opened(name))
    size = None if name == "-" else Path(name).stat().st_size
    return source_of(name, index, bounded_lines(stream), form, size)


def _fails(replayed: Replayed, on: str | None) -> bool:
    """Whether something has changed in the direction that is not wanted, or it cannot be told of a call."""
    if on is None:
        return False
    tally = replayed.tally
    changes = tally.changes()
    unwanted = ("looser", "stricter", "rewritten") if on == "any" else (on,)
    return bool(tally.unread or tally.not_compared or any(changes[change] for change in unwanted))
