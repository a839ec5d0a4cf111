"""`rename CODE FILE…`: the names that files get, where the code is one plain substitution."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..values import Partial, Value, unknown
from .entry import Part
from .run import Handler, Item, Run
from .text import as_found, joined

_SUBSTITUTION = re.compile(
    r"\s*s(?P<mark>[/|,#!])(?:(?P<start>\^)|(?P<old>(?:\\[. \-_]|[\w \-])+)(?P<end>\$)?)(?P=mark)"
    r"(?P<new>(?:\\[. \-_]|[\w .\-])*)(?P=mark)(?P<every>g?)\s*;?\s*",
    re.ASCII,
)
"""A substitution of literal text: anywhere, at the end, or of nothing at the start."""

_ESCAPED = re.compile(r"\\(.)")


def _renamed(run: Run, _part: Part, item: Item) -> None:
    """What a file is called then; where the code is not that simple, or the name not known, nobody knows."""
    code = run.found("-e")
    text = code.value if code is not None else run.operands[0].value if run.operands else None
    whole = run.found("--filename") is None  # the folder of a file is part of what the code sees
    found = _SUBSTITUTION.fullmatch(text) if isinstance(text, str) and whole else None
    new = _new_name(found, as_found(item.value)) if found is not None else None
    if new is None:
        new = unknown("the program makes the name up")
    if new != item.value:
        run.do("write", run.resolve(new), item)


def _new_name(found: re.Match[str], value: Value) -> Value | None:
    """The name after the substitution *found*, `None` where that is not settled."""
    old, new = _ESCAPED.sub(r"\1", found["old"] or ""), _ESCAPED.sub(r"\1", found["new"])
    if found["start"]:
        return joined(new, value)
    if isinstance(value, str):
        if "\n" in value:
            return None
        if found["end"]:
            return value.removesuffix(old) + new if value.endswith(old) else value
        return value.replace(old, new, -1 if found["every"] else 1)
    if not found["end"] or not value.suffix:
        return None
    if value.suffix.endswith(old) and "\n" not in value.suffix:
        return _with_end(value, value.suffix.removesuffix(old) + new)
    return None if old.endswith(value.suffix) or "\n" in value.suffix else value


def _with_end(value: Partial, end: str) -> Value:
    return joined(*value.parts[:-1], end, reason=value.reason)


RENAMING_ROLES: Mapping[str, Handler] = {"renamed": _renamed}
