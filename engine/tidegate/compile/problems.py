"""What is wrong with a table, in the words of somebody who writes TOML: each problem at the key that it is about."""

from __future__ import annotations

import attrs
from cattrs.errors import (
    AttributeValidationNote,
    ClassValidationError,
    ForbiddenExtraKeysError,
    IterableValidationNote,
)

from ..kind import Problem
from ..lang.inline import inline
from ..lang.nearest import nearest
from ..lang.words import toml_key
from ..shown import quote

LONGEST_MEND = 120
"""In characters; a longer value is not repeated."""


class Mismatch(Exception):
    """A value is not what its key takes; `meant` is the value that it probably stands for, if there is one."""

    def __init__(self, code: str, what: str, why: str, mend: str, meant: object = None) -> None:
        super().__init__(what)
        self.parts = (code, what, why, mend)
        self.meant = meant


def key_of(name: str) -> str:
    """The TOML key of an attribute: `except_` is `except`."""
    return name.rstrip("_")


def problems_of(error: Exception, kind: type, path: tuple[str | int, ...] = ()) -> list[Problem]:
    """Every problem that *error* holds, each at the key that it is about."""
    if isinstance(error, ClassValidationError):
        owner = error.cl if attrs.has(error.cl) else kind
        problems = []
        for inner in error.exceptions:
            problems += problems_of(inner, owner, path + _step(inner))
        return problems
    if isinstance(error, ForbiddenExtraKeysError):
        return [unknown_key(path, key, known_keys(error.cl)) for key in sorted(error.extra_fields)]
    if isinstance(error, Mismatch):
        return [_shown(error, path)]
    if isinstance(error, KeyError):
        return [missing_key(path[:-1], key_of(str(error.args[0])), kind)]
    raise error


def _shown(mismatch: Mismatch, path: tuple[str | int, ...]) -> Problem:
    """The problem of one value; its mend shows what to write, where that is known and short."""
    code, what, why, mend = mismatch.parts
    if mismatch.meant is not None:
        text = inline(mismatch.meant)
        line = f"{toml_key(path[-1])} = {text}" if path and isinstance(path[-1], str) else text
        if "\n" not in line and len(line) <= LONGEST_MEND:
            mend = f"write {quote(line, None)}"
    return Problem(path, code, what, why, mend)


def _step(error: BaseException) -> tuple[str | int, ...]:
    for note in getattr(error, "__notes__", ()):
        if isinstance(note, AttributeValidationNote):
            return (key_of(note.name),)
        if isinstance(note, IterableValidationNote):
            return (note.index,)
    return ()


def known_keys(kind: type) -> list[str]:
    """The keys that a table of this class takes, in their order."""
    return [key_of(attribute.name) for attribute in attrs.fields(kind)]


def unknown_key(path: tuple[str | int, ...], key: str, known: list[str]) -> Problem:
    """The problem of a key that nobody reads, with the nearest known one."""
    close = nearest(key, known)
    return Problem(
        (*path, key),
        "unknown-key",
        f"unknown key {quote(key, limit=60)}",
        "a rule with an unread key would be weaker than it looks",
        f"write `{close}`" if close else f"the keys here are {', '.join(f'`{name}`' for name in known)}",
    )


def missing_key(path: tuple[str | int, ...], key: str, kind: type) -> Problem:
    """The problem of a required key that is not there."""
    doc = next((a.metadata.get("doc", "") for a in attrs.fields(kind) if key_of(a.name) == key), "")
    return Problem(
        path,
        "missing-key",
        f"the key `{key}` is missing",
        doc[:1].lower() + doc[1:].rstrip(".") if doc else "nothing can be decided without it",
        f"add `{key} = …`",
    )
