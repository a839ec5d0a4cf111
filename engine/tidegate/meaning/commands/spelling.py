"""How an entry spells options: `-o FILE, --output=FILE`, as manual pages do."""

from __future__ import annotations

import re
from typing import NamedTuple

_SPELLING = re.compile(
    r"(?P<name>-\Z|--?[^\s=\[\],]+|\+|/[a-z]+|[A-Za-z_]+(?==[A-Z]))"
    r"(?:(?P<optional>\[=?[A-Z]+\])|(?P<required>[ =][A-Z0-9-]+(?: [A-Z0-9-]+)*))?"
)
_SUBJECTS = frozenset({"FILE", "DIR", "URL", "HOST", "COMMAND", "PATH"})


class Spelling(NamedTuple):
    """One spelling of an option: the name, how many words it takes, and which of them has the role."""

    name: str
    takes: int
    which: int


def read_spellings(text: str) -> tuple[Spelling, ...]:
    """Read the spellings of one option.

    A value in brackets is optional and must be attached. Of several values the one called FILE, DIR, URL, HOST,
    PATH or COMMAND has the option's role, else the last.

    Raises:
        ValueError: The text does not spell an option.
    """
    return tuple(map(_read, text.split(", ")))


def _read(text: str) -> Spelling:
    match = _SPELLING.fullmatch(text)
    if match is None:
        raise ValueError(f"`{text}` does not spell an option")
    name = match["name"]
    if match["optional"]:
        return Spelling(name, -1, 0)
    if match["required"] is None:
        return Spelling(name, 0, 0)
    values = match["required"][1:].split(" ")
    subject = next((index for index, value in enumerate(values) if value in _SUBJECTS), len(values) - 1)
    return Spelling(name if name[0] in "-+/" else name + "=", len(values), subject)


def canonical(spellings: tuple[Spelling, ...]) -> str:
    """The name under which an option is known: its first long spelling, else its first."""
    return next((spelling.name for spelling in spellings if spelling.name.startswith("--")), spellings[0].name)
