"""What a rule asks of SQL, compared with its statements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ..tri import Tri, Unknown, all_of, any_of
from .statement import Reading, Statement, StatementKind
from .tablepatterns import TablePattern

Condition = Callable[[Statement, str], Tri]
"""Says of one statement in one dialect whether something that the rule asks for holds."""


class Asked(NamedTuple):
    """What must hold of each statement, and what must not; a field that is empty asks for nothing."""

    read_only: bool
    statements: Sequence[StatementKind]
    tables: Sequence[TablePattern]
    where_required: bool
    max_rows: int | None
    deny_statements: Sequence[StatementKind]
    deny_tables: Sequence[TablePattern]

    def needs(self) -> Iterator[Condition]:
        """What each statement must be."""
        if self.read_only:
            yield lambda statement, _: not statement.writes
        if self.statements:
            allowed = frozenset(self.statements)
            yield lambda statement, _: statement.kinds <= allowed and _if_seen(statement, seen=True)
        if self.tables:
            yield _names_only(self.tables)
        if self.where_required:
            yield lambda statement, _: not statement.unfiltered and _if_seen(statement, seen=True)
        if self.max_rows is not None:
            most = self.max_rows
            yield lambda statement, _: not statement.query or (statement.rows is not None and statement.rows <= most)

    def refuses(self) -> Iterator[Condition]:
        """What no statement may be."""
        if self.deny_statements:
            denied = frozenset(self.deny_statements)
            yield lambda statement, _: bool(statement.kinds & denied) or _if_seen(statement, seen=False)
        if self.deny_tables:
            yield _may_name(self.deny_tables)


def _names_only(patterns: Sequence[TablePattern]) -> Condition:
    return lambda statement, dialect: all_of(
        [
            *(any_of(pattern.names(table, dialect) for pattern in patterns) for table in statement.tables),
            Unknown(statement.hidden) if statement.hidden else True,
        ]
    )


def _may_name(patterns: Sequence[TablePattern]) -> Condition:
    return lambda statement, _: any_of(
        [
            *(pattern.may_name(table) for pattern in patterns for table in statement.tables),
            Unknown(statement.hidden) if statement.hidden else False,
        ]
    )


def _if_seen(statement: Statement, *, seen: bool) -> Tri:
    return Unknown(statement.opaque) if statement.opaque else seen


def hit(reading: Reading | Unknown, dialect: str, refuses: Sequence[Condition]) -> Tri:
    """Whether a statement of a text is something that none may be."""
    if isinstance(reading, Unknown):
        return reading
    return any_of(refuse(statement, dialect) for statement in reading.statements for refuse in refuses)
