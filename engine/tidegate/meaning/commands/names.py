"""Names of programs: as spelled, and as denies look them up."""

from __future__ import annotations

import re

from ..lookalikes import fold
from ..values import Partial, Value
from .table import Table
from .text import last_component

_VERSION = re.compile(r"-?[0-9]+(?:\.[0-9]+)*$")
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


def deny_names(program: str, table: Table) -> tuple[str, ...]:
    """Every name under which a deny may mean *program*: folded, and without its version where the table says so.

    `python3.12` is meant by a deny of `python3.12`, `python3` or `python`.
    """
    folded = fold_program(program)
    names = [folded]
    match = _VERSION.search(folded)
    if match is not None and table.versioned(folded[: match.start()]):
        version = match[0].split(".")
        names += [folded[: match.start()] + ".".join(version[:count]) for count in range(len(version) - 1, 0, -1)]
        names.append(folded[: match.start()])
    return tuple(names)
