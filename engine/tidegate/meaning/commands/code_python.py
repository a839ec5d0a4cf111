"""Python that a call shows: straight code with constant arguments is read, anything else is unknown."""

from __future__ import annotations

import ast

from ..effects import Effect
from ..scene import Scene
from ..shell.command import Nested, SimpleCommand
from .code_effects import CodeEffects
from .python_statements import Statements

_MOST_NODES = 5_000


def read_python(text: str, command: SimpleCommand, scene: Scene) -> list[Effect | Nested]:
    """Say what a Python program does; each statement that is not understood is one `unknown` effect."""
    said = CodeEffects(command, scene, "python")
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        said.unknown("the Python code does not parse")
        return said.effects
    if sum(1 for _ in ast.walk(tree)) > _MOST_NODES:
        said.unknown("the Python code is longer than what is read")
        return said.effects
    Statements(said, {}).run(tree.body)
    return said.effects
