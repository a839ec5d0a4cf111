"""Code that a call shows: programs in other languages than the shell's, read where every statement is understood."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..effects import Effect
from ..scene import Scene
from ..shell.command import Nested, SimpleCommand
from ..values import Partial, Value
from .code_awk import read_awk
from .code_effects import CodeEffects
from .code_other import OTHERS
from .code_sed import only_edits, read_sed
from .code_sql import CLIENTS

LONGEST = 50_000
"""How many characters of a program are read."""


def read_code(language: str, text: Value, command: SimpleCommand, scene: Scene) -> list[Effect | Nested]:
    """Say what a program text in *language* does, and what it runs in turn.

    What is not understood, statement for statement, becomes one `unknown` effect with the reason; what was
    understood before it is kept, so that denies still see it. The effects have no `by`: what shown code does is
    covered by grants for paths and URLs only.

    Args:
        language: `python`, `awk`, `sed`, or another name; most others are unknown.
        text: The program.
        command: The simple command that runs it, for its directories, place and span.
        scene: The place of the call.
    """
    reader = _READERS.get(language)
    said = CodeEffects(command, scene, language)
    if isinstance(text, Partial):
        if language == "sed" and only_edits(text, command, scene):
            return []
        said.unknown(f"the {language} code is not known: {text.reason}")
    elif len(text) > LONGEST:
        said.unknown(f"the {language} code is longer than {LONGEST} characters")
    elif reader is None:
        said.unknown(f"code in the language `{language}` is not read")
    else:
        return reader(text, command, scene)
    return said.effects


def _python(text: str, command: SimpleCommand, scene: Scene) -> list[Effect | Nested]:
    from .code_python import read_python

    return read_python(text, command, scene)


_READERS: Mapping[str, Callable[[str, SimpleCommand, Scene], list[Effect | Nested]]] = {
    **CLIENTS,
    **OTHERS,
    "awk": read_awk,
    "python": _python,
    "sed": read_sed,
}
