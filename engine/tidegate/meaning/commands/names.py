"""Names of programs: as spelled, and as denies look them up."""

from __future__ import annotations

from ..lookalikes import fold
from ..values import Partial, Value
from .text import last_component

_SUFFIXES = (".exe", ".com", ".cmd", ".bat")


def program_name(word: Value) -> Value:
    """The base name of a program as it is spelled in the first word of a command."""
    if isinstance(word, Partial):
        return last_component(word)
    return word.rpartition("/")[2] if "/" in word else word


def fold_program(name: str) -> str:
    """The name under which denies look a program up: case, `.exe`, trailing dots and look-alikes folded."""
    folded = fold(name).rpartition("/")[2].rstrip(". ").lstrip()
    for suffix in _SUFFIXES:
        folded = folded.removesuffix(suffix)
    return folded
