"""`tidegate fuzz`: looks for calls that slip through the rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from ..assurance.fuzz import EXAMPLES, PROPERTIES, Job, fuzz_many, run_job
from ..assurance.suites import Ran, RulePaths, Suite, gather, ran
from ..calls import read_calls
from ..errors import CallError, Finding
from ..kernel.json_values import compact, thaw
from ..shown import escape
from .jsonlines import bounded_lines, dump, opened
from .loading import FILE, catalogue_at, finding_lines, layer_options
from .suites import chosen
from .terminal import Screen, errors, output

USUAL = "fuzz.test.toml"
MISSING = "fuzzing needs Hypothesis: install `tidegate[fuzz]`"


@click.command("fuzz", short_help="Look for calls that slip through the rules.")
@click.argument("paths", type=FILE, nargs=-1, metavar="[RULES|FILES]...")
@layer_options
@click.option(
    "--examples", type=click.IntRange(1), default=EXAMPLES, show_default=True, help="Calls for each property."
)
@click.option("--time", "seconds", type=click.FloatRange(0, min_open=True), help="Go on for so many seconds.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Where chance begins.")
@click.option("--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="Processes that look.")
@click.option("--property", "wanted", type=click.Choice(PROPERTIES), multiple=True, help="Try only this; repeatable.")
@click.option("--tools", type=FILE, help="All tools of the agent, as JSON for OpenAI, Anthropic or from MCP.")
@click.option("--calls", "recorded", type=FILE, help="Recorded calls to grow from, one JSON object a line.")
@click.option("--database", help="Keep examples in this folder, or in the Redis at this URL, for other runs.")
@click.option("--regressions", type=FILE, help=f"The file of what was found; `{USUAL}` beside RULES.")
@click.option("--dry-run", is_flag=True, help="Write nothing.")
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text", help="How it is told.")
@click.option("--json", "form", flag_value="json", help="The same as `--format json`.")
def command(  # noqa: PLR0913 - one parameter for each option
    *,
    paths: tuple[Path, ...],
    managed: Path | None,
    user: Path | None,
    examples: int,
    seconds: float | None,
    seed: int,
    workers: int,
    wanted: tuple[str, ...],
    tools: Path | None,
    recorded: Path | None,
    database: str | None,
    regressions: Path | None,
    dry_run: bool,
    form: str,
) -> int:
    """Look for calls that slip through the rules, with Hypothesis.

    Calls are made of what the rules mention and its neighbours, grown from examples, tests and recorded calls, and
    spelled otherwise. No call that is denied may be allowed when it is spelled otherwise (`evasion`), none that is
    allowed refused when it is written a little differently (`friction`), every call is read and decided (`law`), and
    every `[[invariant]]` of the test files holds.

    What is found is shrunk, explained and written as a `[[test]]` to a file that the next run replays first. The same
    rules, options and seed give the same answer, unless `--time` or `--database` is given. Exit code 1 means that
    something was found.
    """
    try:
        from ..assurance.fuzzing.regressions import write
    except ImportError:
        raise click.UsageError(MISSING) from None
    suite, files, kept = _suite(paths, managed, user, regressions)
    if suite.broken:
        _tell(suite.findings)
        return 1
    still = [one for one in _replayed(suite, kept) if one.finding is not None]
    job = Job(
        paths=suite.paths,
        files=files,
        base=Path.cwd(),
        seeds=_recorded(recorded),
        catalogue=() if tools is None else catalogue_at(tools),
        properties=wanted or PROPERTIES,
        examples=examples,
        seconds=seconds,
        seed=seed,
        database=database,
    )
    found = fuzz_many(job, workers) if workers > 1 else run_job(job)
    written = kept if found.violations and not dry_run else None
    if written is not None:
        write(written, found.violations, _top(suite.paths))
    screen = output()
    if form == "json":
        screen.line(dump(_as_json(found, still, written, seed)))
    else:
        for line in _lines(found, still, written, seed, screen):
            screen.line(line)
    return 1 if found.violations or still else 0


def _tell(findings: Iterable[Finding]) -> None:
    """Write findings to standard error."""
    for finding in findings:
        for line in finding_lines(finding):
            errors().line(line)


def _top(paths: RulePaths) -> Path:
    """The rule file that what was found is about."""
    return paths.project or paths.managed or paths.user or Path()


def _suite(
    paths: Sequence[Path], managed: Path | None, user: Path | None, regressions: Path | None
) -> tuple[Suite, tuple[Path, ...], Path]:
    """The suite, the test files that are about it, and where what was found is kept."""
    what = chosen(paths, managed, user)
    suites, findings = what.gathered()
    if findings:
        _tell(findings)
        raise click.UsageError("a test file is broken")
    if len(suites) != 1:
        raise click.UsageError("name the rules that are to be fuzzed" if not suites else "name one rule set")
    suite = suites[0]
    kept = regressions or _top(suite.paths).parent / USUAL
    files = tuple(file.path for file in suite.files)
    if kept.exists() and kept.resolve() not in {file.resolve() for file in files}:
        files = (*files, kept)
        suite = _again(suite.paths, files)
    return suite, files, kept


def _again(paths: RulePaths, files: tuple[Path, ...]) -> Suite:
    suites, findings = gather(paths, files, Path.cwd())
    if findings or len(suites) != 1:
        _tell(findings)
        raise click.UsageError("the file of what was found is broken, or about other rules")
    return suites[0]


def _replayed(suite: Suite, kept: Path) -> Iterator[Ran]:
    """What becomes of the calls that were found before."""
    for file in suite.files:
        if kept.exists() and file.path.resolve() == kept.resolve():
            for test in file.tests:
                yield ran(suite, file, test)


def _recorded(path: Path | None) -> tuple[Any, ...]:
    if path is None:
        return ()
    with opened(str(path)) as stream:
        lines = list(read_calls(bounded_lines(stream)))
    broken = next((line.error for line in lines if line.call is None), None)
    if broken:
        raise CallError(f"`{path}`: {broken}")
    return tuple(
        {"tool": line.call.tool.name, "args": thaw(line.call.arguments)} for line in lines if line.call is not None
    )


def _lines(found: Any, still: Sequence[Ran], written: Path | None, seed: int, screen: Screen) -> Iterator[str]:
    for one in still:
        yield screen.paint(f"still broken: {escape(one.name)} ({escape(one.file)}:{one.line})", "deny")
        yield from (f"  {line}" for line in one.trace)
    for violation in found.violations:
        yield screen.paint(f"{violation.property}: {escape(violation.told)}", "deny")
        if violation.how:
            yield f"  spelled with: {escape(violation.how)}"
        if len(violation.calls) > 1:
            yield f"  {len(violation.calls)} calls, the last of which:"
        yield f"  call: {escape(compact(thaw(violation.calls[-1])), 2_000)}"
        yield f"  {violation.said[-1]} by {escape(violation.by)}, and {violation.wanted} is wanted"
        yield from (f"  {line}" for line in violation.trace[2:])
    if written is not None:
        yield f"written to {escape(str(written))}"
    yield _summary(found, still, seed, screen)


def _summary(found: Any, still: Sequence[Ran], seed: int, screen: Screen) -> str:
    tried = sum(found.tried.values())
    rate = f", {tried / found.seconds:,.0f} a second" if found.seconds and screen.terminal else ""
    each = ", ".join(f"{name} {count:,}" for name, count in found.tried.items())
    again = f"{len(still)} known, " if still else ""
    return f"{again}{len(found.violations)} found in {tried:,} examples ({each}; seed {seed}{rate})"


def _as_json(found: Any, still: Sequence[Ran], written: Path | None, seed: int) -> dict[str, Any]:
    return {
        "seed": seed,
        "tried": found.tried,
        "seconds": round(found.seconds, 3),
        "still": [{"name": one.name, "file": one.file, "line": one.line} for one in still],
        "found": [
            {
                "property": one.property,
                "about": one.about,
                "told": one.told,
                "how": one.how,
                "calls": [thaw(call) for call in one.calls],
                "said": list(one.said),
                "wanted": one.wanted,
                "by": one.by,
                "trace": list(one.trace),
            }
            for one in found.violations
        ],
        "written": None if written is None else str(written),
    }
