"""Code that a call shows: programs in other languages than the shell's, read where every statement is understood."""

from __future__ import annotations

from ..effects import Effect
from ..scene import Scene
from ..shell.command import Nested, SimpleCommand
from ..values import Value


def read_code(language: str, text: Value, command: SimpleCommand, scene: Scene) -> list[Effect | Nested]:
    """Say what a program text in *language* does, and what it runs in turn.

    What is not understood, statement for statement, becomes one `unknown` effect with the reason; what was
    understood before it is kept, so that denies still see it. The effects have no `by`: what shown code does is
    covered by grants for paths and URLs only.

    Args:
        language: `python`, `awk`, `sed`, or another name, whose text is then unknown.
        text: The program.
        command: The simple command that runs it, for its directories, place and span.
        scene: The place of the call.
    """
    raise NotImplementedError
