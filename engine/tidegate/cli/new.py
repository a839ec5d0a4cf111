"""`tidegate new`: a first policy, a rule, a kind."""

from __future__ import annotations

import re

import click

from ..kinds import builtin, builtin_names
from ..lang.nearest import nearest
from .jsonlines import dump
from .new_kind import kind
from .new_policy import policy
from .terminal import output

_ID = re.compile(r"[a-z0-9][a-z0-9._-]*")
_FIRST_ID = re.compile(r'^id = "[^"]*"$', re.MULTILINE)


@click.group("new", short_help="Write a first policy, a rule, or a kind of your own.")
def command() -> None:
    """Write a first policy, a rule, or a kind of your own."""


@click.command("rule", short_help="Print a rule of one kind, with examples.")
@click.argument("name", metavar="KIND")
@click.option("--id", "identifier", help="The rule's `id`.")
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object.")
def rule(name: str, identifier: str | None, *, as_json: bool) -> int:
    """Print a rule of KIND with its examples, to be pasted into a rule file and changed."""
    if name not in builtin_names():
        close = nearest(name, builtin_names())
        known = ", ".join(builtin_names())
        raise click.UsageError(
            f"there is no kind `{name}`; " + (f"did you mean `{close}`" if close else f"there are {known}")
        )
    if identifier is not None and not _ID.fullmatch(identifier):
        raise click.UsageError("an `id` is made of small letters, digits, `.`, `_` and `-`")
    found = builtin(name)
    text = found.examples[0].toml
    if identifier is not None:
        text = _FIRST_ID.sub(f'id = "{identifier}"', text, count=1)
    screen = output()
    if as_json:
        screen.line(dump({"kind": name, "summary": found.summary, "toml": text}))
        return 0
    screen.line(f"# {found.summary}")
    screen.line(text.rstrip("\n"))
    return 0


command.add_command(policy)
command.add_command(rule)
command.add_command(kind)
