"""What somebody meant who wrote a value of another type: for the mend of a finding, never to go on with."""

from __future__ import annotations

from contextlib import suppress
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import attrs


def meant(value: object, kind: Any) -> Any:
    """The value that *value* probably stands for where *kind* is wanted, `None` where nobody can tell."""
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        options = (option for option in get_args(kind) if option is not NoneType)
        return next((found for option in options if (found := meant(value, option)) is not None), None)
    if _fits(value, kind):
        return value
    if origin is tuple:
        inner = None if isinstance(value, list) else meant(value, get_args(kind)[0])
        return None if inner is None else [inner]
    if isinstance(value, list):
        return value[0] if len(value) == 1 and _fits(value[0], kind) else None
    if attrs.has(kind):
        return _table(value, kind) if isinstance(value, str) else None
    return _scalar(value, kind)


def _fits(value: object, kind: Any) -> bool:
    if get_origin(kind) is Literal:
        return value in get_args(kind)
    if attrs.has(kind):
        return isinstance(value, dict)
    return isinstance(kind, type) and type(value) is kind


def _scalar(value: object, kind: Any) -> Any:
    if kind is str and type(value) in (int, float):
        return str(value)
    if kind is bool and isinstance(value, str):
        return {"true": True, "false": False}.get(value.lower())
    if kind is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if kind in (int, float) and isinstance(value, str):
        with suppress(ValueError):
            return kind(value)
    return None


def _table(text: str, kind: Any) -> dict[str, str] | None:
    """The condition that a text alone stands for, by what it looks like."""
    keys = {field.name for field in attrs.fields(kind)}
    looks_like = "url" if "://" in text else "command" if " " in text else "path" if "/" in text else ""
    return {looks_like: text} if looks_like in keys else None
