"""TOML tables become attrs values: nothing is coerced, nothing is left unread, every problem is named.

The conversion is cattrs' own; the hooks below take away every coercion, and `problems_of` turns what cattrs raises into
the words of somebody who writes TOML.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Iterable, Mapping
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import attrs
from cattrs import Converter
from cattrs.errors import ClassValidationError, IterableValidationNote
from cattrs.gen import make_dict_structure_fn, override

from ..lang.nearest import nearest
from ..shown import quote
from .meant import meant
from .problems import Mismatch, key_of

_WORDS: Mapping[type, str] = {
    str: "a string",
    bool: "a boolean",
    int: "an integer",
    float: "a number",
    list: "an array",
    dict: "a table",
    dt.datetime: "a date-time",
    dt.date: "a date",
    dt.time: "a time",
}


def word_for(value: object) -> str:
    """What TOML calls the value: "a string", "an array"."""
    return _WORDS.get(type(value), "a value")


def _quoted(value: object) -> str:
    """The value as TOML writes it, in backticks."""
    return quote(str(value).lower() if isinstance(value, bool) else str(value), limit=60)


def _wrong(expected: str, value: object, kind: Any) -> Mismatch:
    shown = f" {_quoted(value)}" if isinstance(value, str | int | float) else ""
    return Mismatch(
        "wrong-type",
        f"{word_for(value)}{shown} stands where {expected} belongs",
        "nothing is converted: a value that had to be guessed could be weaker than it looks",
        f"write {expected}",
        meant(value, kind),
    )


def _exactly(kind: type, expected: str) -> Callable[[Any, Any], Any]:
    def structure(value: Any, _: Any) -> Any:
        if type(value) is not kind:
            raise _wrong(expected, value, kind)
        return value

    return structure


def _number(value: Any, _: Any) -> float:
    if type(value) not in (int, float) or not math.isfinite(value):
        raise _wrong("a finite number", value, float)
    return float(value)


def _choice(value: Any, kind: Any) -> Any:
    options = get_args(kind)
    for option in options:
        if type(option) is type(value) and option == value:
            return value
    if type(value) not in {type(option) for option in options}:
        raise _wrong("one of " + ", ".join(f"`{option}`" for option in options), value, kind)
    close = nearest(str(value), [str(option) for option in options])
    raise Mismatch(
        "bad-value",
        f"{_quoted(value)} is none of {', '.join(f'`{option}`' for option in options)}",
        "a word that the rule does not know would change nothing",
        f"write `{close}`" if close else f"write one of {', '.join(f'`{option}`' for option in options)}",
    )


def _day(value: Any, _: Any) -> dt.datetime | dt.date:
    if type(value) not in (dt.datetime, dt.date):
        raise _wrong("a date such as 2027-01-31", value, dt.date)
    return value  # type: ignore[no-any-return]


def _is_tuple(kind: Any) -> bool:
    return get_origin(kind) is tuple


def _is_union(kind: Any) -> bool:
    return get_origin(kind) in (Union, UnionType)


def _is_choice(kind: Any) -> bool:
    return get_origin(kind) is Literal


def _is_anything(kind: object) -> bool:
    return kind is Any


def _is_table(kind: Any) -> bool:
    return kind is dict or get_origin(kind) in (dict, Mapping)


def converter() -> Converter:
    """A cattrs converter without any coercion."""
    strict = Converter(forbid_extra_keys=True)
    strict.register_structure_hook_factory(attrs.has, lambda kind: _fields(strict, kind))
    for kind in (str, bool, int):
        strict.register_structure_hook(kind, _exactly(kind, _WORDS[kind]))
    strict.register_structure_hook(float, _number)
    strict.register_structure_hook(dt.date, _day)
    strict.register_structure_hook_func(_is_tuple, lambda value, kind: _items(strict, value, kind))
    strict.register_structure_hook_func(_is_union, lambda value, kind: _either(strict, value, kind))
    strict.register_structure_hook_func(_is_table, lambda value, kind: _table(strict, value, kind))
    strict.register_structure_hook_func(_is_choice, _choice)
    strict.register_structure_hook_func(_is_anything, lambda value, _: value)
    return strict


def _fields(strict: Converter, kind: type) -> Callable[[Any, Any], Any]:
    """The structuring of a table into an attrs class."""
    renames: dict[str, Any] = {
        a.name: override(rename=key_of(a.name)) for a in attrs.fields(kind) if a.name != key_of(a.name)
    }
    inner: Callable[[Any, Any], Any] = make_dict_structure_fn(kind, strict, **renames)

    def structure(value: Any, _: Any) -> Any:
        if type(value) is not dict:
            raise _wrong("a table", value, kind)
        return inner(value, kind)

    return structure


def _items(strict: Converter, value: Any, kind: Any) -> tuple[Any, ...]:
    if type(value) is not list:
        raise _wrong("an array", value, kind)
    if not value:
        raise Mismatch(
            "empty-list",
            "the array is empty",
            "an empty list matches nothing, and a reader may take it for everything",
            "list at least one item, or leave the key out",
        )
    item = get_args(kind)[0]
    return tuple(_each(strict, enumerate(value), item))


def _table(strict: Converter, value: Any, kind: Any) -> dict[str, Any]:
    if type(value) is not dict:
        raise _wrong("a table", value, kind)
    item = (get_args(kind) or (str, Any))[1]
    return dict(zip(value, _each(strict, value.items(), item), strict=True))


def _each(strict: Converter, entries: Iterable[tuple[Any, Any]], item: Any) -> list[Any]:
    """Structure every entry, and raise everything that is wrong with any of them together."""
    items, errors = [], []
    for key, entry in entries:
        try:
            items.append(strict.structure(entry, item))
        except Exception as error:  # noqa: BLE001 - each is noted and raised with the others
            error.__notes__ = [*getattr(error, "__notes__", []), IterableValidationNote("", key, item)]
            errors.append(error)
    if errors:
        raise ClassValidationError("items", errors, tuple)
    return items


def _either(strict: Converter, value: Any, kind: Any) -> Any:
    """Structure by the one option that has the shape of the value."""
    options = [option for option in get_args(kind) if option is not NoneType]
    if isinstance(value, list | dict):
        fitting = [
            option for option in options if (_is_tuple(option) if isinstance(value, list) else _takes_table(option))
        ]
        return strict.structure(value, fitting[0] if fitting else options[0])
    scalars = [option for option in options if not _is_tuple(option) and not _takes_table(option)]
    for option in scalars:
        try:
            return strict.structure(value, option)
        except Mismatch as mismatch:
            if len(scalars) == 1:
                raise
            if mismatch.parts[0] != "wrong-type":
                raise
    raise _wrong(" or ".join(_wording(option) for option in options), value, kind)


def _takes_table(kind: Any) -> bool:
    return attrs.has(kind) or _is_table(kind)


def _wording(kind: Any) -> str:
    """What TOML calls the values of a type."""
    if _is_tuple(kind):
        return "an array"
    if _takes_table(kind):
        return "a table"
    if get_origin(kind) is Literal:
        return "one of " + ", ".join(f"`{option}`" for option in get_args(kind))
    return _WORDS.get(kind, "a value")
