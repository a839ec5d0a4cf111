"""SQL on the command line of a client, with the client's own commands between the statements."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial

from ..effects import Effect, SqlTarget
from ..scene import Scene
from ..shell.command import Nested, SimpleCommand
from .code_effects import CodeEffects

_ESCAPES = re.compile(
    r"(?:^|\n)\s*\.|\\|\b(?:load_extension|writefile|readfile|edit|attach|into\s+(?:out|dump)file|load_file|infile|program|copy"
    r"|pg_read\w*|pg_ls\w*|lo_import|lo_export|system|source|dblink\w*|create\s+(?:extension|function|language)|vacuum\s+into)\b",
    re.IGNORECASE,
)
# Commands that show or arrange, alone on their line and without quotes, so that no line of a string is taken for more.
_PSQL = re.compile(
    r"\s*\\(?:d[a-zA-Z]*\+?|l\+?|z|conninfo|x|timing|echo|qecho|t|a|pset|encoding|errverbose|q)(?:\s[\w\s.*-]*)?"
)
_SQLITE = re.compile(
    r"\s*\.(?:tables?|schema|fullschema|databases|dbinfo|index(?:es)?|indices|headers?|mode|width|nullvalue|separator|timer|stats"
    r"|eqp|changes|echo|bail|show|explain|help|quit|exit)(?:\s[\w\s.*%-]*)?"
)
_SHOWN_DOWN = re.compile(r"\s*\\[gG]\s*$")
_CLIENTS: Mapping[str, tuple[str, re.Pattern[str] | None]] = {
    "duckdb": ("duckdb", _SQLITE),
    "mysql": ("mysql", None),
    "psql": ("postgres", _PSQL),
    "snowflake": ("snowflake", None),
    "sql": ("", None),
    "sqlite": ("sqlite", _SQLITE),
    "tsql": ("tsql", None),
}
"""Languages of clients of a database: the dialect of each, and the lines that only arrange what it shows."""


def read_sql(language: str, text: str, command: SimpleCommand, scene: Scene) -> list[Effect | Nested]:
    """Hand the SQL on that a client is given to run; what its own language escapes to is not understood beside it.

    A grant for the client covers the SQL as well: that it changes the database's state is said of the client.
    """
    dialect, arranges = _CLIENTS[language]
    if language == "mysql":
        text = _SHOWN_DOWN.sub("", text)
    lines = text.split("\n") if arranges is not None else [text]
    text = "\n".join(line for line in lines if arranges is None or arranges.fullmatch(line) is None)
    said = CodeEffects(command, scene, language)
    if _ESCAPES.search(text):
        said.unknown(f"what the {language} client is told besides its SQL is not understood")
    if not text.strip():
        return said.effects
    target = SqlTarget(text, dialect) if dialect else text
    return [Effect("query", target, span=command.span, inherent=True, place=command.place), *said.effects]


CLIENTS: Mapping[str, Callable[[str, SimpleCommand, Scene], list[Effect | Nested]]] = {
    name: partial(read_sql, name) for name in _CLIENTS
}
"""The readers of what clients of databases are told, by language."""
