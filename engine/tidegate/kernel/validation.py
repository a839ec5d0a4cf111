"""Checking the arguments that a model made against a SchemaSpec.

It mirrors the conversion in `schema.py`: extra keys are allowed unless a level is closed, defaults are not
filled in, an object without properties and an array without items are only checked for their type.

Source: `validateArgs` of dsh-tools, texts included. Differently from it, `enum` is checked for every type, and
violations come in the order of the spec throughout.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import isfinite
from typing import Any

from ..errors import CallError, SchemaError
from .json_values import FrozenDict, compact, same_json, snapshot
from .schema import SchemaSpec


def validate_args(spec: SchemaSpec, args: object) -> list[str]:
    """Every violation of *spec* by *args*, in the order of the spec; empty if they fit. Never changes *args*.

    Raises:
        SchemaError: *spec* declares a type that does not exist for a key that is there.
    """
    if type(args) is FrozenDict and _fit_plainly(spec, args):
        return []
    if not isinstance(args, Mapping):
        return ['"arguments" must be an object']
    return list(_members(spec, args, ""))


def _fit_plainly(spec: Mapping[str, Any], args: FrozenDict) -> bool:
    """Whether flat arguments fit at first sight, as those of most calls do; `False` says nothing."""
    for name, prop in spec.items():
        if name not in args:
            if prop.get("required"):
                return False
        elif type(args[name]) is not _PLAIN.get(prop.get("type")) or "enum" in prop or "const" in prop:
            return False
    return True


def _members(spec: Mapping[str, Any], args: Mapping[Any, Any], path: str) -> Iterator[str]:
    for name, prop in spec.items():
        place = f"{path}.{name}" if path else name
        if name in args:
            yield from _value(prop, args[name], place)
        elif prop.get("required") is True:
            yield f'missing required property "{place}"'
    for name in args:
        if not isinstance(name, str):
            yield f'"{path or "arguments"}" must be a lossless JSON object'
        elif name not in spec:
            yield from _json(args[name], f"{path}.{name}" if path else name)


def _value(prop: Mapping[str, Any], value: Any, path: str) -> Iterator[str]:
    if "oneOf" in prop:
        matched = sum(next(_value(branch, value, path), None) is None for branch in prop["oneOf"])
        if matched != 1:
            yield f'"{path}" must match exactly one oneOf branch (matched {matched})'
            return
    else:
        check = _CHECKS.get(prop.get("type", ""))
        if check is None:
            raise SchemaError(f'unsupported JSON schema: "{path}" has type {prop.get("type")!r}')
        if violation := check(value):
            yield f'"{path}" must be {violation}'
            return
    if "enum" in prop and not any(same_json(value, member) for member in prop["enum"]):
        yield f'"{path}" must be one of {compact(prop["enum"])}'
    elif "const" in prop and not same_json(value, prop["const"]):
        yield f'"{path}" must be {compact(prop["const"])}'
    elif prop.get("type") == "object":
        yield from _object(prop, value, path)
    elif prop.get("type") == "array":
        yield from _array(prop, value, path)


def _object(prop: Mapping[str, Any], value: Mapping[Any, Any], path: str) -> Iterator[str]:
    properties = prop.get("properties", {})
    yield from _members(properties, value, path)
    if prop.get("additionalProperties") is False:
        for name in value:
            if name not in properties:
                yield f'"{path}.{name}" is not a declared property (additionalProperties: false)'


def _array(prop: Mapping[str, Any], value: list[Any], path: str) -> Iterator[str]:
    items = prop.get("items")
    for index, item in enumerate(value):
        place = f"{path}[{index}]"
        yield from _json(item, place) if items is None else _value(items, item, place)


def _json(value: object, path: str) -> Iterator[str]:
    try:
        snapshot(value)
    except CallError:
        yield f'"{path}" must be a lossless JSON value'


def _string(value: object) -> str | None:
    return None if isinstance(value, str) else "a string"


def _number(value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "a number"
    return None if isinstance(value, int) or isfinite(value) else "a finite JSON number"


def _integer(value: object) -> str | None:
    if isinstance(value, float):
        return "a finite JSON number" if not isfinite(value) else None if value.is_integer() else "an integer"
    return None if isinstance(value, int) and not isinstance(value, bool) else "an integer"


def _boolean(value: object) -> str | None:
    return None if isinstance(value, bool) else "a boolean"


def _null(value: object) -> str | None:
    return None if value is None else "null"


def _mapping(value: object) -> str | None:
    return None if isinstance(value, Mapping) else "an object"


def _sequence(value: object) -> str | None:
    return None if isinstance(value, list | tuple) else "an array"


def _any_json(value: object) -> str | None:
    return None if next(_json(value, ""), None) is None else "a lossless JSON value"


_PLAIN: Mapping[object, type] = {"string": str, "number": int, "integer": int, "boolean": bool}

_CHECKS: Mapping[str, Callable[[object], str | None]] = {
    "string": _string,
    "number": _number,
    "integer": _integer,
    "boolean": _boolean,
    "null": _null,
    "object": _mapping,
    "array": _sequence,
    "json": _any_json,
}
