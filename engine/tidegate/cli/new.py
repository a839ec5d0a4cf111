"""`tidegate new`: a first policy, a rule, a kind."""

from __future__ import annotations

import re

import click

from ..kind import Kind
from ..kinds import builtin, builtin_names, installed_names, third_party
from ..lang.nearest import nearest
from .jsonlines import dump
from .new_exceptions import exceptions
from .new_kind import kind
from .new_pins import pins
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
@click.option("--installed", is_flag=True, help="KIND is one of an installed package, whose code is run for it.")
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object.")
def rule(name: str, identifier: str | None, *, installed: bool, as_json: bool) -> int:
    """Print a rule of KIND with its examples, to be pasted into a rule file and changed."""
    if identifier is not None and not _ID.fullmatch(identifier):
        raise click.UsageError("an `id` is made of small letters, digits, `.`, `_` and `-`")
    found = _kind(name, installed=installed)
    if not found.examples:
        raise click.UsageError(f"the kind `{name}` shows no example")
    text = found.examples[0].toml
    if identifier is not None:
        text = _FIRST_ID.sub(f'id = "{identifier}"', text, count=1)
    screen = output()
    if as_json:
        screen.line(dump({"kind": name, "summary": found.summary, "toml": text}))
        return 0
    screen.line(f"# {found.summary}")
    if installed:
        screen.line(f'# The top rule file must name the kind: kinds = ["{name}"]')
    screen.line(text.rstrip("\n"))
    return 0


def _kind(name: str, *, installed: bool) -> Kind:
    """The kind of that name; that of a package only where this was asked for, since its code runs."""
    offered = installed_names()
    if installed and name in offered:
        return third_party([name])[name]
    if not installed and name in builtin_names():
        return builtin(name)
    if not installed and name in offered:
        raise click.UsageError(f"`{name}` is a kind of an installed package; add `--installed`")
    known = offered if installed else [*builtin_names(), *offered]
    close = nearest(name, known)
    there = f"there are {', '.join(known)}" if known else "no installed package offers one"
    raise click.UsageError(f"there is no kind `{name}`; " + (f"did you mean `{close}`" if close else there))


command.add_command(policy)
command.add_command(rule)
command.add_command(kind)
command.add_command(pins)
command.add_command(exceptions)
