"""What is wrong with a text before it is parsed, and words that its tree does not account for."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

LONGEST = 20_000
"""How many characters a text may have."""

DEEPEST = 60
"""How many brackets may stand in one another."""

_ODD = re.compile(r"""\\['"`]|\r(?!\n)""")
_NO_BLANKS = ("Cc", "Cf", "Zl", "Zp", "Zs")

# Each verb with the nodes that it may have become. Where there are more verbs than such nodes, the parser took one
# for something else: `SELECT 1 DELETE FROM t` is two statements to SQL Server and an alias to sqlglot.
_VERBS: Mapping[str, tuple[str, ...]] = {
    "alter": ("Alter",),
    "create": ("Create",),
    "delete": ("Delete",),
    "drop": ("Drop",),
    "exec": ("Execute",),
    "execute": ("Execute",),
    "grant": ("Grant",),
    "insert": ("Insert",),
    "merge": ("Merge",),
    "revoke": ("Revoke",),
    "truncate": ("TruncateTable",),
    "update": ("Update", "Lock", "OnConflict"),
}
_TSQL_VERBS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("backup", "bulk", "checkpoint", "dbcc", "deny", "disable", "enable", "kill", "print"), ()),
    **dict.fromkeys(("raiserror", "reconfigure", "restore", "revert", "shutdown", "throw", "waitfor"), ()),
    "declare": ("Declare",),
    "set": ("Set", "Update"),
    "use": ("Use",),
}
_FUNCTIONS_TOO = frozenset({"insert", "truncate"})


def unreadable(text: str) -> str:
    """Why servers could read *text* in another way than we do; empty where they could not."""
    if len(text) > LONGEST:
        return f"the SQL is longer than {LONGEST:,} characters"
    if "/*!" in text or "/*M!" in text:
        return "MySQL runs what stands in such a comment"
    if _ODD.search(text):
        return "whether a backslash escapes a quote, or a carriage return ends a comment, depends on the server"
    if any(unicodedata.category(char) in _NO_BLANKS for char in text if char not in " \t\n\r"):
        return "the SQL holds characters that cannot be seen"
    return ""


def too_deep(tokens: Sequence[Any]) -> bool:
    """Whether more brackets are open at once than a parser should follow."""
    depth = 0
    for token in tokens:
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(token.text, 0)
        if depth > DEEPEST:
            return True
    return False


def is_word(token: Any) -> bool:
    """Whether the token is a bare word: no text and no quoted name."""
    kind = token.token_type.name
    return kind != "IDENTIFIER" and not kind.endswith("STRING")


def unaccounted(tokens: Sequence[Any], nodes: Iterable[Any], dialect: str) -> str:
    """The first verb for which the trees have no statement; empty where there is none."""
    verbs = {**_VERBS, **_TSQL_VERBS} if dialect == "tsql" else _VERBS
    said = Counter[str]()
    for index, token in enumerate(tokens):
        word = token.text.lower() if is_word(token) else ""
        if word not in verbs or (index and tokens[index - 1].text == "."):
            continue
        follows = tokens[index + 1].text if index + 1 < len(tokens) else ""
        if not (word in _FUNCTIONS_TOO and follows == "("):
            said[word] += 1
    meant = Counter(type(node).__name__ for node in nodes)
    return next((word for word, count in said.items() if count > sum(meant[name] for name in verbs[word])), "")


def calls_quoted(tokens: Sequence[Any]) -> bool:
    """Whether a quoted name stands before a bracket: `"Lower"(x)` is not the function `lower`."""
    return any(
        token.token_type.name == "IDENTIFIER" and after.text == "(" for token, after in itertools.pairwise(tokens)
    )
