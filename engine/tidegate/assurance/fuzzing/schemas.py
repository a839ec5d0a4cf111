"""Arguments from the JSON Schema of a tool, near enough for rules to look at; no rule trusts that a call keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

_DEEPEST = 4
_MOST_ITEMS = 3
_NUMBERS = st.integers(-3, 1_000)


def arguments_of(schema: Mapping[str, Any], texts: st.SearchStrategy[str]) -> st.SearchStrategy[dict[str, Any]]:
    """Objects that a schema describes, with *texts* wherever it wants a text: all that is required, and some more."""
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return st.just({})
    required = schema.get("required")
    needed = {name for name in required if isinstance(name, str)} if isinstance(required, list) else set()
    values = {name: _value(sub, texts, 0) for name, sub in properties.items()}
    return st.fixed_dictionaries(
        {name: value for name, value in values.items() if name in needed},
        optional={name: value for name, value in values.items() if name not in needed},
    )


def _value(schema: Any, texts: st.SearchStrategy[str], depth: int) -> st.SearchStrategy[Any]:
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return texts
    if "const" in schema:
        return st.just(schema["const"])
    for key in ("enum", "examples"):
        if isinstance(schema.get(key), list) and schema[key]:
            return st.sampled_from(schema[key])
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list) and schema[key]:
            return st.one_of(*(_value(one, texts, depth + 1) for one in schema[key]))
    said = schema.get("type", "string")
    kinds = said if isinstance(said, list) and said else [said]
    return st.one_of(*(_of_type(kind, schema, texts, depth) for kind in kinds))


def _of_type(kind: Any, schema: Mapping[str, Any], texts: st.SearchStrategy[str], depth: int) -> st.SearchStrategy[Any]:
    match kind:
        case "object":
            properties = schema.get("properties")
            inner = properties if isinstance(properties, Mapping) else {}
            return st.fixed_dictionaries({name: _value(sub, texts, depth + 1) for name, sub in inner.items()})
        case "array":
            return st.lists(_value(schema.get("items"), texts, depth + 1), max_size=_MOST_ITEMS)
        case "integer" | "number":
            low, high = (schema.get(key) for key in ("minimum", "maximum"))
            bounds = [bound for bound in (low, high) if isinstance(bound, int | float)]
            return st.one_of(st.sampled_from(bounds), _NUMBERS) if bounds else _NUMBERS
        case "boolean":
            return st.booleans()
        case "null":
            return st.none()
    return texts
