"""Commands as they are spelled: where each simple command of a text stands in it."""

from __future__ import annotations

from typing import NamedTuple

import attrs

from ..effects import Effect, Invocation
from ..paths import resolve
from ..scene import Scene
from ..shell.command import Reading, SimpleCommand
from ..shell.walk import walk
from ..urls import read_host
from ..values import Partial
from .code import read_code
from .interpret import interpret
from .table import Table


class Spelled(NamedTuple):
    """A simple command with the places of its words in the text, and how its words were sorted."""

    command: SimpleCommand
    invocation: Invocation


class Spelling(NamedTuple):
    """All simple commands that a text could run; `unread` says why there may be others, and is empty where not."""

    commands: tuple[Spelled, ...]
    unread: str


def read_spelling(text: str, shell: str, scene: Scene, table: Table, *, persistent: bool = False) -> Spelling:
    """Find every simple command that *text* could run in *shell*, also in what it runs in turn.

    A command within a nested text (`sh -c '…'`) has the places of the word that holds this. One that could run with
    several values of a variable is there once for each. Names of files are not looked up.
    """
    commands: list[Spelled] = []
    scene = attrs.evolve(scene, files=None)

    def note(command: SimpleCommand) -> Reading:
        reading = interpret(command, scene, table)
        commands.append(Spelled(command, reading.invocation))
        return reading

    effects = walk(
        text,
        scene,
        note,
        resolve=resolve,
        read_host=read_host,
        read_code=lambda language, code, command: read_code(language, code, command, scene),
        shell=shell,
        persistent=persistent,
    )
    return Spelling(tuple(commands), next(filter(None, map(_unread, effects)), ""))


def _unread(effect: Effect) -> str:
    """Why an effect may be a command that is not known, or nothing.

    What is not known of a command whose program is known (which files it reaches) hides no other.
    """
    known = effect.by is not None and not isinstance(effect.by.program, Partial)
    return "" if effect.kind != "unknown" or known else str(effect.target)
