"""SQL text to statements, by sqlglot; what it cannot read is unknown, and what it does not know does anything.

sqlglot is an extra (`tidegate[sql]`) and imported when a text is read.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from contextvars import ContextVar
from functools import cache
from typing import Any

from ..tri import Unknown
from .conditions import is_unfiltered, most_rows
from .harmless import harm_in, reads_only
from .names import Hidden, tables_of
from .statement import STATEMENTS, Reading, Statement, TableName
from .tokens import calls_quoted, too_deep, unaccounted, unreadable

_QUERIES = frozenset({"Except", "Intersect", "Select", "Subquery", "Union", "Values"})
_KINDS: Mapping[str, str] = {
    **dict.fromkeys(_QUERIES, "select"),
    "Into": "create",
    "LoadData": "load",
    "Transaction": "begin",
    "TruncateTable": "truncate",
}
_NESTED = frozenset(
    {"Alter", "Create", "Delete", "Drop", "Execute", "Insert", "Into", "Merge", "TruncateTable", "Update"}
)
_BRACKETS = {"Commit", "Rollback", "Transaction"}
_OPEN = _QUERIES | _BRACKETS | {"Create", "Delete", "Describe", "Drop", "Insert", "Merge", "TruncateTable", "Update"}
_OPAQUE_CREATES = frozenset({"FUNCTION", "PROCEDURE", "TRIGGER", "EVENT"})
_WORDS: Mapping[str, str] = {"exec": "execute", "replace": "insert", "start": "begin"}
_EXPLAINED = re.compile(r"\s*(?:query\s+plan\s+)?(?=(?:select|with|values)\b)", re.IGNORECASE)
_DOING = ContextVar("_DOING", default=False)


def is_installed() -> bool:
    """Whether SQL can be read at all."""
    try:
        import sqlglot  # noqa: F401
    except ImportError:
        return False
    return True


def read_sql(text: str, dialect: str) -> Reading | Unknown:
    """The statements of *text* in one dialect of `dialects.DIALECTS`, or why they cannot be told."""
    odd = unreadable(text)
    if odd:
        return Unknown(odd)
    token = _DOING.set(True)
    try:
        return _read(text, dialect)
    except RecursionError:
        return Unknown("the SQL is nested too deeply")
    except Exception as error:  # noqa: BLE001 - whatever a parser raises at hostile text, the text is not understood
        return Unknown(f"the SQL cannot be read as {dialect}: {type(error).__name__}")
    finally:
        _DOING.reset(token)


def _read(text: str, dialect: str) -> Reading | Unknown:
    language = _language(dialect)
    tokens = language.tokenize(text)
    comments = [comment for token in tokens for comment in token.comments]
    if any("/*" in comment for comment in comments):
        return Unknown("whether comments nest depends on the server")
    if too_deep(tokens):
        return Unknown("the SQL is nested too deeply")
    trees = [tree for tree in _parse(language, tokens, text) if type(tree).__name__ not in ("NoneType", "Semicolon")]
    if not trees:
        return Unknown("the SQL holds no statement")
    verb = unaccounted(tokens, (node for tree in trees for node in tree.walk()), dialect)
    doubt = f"nobody can tell what `{verb.upper()}` does there" if verb else ""
    quoted = "a quoted name is called as a function" if calls_quoted(tokens) else ""
    return Reading(tuple(_statement(tree, dialect, doubt, quoted) for tree in trees), bool(comments))


def _parse(language: Any, tokens: Any, text: str) -> Any:
    from sqlglot.errors import ErrorLevel

    return language.parser(error_level=ErrorLevel.IMMEDIATE).parse(tokens, text)


@cache
def _language(dialect: str) -> Any:
    """The dialect of sqlglot, which from now on does not write down what of our texts it cannot parse."""
    from sqlglot.dialects.dialect import Dialect

    logging.getLogger("sqlglot").addFilter(lambda _: not _DOING.get())
    return Dialect.get_or_raise(dialect)


def _statement(tree: Any, dialect: str, doubt: str, quoted: str) -> Statement:
    name = type(tree).__name__
    if name == "Command":
        return _command(tree, dialect)
    nodes = list(tree.walk())
    kinds = frozenset({_kind(tree), *(_kind(node) for node in nodes if type(node).__name__ in _NESTED)})
    changed = [node for node in nodes if type(node).__name__ in ("Update", "Delete") and not _within_merge(node)]
    opaque = doubt or _opaque(tree)
    tables, unnamed = ((), "") if opaque else _tables(tree, dialect)
    return Statement(
        kinds=kinds,
        writes=doubt or (quoted or unnamed or _harm(nodes) if name in _QUERIES else _verb(tree)),
        hidden=opaque or unnamed or _harm([node for node in nodes if _is_call(node)]),
        opaque=opaque,
        tables=tables,
        unfiltered=any(map(is_unfiltered, changed)),
        query=name in _QUERIES,
        rows=most_rows(tree) if name in _QUERIES else None,
    )


def _command(tree: Any, dialect: str) -> Statement:
    """What the parser does not take apart; an `EXPLAIN` of a query, which does not run it, is taken apart by us."""
    word = str(tree.this).lower()
    rest = getattr(tree.expression, "this", tree.expression)
    explained = _EXPLAINED.match(rest) if word == "explain" and isinstance(rest, str) else None
    if explained is not None:
        inner = read_sql(rest[explained.end() :], dialect)
        if isinstance(inner, Reading) and len(inner.statements) == 1:
            one = inner.statements[0]
            return one._replace(kinds=one.kinds - {"select"} | {"explain"}, query=False, rows=None)
    kind = _WORDS.get(word, word)
    what = f"nobody can tell what `{word.upper()}` does"
    return Statement(frozenset({kind if kind in STATEMENTS else "other"}), what, what, what, (), False, False, None)


def _kind(node: Any) -> str:
    name = type(node).__name__
    kind = _KINDS.get(name, name.lower())
    return kind if kind in STATEMENTS else "other"


def _within_merge(node: Any) -> bool:
    return type(node.parent).__name__ == "When"


def _verb(tree: Any) -> str:
    return "" if reads_only(tree) else f"`{_kind(tree).upper()}` is not known to read only"


def _harm(nodes: list[Any]) -> str:
    return next((harm for node in nodes if (harm := harm_in(node))), "")


def _opaque(tree: Any) -> str:
    """Why nobody sees what a statement reaches; empty where its tree shows it."""
    if type(tree).__name__ in _OPEN and str(tree.args.get("kind")).upper() not in _OPAQUE_CREATES:
        return ""
    return "" if reads_only(tree) else f"what `{_kind(tree).upper()}` reaches cannot be seen"


def _tables(tree: Any, dialect: str) -> tuple[tuple[TableName, ...], str]:
    """The tables, and why there may be others."""
    try:
        return tables_of(tree, dialect), ""
    except Hidden as hidden:
        return (), str(hidden)


def _is_call(node: Any) -> bool:
    """Whether the node may reach tables that it does not name."""
    from sqlglot import exp

    return isinstance(node, exp.Func | exp.Command | exp.Dot)
