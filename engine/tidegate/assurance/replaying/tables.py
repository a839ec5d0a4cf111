"""Tables of calls, read by DuckDB: Parquet, and JSON lines that are packed, spread over many files, or elsewhere.

Rows come as they are needed, in the order of the files, so that a table may be larger than the memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...calls import KEYS, MAX_LINE
from ...errors import CallError, TidegateError
from ...shown import quote
from .entry import Piece, Place
from .sources import Source, source_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MISSING = "tables need DuckDB: install `tidegate[replay]`"
AT_ONCE = 1_000

_NEEDED = ("tool", "args")
_COLUMNS = (*KEYS, "effect", "rule")
_PARQUET = re.compile(r"\.(parquet|pq)$", re.IGNORECASE)
_PACKED = re.compile(r"\.(gz|zst)$", re.IGNORECASE)
_ELSEWHERE = re.compile(r"://|[*?\[]")
_NO_JSON = b"not JSON"


class NoTable(TidegateError):
    """A table cannot be read."""

    code = "NO_TABLE"


def is_table(name: str) -> bool:
    """Whether a source of this name is for DuckDB: Parquet, a packed file, a pattern of names, a URL."""
    if _PARQUET.search(name) or _PACKED.search(name):
        return True
    return bool(_ELSEWHERE.search(name)) and not Path(name).exists()


def table_at(name: str, index: int, form: str | None = None) -> Source:
    """The source that a file, a pattern of file names or a URL stands for.

    Parquet has a row for each call: `tool` and `args` (a text of JSON or a structure, whose nulls are left out), and
    what else a call has; `effect` and `rule` tell what was decided. Other files have JSON on each line; one that is
    broken is a line without a call.

    Raises:
        NoTable: DuckDB is missing or cannot read it.
        CallError: The table has no column for the tool or its arguments, or nothing tells the format of the lines.
    """
    try:
        import duckdb
    except ImportError:
        raise NoTable(MISSING) from None
    connection = duckdb.connect(config={"threads": 1})
    if _PARQUET.search(name):
        described = _fetched(connection, name, "DESCRIBE FROM read_parquet(?)", [name])
        ((size,),) = _fetched(connection, name, "SELECT count(*) FROM read_parquet(?)", [name])
        return Source(name, "table", _rows(connection, name, index, {row[0]: row[1] for row in described}), size)
    query = "SELECT json FROM read_ndjson_objects(?, ignore_errors = true, maximum_object_size = ?)"
    rows = _fetched(connection, name, query, [name, MAX_LINE])
    return source_of(name, index, (_NO_JSON if line is None else line.encode() for (line,) in rows), form)


def _rows(connection: DuckDBPyConnection, name: str, index: int, columns: Mapping[str, str]) -> Iterator[Piece]:
    for needed in _NEEDED:
        if needed not in columns:
            raise CallError(f"{quote(name)} has no column `{needed}`; it has {', '.join(map(quote, columns))}")
    wanted = [column for column in _COLUMNS if column in columns]
    selected = ", ".join(_selected(column, columns[column]) for column in wanted)
    rows = _fetched(connection, name, f"SELECT {selected} FROM read_parquet(?)", [name])  # noqa: S608 - names of ours
    return (Piece(Place(index, number), _row(wanted, row), 1) for number, row in enumerate(rows, 1))


def _selected(column: str, kind: str) -> str:
    """A column as it is wanted; a time is told in seconds."""
    return f'epoch("{column}")' if column == "at" and kind.startswith("TIMESTAMP") else f'"{column}"'


def _fetched(connection: DuckDBPyConnection, name: str, query: str, given: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """The rows of a query, as they are needed.

    Raises:
        NoTable: DuckDB cannot read them.
    """
    import duckdb

    try:
        cursor = connection.cursor().execute(query, given)
        while some := cursor.fetchmany(AT_ONCE):
            yield from some
    except duckdb.Error as error:
        said = str(error).split("\n", 1)[0]
        raise NoTable(f"{quote(name)}: {quote(said, 200)}") from None


def _row(columns: Sequence[str], values: Sequence[Any]) -> Any:
    """The row by its columns; what is null is not there."""
    return _present(dict(zip(columns, values, strict=True)))


def _present(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _present(item) for key, item in value.items() if item is not None}
    return [_present(item) for item in value] if isinstance(value, list) else value
