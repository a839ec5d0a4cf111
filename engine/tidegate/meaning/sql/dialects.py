"""The dialects that we read, and when two names in one of them are the same."""

from __future__ import annotations

from typing import Literal

Dialect = Literal["bigquery", "duckdb", "mysql", "postgres", "snowflake", "sqlite", "tsql"]

DIALECTS: tuple[Dialect, ...] = ("postgres", "mysql", "sqlite", "tsql", "bigquery", "snowflake", "duckdb")

CASELESS = frozenset({"duckdb", "sqlite", "tsql"})
"""Dialects in which names that differ in case only are the same, quoted or not."""


def folded(name: str, *, quoted: bool, dialect: str) -> str:
    """The name as the dialect keeps it.

    A quoted name of Snowflake that is not all upper case is another one than it is without quotes, and keeps them.
    """
    if dialect in CASELESS:
        return name.lower()
    if dialect == "postgres":
        return name if quoted else name.lower()
    if dialect == "snowflake":
        return name.lower() if not quoted or name == name.upper() else f'"{name}"'
    return name
