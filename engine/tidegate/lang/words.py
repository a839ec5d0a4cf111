"""The words of TOML for what stands in a rule file; findings never speak Python."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, time
from typing import Any

from ..shown import escape, quote

ROLES = ("path", "cwd", "command", "argv", "url", "host", "sql", "patch", "text")
"""What an argument may be, in the order of the docs."""

# Order matters: a boolean is an int to Python, and a date-time is a date.
_TYPES: tuple[tuple[type, str], ...] = (
    (bool, "boolean"),
    (str, "string"),
    (int, "integer"),
    (float, "float"),
    (dict, "table"),
    (list, "array"),
    (datetime, "date-time"),
    (date, "date"),
    (time, "time"),
)


def type_word(value: Any) -> str:
    """What TOML calls the type of *value*: `string`, `integer`, `float`, `boolean`, `table`, `array`, `date`, …."""
    return next((word for kind, word in _TYPES if isinstance(value, kind)), "value")


def a(noun: str) -> str:
    """The noun with its article: `an array`, `a table`."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def quoted(names: Iterable[str], last: str = "and") -> str:
    """The names in backticks as a phrase: `` `a`, `b` and `c` ``."""
    shown = [quote(name) for name in names]
    if len(shown) < 2:  # noqa: PLR2004 - one name needs no conjunction
        return "".join(shown)
    return f"{', '.join(shown[:-1])} {last} {shown[-1]}"


def toml_key(name: str) -> str:
    """The name as a key of TOML, in quotes where it needs them."""
    bare = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    if bare:
        return name
    quoted_name = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escape(quoted_name)}"'
