"""Which small wrong edits of the rules no test notices, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from ..assurance.coverage import percent, reaches
from ..assurance.mutants import Mutant, mutants
from ..assurance.mutating import Fate, Judgement, Score, judge_all
from ..assurance.suites import Suite, run
from ..shown import escape, quote
from .jsonlines import dump
from .progress import Bar
from .terminal import Screen, errors, output


def show(suite: Suite, fail_under: int, form: str, out: Path | None, workers: int) -> int:
    """Judge all mutants of a suite and write what became of them; the exit code.

    Raises:
        UsageError: Something fails already, or the form is none for mutants.
    """
    if form not in ("text", "json"):
        raise click.UsageError(f"mutants are shown as text or JSON, not as {form}")
    failing = next((one for one in run(suite) if one.finding is not None), None)
    if failing is not None:
        raise click.UsageError(f"{quote(failing.name)} fails as the rules stand; see `tidegate test`")
    score = scored(suite, workers)
    screen = output()
    text = f"{dump(as_json(score))}\n" if form == "json" else "".join(f"{line}\n" for line in lines(score, screen))
    if out is None:
        screen.stream.write(text)
    else:
        out.write_text(text, encoding="utf-8", newline="\n")
    enough = reaches(score.killed, score.counted, fail_under)
    if not enough:
        errors().line(f"less than {fail_under} % of the mutants are noticed")
    return 0 if enough else 1


def scored(suite: Suite, workers: int) -> Score:
    """The score, with a bar on standard error while it is made."""
    found = tuple(mutants(suite.loaded))
    judgements: list[Judgement] = []
    with Bar(errors(), len(found)) as bar:
        for one in judge_all(suite, Path.cwd(), workers):
            judgements.append(one)
            bar.step(one.fate)
    return Score(found, tuple(judgements))


def lines(score: Score, screen: Screen) -> Iterator[str]:
    """Every edit that is not noticed as a difference, then those that change nothing, and the sum."""
    for mutant, _ in score.of("survived"):
        yield from _told(mutant, f"nobody notices: {mutant.edit}", screen)
    for mutant, judgement in score.of("equivalent"):
        yield from _told(mutant, f"equivalent: {mutant.edit}: {judgement.by}", screen)
    yield summary(score)


def summary(score: Score) -> str:
    """How many mutants are noticed, and how many count neither way."""
    share = percent(score.killed, score.counted)
    uncounted: tuple[tuple[Fate, str], ...] = (("equivalent", "change nothing"), ("refused", "are refused at load"))
    rest = [f"{count} {words}" for fate, words in uncounted if (count := score.count(fate))]
    also = f"; {' and '.join(rest)}" if rest else ""
    return f"{score.killed} of {score.counted} mutants are noticed ({share} %){also}"


def _told(mutant: Mutant, what: str, screen: Screen) -> Iterator[str]:
    place = mutant.span
    about = f" of rule {quote(mutant.rule)}" if mutant.path else f" {quote(mutant.rule)}"
    about = about if mutant.rule else ""
    key = f" in `{mutant.path[0]}`" if len(mutant.path) > 1 and mutant.rule else ""
    yield f"{escape(place.file)}:{place.line}:{place.column}: {escape(what)}{key}{about}"
    for sign, text, style in (("-", mutant.before, "deny"), ("+", mutant.after, "allow")):
        for line in text.split("\n") if text else ():
            yield screen.paint(f"  {sign} {escape(line)}", style)  # type: ignore[arg-type]  # both are styles


def as_json(score: Score) -> dict[str, Any]:
    """Everything as one JSON object."""
    fates: tuple[Fate, ...] = ("survived", "equivalent", "killed", "refused")
    return {
        "killed": score.killed,
        "counted": score.counted,
        "percent": percent(score.killed, score.counted),
        "mutants": [_mutant(*one) for fate in fates for one in score.of(fate)],
    }


def _mutant(mutant: Mutant, judgement: Judgement) -> dict[str, Any]:
    return {
        "rule": mutant.rule or None,
        "path": list(mutant.path),
        "edit": mutant.edit,
        "before": mutant.before,
        "after": mutant.after,
        "file": mutant.span.file,
        "line": mutant.span.line,
        "column": mutant.span.column,
        "fate": judgement.fate,
        "by": judgement.by,
    }
