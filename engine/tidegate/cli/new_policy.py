"""`tidegate new policy`: a first rule file, from answers, from tools or from recorded calls."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import time

import click
from attrs import evolve

from ..calls import Line, parse, read_calls
from ..compile.catalogue import read_catalogue
from ..compile.compiler import compile_plan
from ..compile.examples import check_examples
from ..errors import CallError, Finding
from ..lang.layers import loads
from .drafts import Draft, DraftExample, DraftRule, rendered
from .from_calls import draft_from_calls
from .from_tools import draft_from_tools
from .jsonlines import bounded_lines, dump
from .loading import FILE
from .terminal import errors, output, safe

COMMANDS = ("git status ...", "git diff ...", "git log ...", "ls ...")
DEFAULTS = ("ask", "deny", "allow")


@click.command("policy", short_help="Write a first rule file.")
@click.option(
    "--from",
    "source",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Tools as JSON (for OpenAI, Anthropic, or from MCP), or recorded calls, one on each line.",
)
@click.option("--out", type=FILE, default=Path("rules.toml"), help="Where to write it; `-` prints it.")
@click.option("--default", "default", type=click.Choice(DEFAULTS), help="What becomes of a call that no rule covers.")
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object.")
def policy(source: Path | None, out: Path, default: str | None, *, as_json: bool) -> int:
    """Write a first rule file that passes `tidegate check`.

    Without `--from` a few questions are asked, where there is a terminal. From tools come rules for groups of them,
    from recorded calls grants for what was called. An existing file is never overwritten.
    """
    printed = str(out) == "-"
    if not printed and out.exists():
        raise click.UsageError(f"`{out}` is there already; name another file with `--out`, or print it with `--out -`")
    draft = _asked(default) if source is None else _read(source, default or "ask")
    text = rendered(draft)
    if not printed:
        with out.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    if as_json:
        output().line(dump({"wrote": None if printed else str(out), "toml": text}))
    elif printed:
        sys.stdout.write(text)
    else:
        output().line(f"wrote {out}; see `tidegate check {out}`")
    return 0


def _read(source: Path, default: str) -> Draft:
    """The draft from a file of tools or of calls, whichever it is."""
    with source.open("rb") as stream:
        lines = list(read_calls(bounded_lines(stream)))
    calls = [line.call for line in lines if line.call is not None]
    if calls:
        _tell(line for line in lines if line.call is None)
        return draft_from_calls(calls, default)
    try:
        return draft_from_tools(read_catalogue(parse(source.read_bytes())), default)
    except CallError as error:
        first = lines[0].error if lines else "it is empty"
        raise CallError(f"`{source}` holds neither calls ({first}) nor tools ({error})") from None


def _tell(broken: Iterator[Line]) -> None:
    for line in broken:
        errors().line(f"passed over: {line.error}")


def _asked(default: str | None) -> Draft:
    """The draft from a few answers; where nobody can be asked, from those that a careful person gives."""
    there = sys.stdin.isatty() and sys.stderr.isatty()
    if not there:
        return _from_answers(default or "ask", "{root}", list(COMMANDS), [])
    if default is None:
        question = "What becomes of a call that no rule covers"
        default = click.prompt(question, type=click.Choice(DEFAULTS), default="ask", err=True)
    folder = _prompt(
        "Which folder may be read and changed ({root} is the project)",
        "{root}",
        lambda text: _from_answers(default, _folder(text), [], []),
    )
    commands = _prompt(
        "Which commands may run, with commas between",
        ", ".join(COMMANDS),
        lambda text: _from_answers(default, "{root}", _split(text), []),
    )
    hosts = _prompt(
        "Which hosts may be reached over https, with commas between",
        "",
        lambda text: _from_answers(default, "{root}", [], _split(text)),
    )
    return _from_answers(default, _folder(folder), _split(commands), _split(hosts))


def _prompt(question: str, default: str, draft: Callable[[str], Draft]) -> str:
    """Ask until the file that comes of the answer is one that passes `tidegate check`."""

    def checked(text: str) -> str:
        wrong = _first_wrong(draft(text))
        if wrong is not None:
            raise click.UsageError(safe(f"{wrong.what}; {wrong.mend}"))
        return text

    return str(click.prompt(question, default=default, value_proc=checked, err=True))


def _first_wrong(draft: Draft) -> Finding | None:
    """The first finding about a draft, warnings included."""
    loaded = loads(rendered(draft))
    outcome = compile_plan(loaded, now=time())
    return next(iter([*outcome.findings, *check_examples(outcome)]), None)


def _folder(text: str) -> str:
    return text.strip().rstrip("/")


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _from_answers(default: str, folder: str, commands: list[str], hosts: list[str]) -> Draft:
    # Under `default = "allow"` a grant would do nothing: what was named is all that may happen.
    names = "only" if default == "allow" else "allow"
    inside = "allow" if names == "allow" else "pass"
    outside = "pass" if names == "allow" else "deny"
    rules = [_workspace(folder, names, inside, outside)]
    if commands:
        rules.append(_held(default, _commands(commands, names, inside)))
    if hosts:
        rules.append(_hosts(hosts, names, inside, outside))
    return Draft(default, tuple(rules))


def _held(default: str, rule: DraftRule) -> DraftRule:
    """The rule, without its examples where they do not hold: what a command does, its pattern need not grant."""
    return rule if _first_wrong(Draft(default, (rule,))) is None else evolve(rule, examples=())


def _workspace(folder: str, names: str, inside: str, outside: str) -> DraftRule:
    examples: tuple[DraftExample, ...] = ()
    if folder == "{root}":
        examples = (
            DraftExample("read_file", {"path": "src/a.py"}, inside),
            DraftExample("read_file", {"path": "../elsewhere/a.py"}, outside),
        )
    return DraftRule(
        "workspace",
        "path",
        "Files in this folder may be read and changed, by whatever tool or command.",
        {names: [f"{folder}/**"]},
        examples,
    )


def _commands(commands: list[str], names: str, inside: str) -> DraftRule:
    plain = [text for text in commands if not set("*?[]{}'\"\\") & set(text)]
    examples = [DraftExample("run_bash", {"command": text.removesuffix("...").strip()}, inside) for text in plain[:1]]
    hint = "A final `...` admits further operands, and options that change nothing and run nothing."
    return DraftRule(
        "everyday-commands", "command", "These commands may run.", {names: commands}, tuple(examples), (hint,)
    )


def _hosts(hosts: list[str], names: str, inside: str, outside: str) -> DraftRule:
    urls = [host if "://" in host else f"https://{host}" for host in hosts]
    examples = []
    if not set("*?[]") & set(urls[0]):
        examples = [
            DraftExample("http_get", {"url": f"{urls[0].rstrip('/')}/"}, inside),
            DraftExample("http_get", {"url": "https://elsewhere.example/"}, outside),
        ]
    return DraftRule("hosts", "url", "These hosts may be reached.", {names: urls}, tuple(examples))
