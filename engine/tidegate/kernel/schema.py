"""SchemaSpec: how an author declares a tool's parameters, and the JSON Schema that the model gets.

A spec maps each parameter to its declaration; `required` stands at the parameter itself:

    {"path": {"type": "string", "required": True, "description": "Absolute file path"},
     "limit": {"type": "integer"}}

Sources: the readme of dsh-tools for the conversion; its later harness for `integer`, `null`, `json`, `oneOf`,
`const`, `title`, `examples` and `additionalProperties`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypedDict

from ..errors import CallError, SchemaError
from .json_values import FrozenDict, same_json, snapshot

TypeName = Literal["string", "number", "integer", "boolean", "null", "object", "array", "json"]


class PropSpec(TypedDict, total=False):
    """The declaration of one parameter. Either `type` or `oneOf` is there.

    `properties` counts for objects only and `items` for arrays only; `required` only where a property is
    declared. `default` is told to the model and never filled in. `json` admits any JSON.
    """

    type: TypeName
    required: bool
    description: str
    title: str
    enum: list[Any]
    const: Any
    default: Any
    examples: list[Any]
    properties: Mapping[str, PropSpec]
    additionalProperties: bool
    items: PropSpec
    oneOf: list[PropSpec]


SchemaSpec = Mapping[str, PropSpec]

_TYPES = frozenset({"string", "number", "integer", "boolean", "null", "object", "array", "json"})
_KEYS = frozenset(PropSpec.__annotations__)


def freeze_spec(spec: SchemaSpec) -> FrozenDict:
    """Take an immutable copy of *spec*.

    Raises:
        SchemaError: It is not JSON, or nested too deep.
    """
    if not isinstance(spec, Mapping):
        raise SchemaError("unsupported JSON schema: parameters must be an object of declarations")
    try:
        frozen: FrozenDict = snapshot(spec)
    except CallError as error:
        raise SchemaError(f"unsupported JSON schema: parameters {error}") from error
    return frozen


def schema_spec_to_json_schema(spec: SchemaSpec) -> dict[str, Any]:
    """Convert *spec* to the JSON Schema of an object.

    `required` lists the required parameters in the order of the spec, and is left out when there are none.

    Raises:
        SchemaError: A declaration uses something that is not supported; it names every such place.
    """
    problems: list[str] = []
    schema = _object(freeze_spec(spec), "parameters", problems)
    if problems:
        raise SchemaError("unsupported JSON schema: " + "; ".join(problems))
    return {"type": "object", **schema}


def _object(properties: Mapping[str, Any], path: str, problems: list[str]) -> dict[str, Any]:
    converted: dict[str, Any] = {}
    required: list[str] = []
    for name, prop in properties.items():
        place = f"{path}.{name}"
        converted[name] = _property(prop, place, problems)
        if isinstance(prop, dict) and "required" in prop:
            if not isinstance(prop["required"], bool):
                problems.append(f"{place}.required must be true or false")
            elif prop["required"]:
                required.append(name)
    return {"properties": converted, **({"required": required} if required else {})}


def _property(prop: Any, path: str, problems: list[str]) -> dict[str, Any]:
    if not isinstance(prop, dict):
        problems.append(f"{path} must be an object")
        return {}
    problems.extend(f"{path}.{key} is not a supported keyword" for key in prop if key not in _KEYS)
    kind = prop.get("type")
    schema: dict[str, Any] = {}
    if "oneOf" in prop:
        if kind is not None:
            problems.append(f"{path} must have either type or oneOf")
    elif not isinstance(kind, str) or kind not in _TYPES:
        problems.append(f"{path}.type must be one of {', '.join(sorted(_TYPES))}")
    elif kind != "json":
        schema["type"] = kind
    schema |= _annotations(prop, path, problems)
    schema |= _children(prop, kind, path, problems)
    return schema


def _annotations(prop: Mapping[str, Any], path: str, problems: list[str]) -> dict[str, Any]:
    for key, right in (("description", str), ("title", str), ("enum", list), ("examples", list)):
        if key in prop and not isinstance(prop[key], right):
            problems.append(f"{path}.{key} must be {'text' if right is str else 'an array'}")
    members = prop.get("enum")
    if "const" in prop and isinstance(members, list) and not any(same_json(prop["const"], one) for one in members):
        problems.append(f"{path}.const must be a member of enum")
    kept = {key: prop[key] for key in ("description", "title") if prop.get(key)}
    return kept | {key: prop[key] for key in ("enum", "const", "default", "examples") if key in prop}


def _children(prop: Mapping[str, Any], kind: object, path: str, problems: list[str]) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    if kind == "object" and "properties" in prop:
        if isinstance(prop["properties"], dict):
            schema |= _object(prop["properties"], path, problems)
        else:
            problems.append(f"{path}.properties must be an object")
    if kind == "object" and "additionalProperties" in prop:
        if not isinstance(prop["additionalProperties"], bool):
            problems.append(f"{path}.additionalProperties must be true or false")
        schema["additionalProperties"] = prop["additionalProperties"]
    if kind == "array" and "items" in prop:
        schema["items"] = _property(prop["items"], f"{path}.items", problems)
    if "oneOf" in prop:
        branches = prop["oneOf"]
        if not isinstance(branches, list) or not branches[1:]:
            problems.append(f"{path}.oneOf must have at least two branches")
        else:
            schema["oneOf"] = [_property(one, f"{path}.oneOf[{n}]", problems) for n, one in enumerate(branches)]
    return schema
