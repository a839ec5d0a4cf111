"""`tidegate ci`: everything that a change of rules must pass, with one summary."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from importlib.util import find_spec
from pathlib import Path
from time import monotonic

import click
from attrs import frozen

from .jsonlines import dump
from .loading import FILE, layer_options
from .terminal import Screen, Style, errors, output

EXAMPLES = 200
FORMS = ("text", "json", "markdown")


@frozen
class Step:
    """One command that was run: what it is for, its exit code, what it wrote, and the seconds that it took.

    A step that was left out has no code, and says why in `wrote`.
    """

    name: str
    code: int | None
    wrote: str
    seconds: float = 0.0

    @property
    def word(self) -> str:
        """What became of it."""
        return {None: "left out", 0: "fine", 1: "found something"}.get(self.code, "could not run")


@click.command("ci", short_help="Check, test, lint, diff and fuzz rules, with one summary.")
@click.argument("rules", type=FILE, default=Path("rules.toml"))
@layer_options
@click.option("--against", metavar="REVISION", help="The git revision that must not be stricter than these rules.")
@click.option("--tools", type=FILE, help="All tools of the agent, as JSON for OpenAI, Anthropic or from MCP.")
@click.option("--examples", type=click.IntRange(1), default=EXAMPLES, show_default=True, help="Calls to fuzz with.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Where chance begins.")
@click.option("--format", "form", type=click.Choice(FORMS), default="text", help="How the summary is written.")
@click.option("--json", "form", flag_value="json", help="The same as `--format json`.")
def command(  # noqa: PLR0913 - one parameter for each option
    *,
    rules: Path,
    managed: Path | None,
    user: Path | None,
    against: str | None,
    tools: Path | None,
    examples: int,
    seed: int,
    form: str,
) -> int:
    """Do everything that a change of rules must pass: check, test, lint, diff and a bounded fuzz.

    What each of them wrote is shown where it found something, and then one line for each. With `--against` these rules
    must not be looser than those of that revision. Exit code 1 means that one of them found something, 2 that one
    could not run.
    """
    layers = [word for name, path in (("--managed", managed), ("--user", user)) if path for word in (name, str(path))]
    given = [] if tools is None else ["--tools", str(tools)]
    fuzz = ["fuzz", str(rules), *layers, *given, "--examples", str(examples), "--seed", str(seed), "--dry-run"]
    wanted = {
        "check": ["check", str(rules), *layers, *given],
        "test": ["test", str(rules), *layers],
        "lint": ["lint", str(rules), *layers, *given],
        "diff": None if against is None else ["diff", str(rules), *layers, "--git", against, "--fail-on", "looser"],
        "fuzz": fuzz if find_spec("hypothesis") is not None else None,
    }
    steps = []
    for name, words in wanted.items():
        step = Step(name, None, _WHY_NOT[name]) if words is None else _run(name, words)
        steps.append(step)
        errors().line(f"{name}: {step.word}")
    write = {"text": _text, "json": _json, "markdown": _markdown}[form]
    for line in write(steps, output()):
        sys.stdout.write(f"{line}\n")
    return max((step.code or 0 for step in steps), default=0)


_WHY_NOT = {
    "diff": "no revision to compare with was named (`--against`)",
    "fuzz": "Hypothesis is not installed (`tidegate[fuzz]`)",
}


def _run(name: str, words: Sequence[str]) -> Step:
    """Run one command of ours and keep what it writes."""
    from .app import run

    wrote, began = io.StringIO(), monotonic()
    with redirect_stdout(wrote), redirect_stderr(wrote):
        code = run(words)
    return Step(name, code, wrote.getvalue().rstrip(), monotonic() - began)


def _text(steps: Sequence[Step], screen: Screen) -> Iterator[str]:
    for step in steps:
        if step.code:
            yield screen.paint(f"== {step.name}", "bold")
            yield step.wrote
            yield ""
    width = max(len(step.name) for step in steps)
    for step in steps:
        style: Style = "dim" if step.code is None else "allow" if step.code == 0 else "deny"
        yield f"{step.name.ljust(width)}  {screen.paint(step.word, style)}{_more(step)}"


def _markdown(steps: Sequence[Step], _: Screen) -> Iterator[str]:
    """For the summary of a run, or a comment."""
    yield "| step | outcome | |"
    yield "|---|---|---|"
    for step in steps:
        yield f"| {step.name} | {step.word} | {_more(step).removeprefix(': ').replace('|', chr(92) + '|')} |"
    for step in steps:
        if step.code:
            fence = "`" * max(3, max(map(len, _ticks(step.wrote)), default=0) + 1)
            yield f"\n**{step.name}**\n\n{fence}text\n{step.wrote}\n{fence}"


def _json(steps: Sequence[Step], _: Screen) -> Iterator[str]:
    told = [{"step": one.name, "code": one.code, "outcome": one.word, "wrote": one.wrote} for one in steps]
    yield dump({"steps": told})


def _ticks(text: str) -> Iterator[str]:
    """Every run of backticks: a fence around them must be longer."""
    run = ""
    for char in [*text, ""]:
        if char == "`":
            run += char
        elif run:
            yield run
            run = ""


def _more(step: Step) -> str:
    """The last line of what a step wrote, which sums it up."""
    last = step.wrote.rsplit("\n", 1)[-1].strip().removeprefix("fine: ")
    return f": {last}" if last else ""
