"""Globs of tables: `orders`, `public.*`, `*.audit_*`."""

from __future__ import annotations

from attrs import frozen

from ..lookalikes import fold
from ..names import NameTest, text_glob
from ..regexes import BadPattern
from ..tri import Tri, Unknown
from .dialects import CASELESS
from .statement import TableName

_MOST_PARTS = 4


@frozen
class TablePattern:
    """One glob, part by part from the catalogue to the table; `*` stands for any characters of one part."""

    text: str
    parts: tuple[str, ...]
    exact: tuple[NameTest, ...]
    caseless: tuple[NameTest, ...]
    wide: tuple[NameTest, ...]

    @classmethod
    def compile(cls, text: str) -> TablePattern:
        """Compile *text*.

        Raises:
            BadPattern: A part is empty or has blanks around it, or there are more than four.
        """
        parts = tuple(text.split("."))
        if len(parts) > _MOST_PARTS or not all(part and part == part.strip() for part in parts):
            raise BadPattern(f"`{text}` names no table", "write `table`, `schema.table` or `catalogue.schema.table`")
        exact, caseless, wide = (tuple(text_glob(change(part)) for part in parts) for change in (str, str.lower, fold))
        return cls(text, parts, exact, caseless, wide)

    def names(self, table: TableName, dialect: str) -> Tri:
        """Whether *table* is named, as a confinement or a grant needs it: as the dialect compares, and every part.

        A table that does not say its schema may be in any; only a pattern without one, or with `*`, names it.
        """
        tests = self.caseless if dialect in CASELESS or dialect == "snowflake" else self.exact
        if len(table) > len(self.parts) or not _matches(tests, table):
            return False
        left = self.parts[: len(self.parts) - len(table)]
        return True if set(left) <= {"*"} else Unknown("a table does not say in which schema it is")

    def may_name(self, table: TableName) -> Tri:
        """Whether *table* is named, as a deny sees it: over case and look-alikes, in whatever schema it may be."""
        if not _matches(self.wide, tuple(fold(part.strip('"')) for part in table)):
            return False
        if len(table) >= len(self.parts) or not set(self.parts[-1]) & set("*?"):
            return True
        left = self.parts[: len(self.parts) - len(table)]
        return True if set(left) <= {"*"} else Unknown("a table does not say in which schema it is")


def _matches(tests: tuple[NameTest, ...], table: TableName) -> bool:
    """Whether the parts match from the table's own name backwards, as far as both go."""
    return all(test(part) for test, part in zip(reversed(tests), reversed(table), strict=False))
