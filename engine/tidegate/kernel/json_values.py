"""JSON values that nobody can change: what arguments and structured results are made of.

They are subclasses of `dict` and `list`, so that `json.dumps`, `isinstance` and JSON Schema checks take
them for what they are. They guard against accidents, not against code that reaches around them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any, NoReturn

from ..errors import CallError

MAX_DEPTH = 256
"""How deep values may nest; Python's own JSON writer gives up at a thousand."""

MAX_VALUES = 1_000_000
"""How many values one snapshot may hold, counted as they would be written out."""

_MAX_BITS = 14_281  # what Python reads and writes as decimal text without being told to (4,300 digits)


def _refuse(*_: object, **__: object) -> NoReturn:
    raise TypeError("this JSON value is immutable; `thaw` makes a copy that can be changed")


class FrozenDict(dict[str, Any]):
    """A JSON object that refuses to change. Only `snapshot` makes them, frozen to the bottom."""

    __slots__ = ()
    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __copy__(self) -> FrozenDict:
        return self

    def __deepcopy__(self, _: object) -> FrozenDict:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return snapshot, (thaw(self),)


class FrozenList(list[Any]):
    """A JSON array that refuses to change. Only `snapshot` makes them, frozen to the bottom."""

    __slots__ = ()
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = extend = insert = pop = remove = clear = sort = reverse = _refuse

    def __copy__(self) -> FrozenList:
        return self

    def __deepcopy__(self, _: object) -> FrozenList:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return snapshot, (thaw(self),)


def snapshot(value: object) -> Any:
    """Copy *value* into immutable JSON, reading it once and leaving it as it is.

    Mappings become objects and tuples arrays; subclasses of the basic types become the basic types.
    What is frozen already is taken as it is. Integers keep every digit.

    Raises:
        CallError: *value* is not JSON: NaN or Infinity, a lone surrogate, a key that is no string, another
            type, more than `MAX_DEPTH` levels (a cycle ends here), or more than `MAX_VALUES` values.
    """
    if value is None:
        return None
    try:
        return _freeze(value, MAX_DEPTH, [MAX_VALUES])
    except CallError:
        raise
    except Exception as error:  # whatever a foreign mapping raises while it is read, RecursionError included
        raise CallError(f"cannot be read as JSON: {type(error).__name__}") from error


def thaw(value: Any) -> Any:
    """Copy a snapshot into plain dicts and lists that can be changed."""
    if isinstance(value, dict):
        return {key: thaw(item) for key, item in value.items()}
    if isinstance(value, list):
        return [thaw(item) for item in value]
    return value


def compact(value: object) -> str:
    """*value* as JSON text without blanks, non-ASCII characters as themselves."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def same_json(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal as JSON: `1` is `1.0`, and neither is `true`."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_json(item, other[key]) for key, item in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_json, one, other))
    return bool(one == other)


def exact_text(value: str) -> str:
    """*value* as a plain `str`, if it can be written as UTF-8.

    Raises:
        CallError: It holds a lone surrogate.
    """
    text = value if type(value) is str else str.__str__(value)
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise CallError("text with a lone surrogate is not JSON") from None
    return text


def _freeze(value: object, depth: int, budget: list[int]) -> object:
    kind = type(value)
    if kind is str:
        return exact_text(value)  # type: ignore[arg-type]
    if kind is FrozenDict or kind is FrozenList or kind is bool or value is None:
        return value
    if kind is dict:
        return _freeze_object(value, depth, budget)  # type: ignore[arg-type]
    if isinstance(value, str):
        return exact_text(value)
    if isinstance(value, int):
        if value.bit_length() > _MAX_BITS:
            raise CallError("an integer of more than 4,300 digits cannot be written as JSON")
        return int.__int__(value)
    if isinstance(value, float):
        if not isfinite(value):
            raise CallError(f"{float.__repr__(value)} is not JSON")
        return float.__float__(value)
    if isinstance(value, Mapping):
        return _freeze_object(value, depth, budget)
    if isinstance(value, list | tuple):
        items = list(value)
        _spend(len(items), depth, budget)
        return FrozenList([_freeze(item, depth - 1, budget) for item in items])
    raise CallError(f"a value of type `{kind.__name__}` is not JSON")


def _freeze_object(value: Mapping[object, object], depth: int, budget: list[int]) -> FrozenDict:
    items = list(value.items())
    _spend(len(items), depth, budget)
    frozen: dict[str, object] = {}
    for key, item in items:
        if not isinstance(key, str):
            raise CallError(f"a key of type `{type(key).__name__}` is not JSON")
        plain = type(item) is str and item.isascii()
        frozen[exact_text(key)] = item if plain else _freeze(item, depth - 1, budget)
    if len(frozen) != len(items):
        raise CallError("holds a key twice")
    return FrozenDict(frozen)


def _spend(values: int, depth: int, budget: list[int]) -> None:
    if depth == 0:
        raise CallError(f"is nested deeper than {MAX_DEPTH} levels, or holds itself")
    budget[0] -= values
    if budget[0] < 0:
        raise CallError(f"holds more than {MAX_VALUES:,} values")
