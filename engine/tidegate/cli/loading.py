"""What commands that load rules have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click
from attrs import evolve

from ..audit.record import Recorder
from ..calls import parse
from ..compile.catalogue import Described, read_catalogue
from ..engine import Engine
from ..errors import CallError, Finding
from ..facts.local import local_facts
from .terminal import errors, safe

Command = TypeVar("Command", bound=Callable[..., Any])

FILE = click.Path(path_type=Path)


def layer_options(command: Command) -> Command:
    """Add `--managed` and `--user`, the rule files of the other layers."""
    user = click.option("--user", type=FILE, help="The rule file of the person, under the project's.")
    managed = click.option("--managed", type=FILE, help="The rule file of the machine, over the project's.")
    return managed(user(command))


def load_engine(
    rules: Path,
    managed: Path | None,
    user: Path | None,
    *,
    recorders: Iterable[Recorder] = (),
    own: Iterable[Path] = (),
    fresh_shells: bool = False,
    elsewhere: bool = False,
) -> Engine:
    """Load rules for calls of this machine; warnings go to standard error.

    Args:
        rules: The project's rule file.
        managed: That of the layer above.
        user: That of the layer below.
        recorders: Get the record of every decision.
        own: Further files that no judged call may change.
        fresh_shells: Whether whoever runs the calls starts a shell for each, with the variables of this process and no
            others (`Facts.complete_environment`).
        elsewhere: Whether the calls run on another machine, so that files, folders and variables of this one tell
            nothing of them.

    Raises:
        RuleError: The rules have an error.
    """
    facts = local_facts()
    if elsewhere:
        facts = evolve(facts, cwd=lambda: None, home=None, homes={}, files=None, environment={}, digest=None)
    files = (*facts.own, *(path.absolute().as_posix() for path in own))
    facts = evolve(facts, own=files, complete_environment=fresh_shells)
    engine = Engine.load(rules, managed=managed, user=user, facts=facts, recorders=recorders)
    screen = errors()
    for finding in engine.findings:
        for line in finding_lines(finding):
            screen.line(line)
    return engine


def finding_lines(finding: Finding) -> list[str]:
    """The lines of a finding, escaped."""
    return [safe(line) for line in str(finding).split("\n")]


def catalogue_at(path: Path) -> tuple[Described, ...]:
    """The tools of the agent, from a JSON file.

    Raises:
        CallError: It holds no list of tools.
        OSError: It cannot be read.
    """
    try:
        return read_catalogue(parse(path.read_bytes()))
    except CallError as error:
        raise CallError(f"`{path}`: {error}") from None
