"""One SQL statement as rules see it."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

StatementKind = Literal[
    "alter",
    "attach",
    "begin",
    "call",
    "commit",
    "copy",
    "create",
    "delete",
    "describe",
    "detach",
    "drop",
    "execute",
    "explain",
    "grant",
    "insert",
    "load",
    "merge",
    "other",
    "pragma",
    "revoke",
    "rollback",
    "select",
    "set",
    "show",
    "truncate",
    "update",
    "use",
]
"""The kinds of statements; `other` is what has no name of its own."""

STATEMENTS: tuple[str, ...] = get_args(StatementKind)

TableName = tuple[str, ...]
"""A table as it is named, its own name last: `("public", "orders")`; parts are folded as the dialect does."""


class Statement(NamedTuple):
    """One statement.

    `kinds` are what it is and the kinds of what it holds (a `DELETE` in a CTE, the table of a `SELECT … INTO`).
    `writes` says why it is not known to be read-only, `hidden` why it may reach tables that it does not name, and
    `opaque` why nobody sees what it does at all; each is empty where there is no such reason. `tables` are those
    that it names, without CTEs. `unfiltered` is set where an `UPDATE` or `DELETE` has no condition. `query` tells
    that it returns the rows of a query, at most `rows` of them where it says so.
    """

    kinds: frozenset[str]
    writes: str
    hidden: str
    opaque: str
    tables: tuple[TableName, ...]
    unfiltered: bool
    query: bool
    rows: int | None


class Reading(NamedTuple):
    """A text in one dialect: its statements, and whether it has comments."""

    statements: tuple[Statement, ...]
    comments: bool
