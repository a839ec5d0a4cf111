"""Command lines that stand behind a program without an entry, of which nobody knows that it runs none."""

from __future__ import annotations

from collections.abc import Iterator

from ..effects import Invocation
from ..scene import Scene
from ..shell.command import SimpleCommand, Word
from ..values import unknown
from .interpret import interpret
from .names import deny_names, program_name
from .table import Table

MOST_WORDS = 64
"""How many words are tried as the beginning of a command line."""


def commands_behind(
    invocation: Invocation, programs: frozenset[str] | None, scene: Scene, table: Table
) -> Iterator[Invocation]:
    """The commands that *invocation* would run, were its program a wrapper: one for each word that names a program.

    Args:
        invocation: A command; one whose program the table knows has nothing behind it that the table does not say.
        programs: Names of programs as denies look them up; other words begin no command. `None` admits any.
        scene: Where it runs.
        table: The entries.
    """
    if invocation.modelled or not isinstance(invocation.program, str):
        return
    words = tuple(Word(value, invocation.span) for value in invocation.words)
    cwd = scene.cwd if scene.cwd is not None else unknown("the folder was not attested")
    for index in range(1, min(len(words), MOST_WORDS)):
        name = program_name(words[index].value)
        if not isinstance(name, str) or (programs is not None and programs.isdisjoint(deny_names(name, table))):
            continue
        wrappers = (*invocation.wrappers, invocation.program)
        command = SimpleCommand(
            words[index:], (), (cwd,), invocation.span, place=invocation.place, wrappers=wrappers, heard=False
        )
        yield interpret(command, scene, table).invocation
