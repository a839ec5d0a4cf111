"""TOML tables become attrs values: nothing is coerced, nothing is left unread, every problem is named.

The conversion is cattrs' own; the hooks below take away every coercion, and `problems_of` turns what cattrs
raises into the words of somebody who writes TOML.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import attrs
from cattrs import Converter
from cattrs.errors import (
    AttributeValidationNote,
    ClassValidationError,
    ForbiddenExtraKeysError,
    IterableValidationNote,
)
from cattrs.gen import make_dict_structure_fn, override

from ..kind import Problem
from ..lang.nearest import nearest
from ..shown import escape

_WORDS: Mapping[type, str] = {
    str: "a string",
    bool: "a boolean",
    int: "an integer",
    float: "a number",
    list: "an array",
    dict: "a table",
    datetime.datetime: "a date-time",
    datetime.date: "a date",
    datetime.time: "a time",
}


class Mismatch(Exception):  # noqa: N818 - never leaves this module but as a problem
    """A value is not what its key takes."""

    def __init__(self, code: str, what: str, why: str, mend: str) -> None:
        super().__init__(what)
        self.parts = (code, what, why, mend)


def word_for(value: object) -> str:
    """What TOML calls the value: "a string", "an array"."""
    return _WORDS.get(type(value), "a value")


def _wrong(expected: str, value: object) -> Mismatch:
    shown = f" `{escape(str(value), limit=60)}`" if isinstance(value, str | int | float) else ""
    return Mismatch(
        "wrong-type",
        f"{word_for(value)}{shown} stands where {expected} belongs",
        "nothing is converted: a value that had to be guessed could be weaker than it looks",
        f"write {expected}",
    )


def _exactly(kind: type, expected: str) -> Callable[[Any, Any], Any]:
    def structure(value: Any, _: Any) -> Any:
        if type(value) is not kind:
            raise _wrong(expected, value)
        return value

    return structure


def _number(value: Any, _: Any) -> float:
    if type(value) not in (int, float) or value != value or value in (float("inf"), float("-inf")):
        raise _wrong("a finite number", value)
    return float(value)


def _choice(value: Any, kind: Any) -> Any:
    options = get_args(kind)
    for option in options:
        if type(option) is type(value) and option == value:
            return value
    if type(value) not in {type(option) for option in options}:
        raise _wrong("one of " + ", ".join(f"`{option}`" for option in options), value)
    close = nearest(str(value), [str(option) for option in options])
    raise Mismatch(
        "bad-value",
        f"`{escape(str(value), limit=60)}` is none of {', '.join(f'`{option}`' for option in options)}",
        "a word that the rule does not know would change nothing",
        f"write `{close or options[0]}`" + (f" or one of {', '.join(f'`{o}`' for o in options)}" if not close else ""),
    )


def _when(value: Any, _: Any) -> datetime.datetime | datetime.date:
    if type(value) not in (datetime.datetime, datetime.date):
        raise _wrong("a date such as 2027-01-31", value)
    return value  # type: ignore[no-any-return]


def _is_tuple(kind: Any) -> bool:
    return get_origin(kind) is tuple


def _is_union(kind: Any) -> bool:
    return get_origin(kind) in (Union, UnionType)


def _is_table(kind: Any) -> bool:
    return kind is dict or get_origin(kind) in (dict, Mapping)


def key_of(name: str) -> str:
    """The TOML key of an attribute: `except_` is `except`."""
    return name.rstrip("_")


def converter() -> Converter:
    """A cattrs converter without any coercion."""
    strict = Converter(forbid_extra_keys=True, prefer_attrib_converters=False)

    def many(value: Any, kind: Any) -> Any:
        if type(value) is not list:
            raise _wrong("an array", value)
        if not value:
            raise Mismatch(
                "empty-list",
                "the array is empty",
                "an empty list matches nothing, and a reader may take it for everything",
                "list at least one item, or leave the key out",
            )
        (item, *_) = get_args(kind)
        items, errors = [], []
        for index, entry in enumerate(value):
            try:
                items.append(strict.structure(entry, item))
            except Exception as error:  # noqa: BLE001 - each is noted and raised with the others
                error.__notes__ = [*getattr(error, "__notes__", []), IterableValidationNote("", index, item)]
                errors.append(error)
        if errors:
            raise ClassValidationError("items", errors, tuple)
        return tuple(items)

    def either(value: Any, kind: Any) -> Any:
        options = [option for option in get_args(kind) if option is not NoneType]
        for option in options:
            if isinstance(value, list) == _is_tuple(option) and isinstance(value, dict) == (
                attrs.has(option) or _is_table(option)
            ):
                return strict.structure(value, option)
        return strict.structure(value, options[0])

    def table(value: Any, kind: Any) -> Any:
        if type(value) is not dict:
            raise _wrong("a table", value)
        item = (get_args(kind) or (str, Any))[1]
        return {key: strict.structure(entry, item) for key, entry in value.items()}

    def fields(kind: type) -> Callable[[Any, Any], Any]:
        renames = {a.name: override(rename=key_of(a.name)) for a in attrs.fields(kind) if a.name != key_of(a.name)}
        inner = make_dict_structure_fn(kind, strict, **renames)  # type: ignore[arg-type]

        def structure(value: Any, _: Any) -> Any:
            if type(value) is not dict:
                raise _wrong("a table", value)
            return inner(value, kind)

        return structure

    strict.register_structure_hook_factory(attrs.has, fields)
    for kind in (str, bool, int):
        strict.register_structure_hook(kind, _exactly(kind, _WORDS[kind]))
    strict.register_structure_hook(float, _number)
    strict.register_structure_hook(datetime.date, _when)
    strict.register_structure_hook_func(_is_tuple, many)
    strict.register_structure_hook_func(_is_union, either)
    strict.register_structure_hook_func(_is_table, table)
    strict.register_structure_hook_func(lambda kind: get_origin(kind) is Literal, _choice)
    strict.register_structure_hook_func(lambda kind: kind is Any, lambda value, _: value)
    return strict


def problems_of(error: Exception, kind: type, path: tuple[str | int, ...] = ()) -> list[Problem]:
    """Every problem that *error* holds, each at the key that it is about."""
    if isinstance(error, ClassValidationError):
        owner = error.cl if attrs.has(error.cl) else kind
        problems = []
        for inner in error.exceptions:
            problems += problems_of(inner, owner, path + _step(inner))  # type: ignore[arg-type]
        return problems
    if isinstance(error, ForbiddenExtraKeysError):
        return [unknown_key(path, key, known_keys(error.cl)) for key in sorted(error.extra_fields)]
    if isinstance(error, Mismatch):
        return [Problem(path, *error.parts)]
    if isinstance(error, KeyError):
        return [missing_key(path[:-1], key_of(str(error.args[0])), kind)]
    raise error


def _step(error: BaseException) -> tuple[str | int, ...]:
    for note in getattr(error, "__notes__", ()):
        if isinstance(note, AttributeValidationNote):
            return (key_of(note.name),)
        if isinstance(note, IterableValidationNote):
            return (note.index,)  # type: ignore[return-value]
    return ()


def known_keys(kind: type) -> list[str]:
    """The keys that a table of this class takes, in their order."""
    return [key_of(attribute.name) for attribute in attrs.fields(kind)]


def unknown_key(path: tuple[str | int, ...], key: str, known: list[str]) -> Problem:
    """The problem of a key that nobody reads, with the nearest known one."""
    close = nearest(key, known)
    return Problem(
        (*path, key),
        "unknown-key",
        f"unknown key `{escape(key, limit=60)}`",
        "a rule with an unread key would be weaker than it looks",
        f"write `{close}`" if close else f"the keys here are {', '.join(f'`{name}`' for name in known)}",
    )


def missing_key(path: tuple[str | int, ...], key: str, kind: type) -> Problem:
    """The problem of a required key that is not there."""
    doc = next((a.metadata.get("doc", "") for a in attrs.fields(kind) if key_of(a.name) == key), "")
    return Problem(
        path,
        "missing-key",
        f"the key `{key}` is missing",
        doc[:1].lower() + doc[1:].rstrip(".") if doc else "nothing can be decided without it",
        f"add `{key} = …`",
    )
