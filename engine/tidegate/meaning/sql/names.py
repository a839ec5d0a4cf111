"""The tables that a statement names, told apart from the CTEs that it defines."""

from __future__ import annotations

from typing import Any

from .dialects import folded
from .statement import TableName

# What these change is a table, also where a CTE has the same name.
_CHANGING = frozenset({"Create", "Delete", "Drop", "Insert", "Into", "Merge", "Schema", "TruncateTable", "Update"})


class Hidden(Exception):
    """What a statement reads or writes cannot be seen; the text says why."""


def tables_of(statement: Any, dialect: str) -> tuple[TableName, ...]:
    """Every table that *statement* names, once.

    A name is taken for a CTE only where one of that very name is in sight; in doubt it is a table.

    Raises:
        Hidden: A table is named by a function, a file, a variable or a text.
    """
    found: dict[TableName, None] = {}
    _collect(statement, frozenset(), dialect, found)
    return tuple(found)


def _collect(node: Any, ctes: frozenset[str], dialect: str, found: dict[TableName, None]) -> None:
    """Walk in the order of sight: each CTE sees those before it, and itself where it is recursive."""
    with_ = node.args.get("with_")
    if with_ is not None:
        recursive = bool(with_.args.get("recursive"))
        names = [_key(cte.args["alias"].this, dialect) for cte in with_.expressions]
        for index, cte in enumerate(with_.expressions):
            seen = names if recursive else names[:index]
            _collect(cte.this, ctes | frozenset(seen), dialect, found)
        ctes |= frozenset(names)
    if type(node).__name__ == "Table":
        name = _name(node, dialect)
        if name and not (len(name) == 1 and name[0] in ctes):
            found[name] = None
    for key, value in node.args.items():
        changed = key in ("this", "tables") and type(node).__name__ in _CHANGING
        for child in value if isinstance(value, list) else [value]:
            if key != "with_" and hasattr(child, "args"):
                _collect(child, frozenset() if changed else ctes, dialect, found)


def _name(table: Any, dialect: str) -> TableName:
    """The parts of the name of a table; none for a function that stands where a table does."""
    parts = [part for key in ("catalog", "db", "this") if (part := table.args.get(key))]
    if any(type(part).__name__ == "Dot" for part in parts):
        parts = [one for part in parts for one in (part.flatten() if type(part).__name__ == "Dot" else [part])]
    kinds = {type(part).__name__ for part in parts}
    if kinds != {"Identifier"}:
        if len(parts) == 1 and not kinds & {"Var", "Literal", "Parameter", "Placeholder", "Bracket"}:
            return ()
        raise Hidden("a table is named by something else than its name")
    keys = [_key(part, dialect) for part in parts]
    if dialect == "bigquery":
        return tuple(one for key in keys for one in key.split("."))
    if dialect == "duckdb" and any(not key.replace("_", "").replace(" ", "").isalnum() for key in keys):
        raise Hidden("a table may be a file")
    return tuple(keys)


def _key(identifier: Any, dialect: str) -> str:
    return folded(identifier.name, quoted=bool(identifier.args.get("quoted")), dialect=dialect)
