"""The keywords of JSON Schema 2020-12: which there are, where schemas stand in them, and those that we check."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from ..meaning.regexes import compile_regex

_ONE = (
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
)
_LIST = ("allOf", "anyOf", "oneOf", "prefixItems")
_TABLE = ("$defs", "dependentSchemas", "patternProperties", "properties")

KEYWORDS = frozenset(
    {
        *_ONE,
        *_LIST,
        *_TABLE,
        "$anchor",
        "$comment",
        "$dynamicAnchor",
        "$dynamicRef",
        "$ref",
        "$schema",
        "const",
        "default",
        "dependentRequired",
        "deprecated",
        "description",
        "enum",
        "examples",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "maxContains",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minContains",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "multipleOf",
        "pattern",
        "readOnly",
        "required",
        "title",
        "type",
        "uniqueItems",
        "writeOnly",
    }
)
"""What a schema may say. `$id` and `$vocabulary` are left out: they change what a `$ref` or a keyword means."""

Path = tuple[str | int, ...]


def subschemas(schema: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """*schema* and every schema within it, each with the way to it."""
    yield path, schema
    if not isinstance(schema, dict):
        return
    for key, value in schema.items():
        if key in _ONE:
            yield from subschemas(value, (*path, key))
        elif key in _LIST and isinstance(value, list):
            for index, item in enumerate(value):
                yield from subschemas(item, (*path, key, index))
        elif key in _TABLE and isinstance(value, dict):
            for name, item in value.items():
                yield from subschemas(item, (*path, key, name))


def keywords_in_linear_time() -> Mapping[str, Any]:
    """The keywords for which the library's own checks backtrack or compare each item with each other."""
    return {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
        "uniqueItems": _unique_items,
    }


def _error(message: str) -> Any:
    from jsonschema.exceptions import ValidationError

    return ValidationError(message)


_compiled = lru_cache(maxsize=1_024)(compile_regex)


def _found(pattern: str, text: str) -> bool:
    return _compiled(pattern).search(text) is not None


def _pattern(_: Any, pattern: str, value: Any, __: Any) -> Iterator[Any]:
    if isinstance(value, str) and not _found(pattern, value):
        yield _error("does not match the pattern")


def _pattern_properties(validator: Any, patterns: Mapping[str, Any], value: Any, _: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for pattern, schema in patterns.items():
            for key, item in value.items():
                if _found(pattern, key):
                    yield from validator.descend(item, schema, path=key, schema_path=pattern)


def _additional_properties(validator: Any, additional: Any, value: Any, schema: Mapping[str, Any]) -> Iterator[Any]:
    if not isinstance(value, dict):
        return
    declared, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    for key, item in value.items():
        if key not in declared and not any(_found(pattern, key) for pattern in patterns):
            yield from validator.descend(item, additional, path=key)


def _unique_items(_: Any, unique: bool, value: Any, __: Any) -> Iterator[Any]:
    if unique and isinstance(value, list) and len(set(map(_identity, value))) < len(value):
        yield _error("has an item twice")


def _identity(value: Any) -> Any:
    """Something hashable that is the same for equal JSON values: `1` is `1.0`, and neither is `true`."""
    if isinstance(value, dict):
        return "object", frozenset((key, _identity(item)) for key, item in value.items())
    if isinstance(value, list):
        return "array", tuple(map(_identity, value))
    return ("boolean", value) if isinstance(value, bool) else value
