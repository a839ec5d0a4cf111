"""Conditions that leave nothing out, and limits on rows."""

from __future__ import annotations

import re
from typing import Any

_COMPARISONS = frozenset({"EQ", "GT", "GTE", "LT", "LTE", "NEQ", "NullSafeEQ", "NullSafeNEQ", "Is"})
_EVERYTHING = re.compile(r"%+")


def is_unfiltered(statement: Any) -> bool:
    """Whether an `UPDATE` or `DELETE` reaches every row, as far as its condition shows.

    A condition counts only where it compares something of a row with something else: `1=1`, `id=id`, `name LIKE '%'`
    and any `OR` with one of these are as good as none.
    """
    where = statement.args.get("where")
    return where is None or not _narrows(where.this)


def _narrows(condition: Any) -> bool:
    match type(condition).__name__:
        case "Paren" | "Not":
            return _narrows(condition.this)
        case "And":
            return _narrows(condition.this) or _narrows(condition.expression)
        case "Or" | "Xor":
            return _narrows(condition.this) and _narrows(condition.expression)
        case "Like" | "ILike" | "SimilarTo":
            pattern = condition.expression
            everything = getattr(pattern, "is_string", False) and _EVERYTHING.fullmatch(pattern.this)
            return not everything and _of_rows(condition) and not _same(condition)
        case name if name in _COMPARISONS:
            return _of_rows(condition) and not _same(condition)
        case "Column":
            return True
    return _of_rows(condition)


def _same(comparison: Any) -> bool:
    return bool(comparison.this == comparison.expression)


def _of_rows(condition: Any) -> bool:
    """Whether the condition looks at a column at all."""
    return any(type(node).__name__ == "Column" for node in condition.walk())


def most_rows(query: Any) -> int | None:
    """How many rows a query returns at most, as it says itself; `None` where it does not say a number."""
    if type(query).__name__ == "Subquery" and query.args.get("limit") is None:
        return most_rows(query.this)
    limit = query.args.get("limit")
    if limit is None or limit.args.get("expressions"):
        return None
    options = limit.args.get("limit_options")
    if options is not None and (options.args.get("percent") or options.args.get("with_ties")):
        return None
    count = limit.args.get("expression") or limit.args.get("count")
    while type(count).__name__ == "Paren":
        count = count.this
    said = getattr(count, "this", "")
    plain = type(count).__name__ == "Literal" and not count.is_string and isinstance(said, str) and said.isdecimal()
    return int(said) if plain and len(said) < 16 else None  # noqa: PLR2004 - far more rows than there are
