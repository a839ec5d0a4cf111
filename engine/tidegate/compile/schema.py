"""The JSON Schema of a rule file, made from the kinds; editors read it through `#:schema`."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import attrs

from ..kind import Kind, Phase
from ..lang.keys import TOP_KEYS
from ..meaning.commands.schema import entry_schema
from ..predicates import Predicate
from .bindings import BindingFields
from .fields import ConditionFields, common_fields
from .problems import key_of

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
ID = r"^[a-z0-9][a-z0-9._-]*$"

COMMENT = "Generated from the kinds by scripts/generate.py; `tidegate schema` prints it for the tidegate that you have."

_SCALARS: Mapping[Any, Schema] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    dt.date: {"anyOf": [{"type": "string", "format": form} for form in ("date", "date-time", "partial-date-time")]},
}
_BOUNDS = ("minimum", "maximum", "pattern")

OWN_DOCS: Mapping[str, str] = {
    "id": "Names the rule in decisions, overrides and reports.",
    "kind": "What type of policy it is.",
    "overridable": "Whether lower layers may override the rule.",
}
"""What is said of the keys of a rule that are no fields of a class."""

TOP_DOCS: Mapping[str, str] = {
    "version": "The version of the rule language.",
    "default": "What becomes of a call with an effect that nothing covers; `deny` unless it is said.",
    "include": 'Files and packs that come first: `"pack:baseline"`, `"policies/*.toml"`.',
    "mode": "`monitor` records what the rules would do and refuses nothing.",
    "delegate": "Globs of tools that are left to the next layer where only `default` has something to say.",
    "reload": "`stricter` takes over changed rules by itself only if they loosen nothing.",
    "kinds": "Kinds of installed packages that the rules may use.",
    "self_protection": "`false` lets calls change the rules themselves; for the managed layer only.",
    "tools": "What the arguments of tools mean, by tool and argument.",
    "commands": "Programs, options and subcommands that the table of commands does not know.",
    "rule": "One configured use of a kind.",
    "override": "What this file changes about a rule that comes from elsewhere.",
    "$schema": "Where the JSON Schema is; nothing else reads it.",
}
"""What is said of the keys at the top of a rule file."""


def rule_file_schema(kinds: Iterable[Kind]) -> Schema:
    """The JSON Schema (2020-12) of a rule file whose rules are of these kinds.

    It is as strict as the loader in what it can say: no unknown key, no other type, no empty array. What depends on
    several values (a pattern, an include, an address) only the loader sees. A TOML date counts as a string.
    """
    kinds = sorted(kinds, key=lambda kind: kind.name)
    defs: dict[str, Schema] = {}
    for kind in kinds:
        defs[f"rule.{kind.name}"] = _rule(kind, defs)
    known = [kind.name for kind in kinds]
    defs["rule"] = {
        "type": "object",
        "required": ["id", "kind"],
        "properties": {"kind": {"enum": known}},
        "additionalProperties": True,
        # One branch for each kind, by its name: an editor then says what is wrong in the one that was meant.
        "allOf": [_branch(name) for name in known],
    }
    defs["override"] = _override(kinds, defs)
    defs["tool"] = {
        "type": "object",
        "additionalProperties": _class(BindingFields, defs),
        "description": "The arguments of this tool, each by name or JSON pointer.",
    }
    defs["command"] = entry_schema("#/$defs/command")
    properties = {name: _top(name, defs) for name in TOP_KEYS}
    return {
        "$schema": DIALECT,
        "$comment": COMMENT,
        "title": "tidegate rules",
        "type": "object",
        "required": ["version"],
        "additionalProperties": False,
        "properties": properties,
        "$defs": dict(sorted(defs.items())),
    }


def class_file_schema(owner: type, title: str) -> Schema:
    """The JSON Schema (2020-12) of a TOML file whose top holds the fields of one attrs class, and `$schema`."""
    defs: dict[str, Schema] = {}
    name = _class(owner, defs)["$ref"].rpartition("/")[2]
    top = defs.pop(name)
    top["properties"] = {**top["properties"], "$schema": {"description": TOP_DOCS["$schema"]}}
    return {"$schema": DIALECT, "$comment": COMMENT, "title": title, **top, "$defs": dict(sorted(defs.items()))}


def _branch(kind: str) -> Schema:
    """What holds of a rule of this kind, and of no other."""
    is_of_kind = {"required": ["kind"], "properties": {"kind": {"const": kind}}}
    return {"if": is_of_kind, "then": {"$ref": f"#/$defs/rule.{kind}"}}


def _top(name: str, defs: dict[str, Schema]) -> Schema:
    """The schema of one key of the top of a rule file."""
    key = TOP_KEYS[name]
    inner: dict[str, Schema] = {"tools": {"$ref": "#/$defs/tool"}, "commands": {"$ref": "#/$defs/command"}}
    match key.shape:
        case "version":
            shape: Schema = {"const": 1}
        case "word":
            shape = {"enum": list(key.words)}
        case "boolean":
            shape = {"type": "boolean"}
        case "strings":
            shape = _array({"type": "string"})
        case "tables":
            shape = _array({"$ref": f"#/$defs/{name}"} if name in defs else {"type": "object"})
        case "named tables":
            shape = {"type": "object", "additionalProperties": inner.get(name, {"type": "object"})}
        case "ignored":
            shape = {}
    return {**shape, "description": TOP_DOCS[name]}


def _rule(kind: Kind, defs: dict[str, Schema]) -> Schema:
    """A rule of one kind: its own fields, and those that every rule of its phase has."""
    common = common_fields(kind.phase)
    properties: dict[str, Schema] = {
        "id": {"type": "string", "pattern": ID, "description": OWN_DOCS["id"]},
        "kind": {"const": kind.name, "description": kind.summary},
        "overridable": {"type": "boolean", "description": OWN_DOCS["overridable"]},
    }
    properties |= _properties(kind.fields, defs) | _properties(common, defs)
    needed = [key_of(field.name) for field in attrs.fields(kind.fields) if field.default is attrs.NOTHING]
    return {
        "type": "object",
        "title": kind.name,
        "description": kind.summary,
        "required": ["id", "kind", *needed],
        "additionalProperties": False,
        "properties": properties,
    }


def _override(kinds: Iterable[Kind], defs: dict[str, Schema]) -> Schema:
    """Every field that a rule of any kind has, in each of the forms that it has anywhere."""
    forms: dict[str, list[Schema]] = {}
    classes = [*(kind.fields for kind in kinds), common_fields(Phase.GUARD)]
    for owner in classes:
        for key, schema in _properties(owner, defs).items():
            if schema not in (known := forms.setdefault(key, [])):
                known.append(schema)
    properties: dict[str, Schema] = {
        "rule": {"type": "string", "description": "The rule that is changed, with its pack: `baseline/secrets`."},
        "overridable": {"type": "boolean"},
    }
    properties |= {key: found[0] if len(found) == 1 else {"anyOf": found} for key, found in forms.items()}
    return {"type": "object", "required": ["rule"], "additionalProperties": False, "properties": properties}


def _properties(owner: type, defs: dict[str, Schema]) -> dict[str, Schema]:
    """The schemas of all fields of a class, by TOML key, with their docs and bounds."""
    hints = get_type_hints(owner)
    if owner is ConditionFields:
        # What stands under `args` and `env` is sorted out by hand, so its annotation does not tell.
        hints["args"] = dict[str, str | bool | float | tuple[Any, ...] | Predicate] | None
        hints["env"] = dict[str, str | tuple[str, ...] | Predicate] | None
    return {key_of(field.name): _field(field, hints[field.name], defs) for field in attrs.fields(owner)}


def _field(field: Any, hint: Any, defs: dict[str, Schema]) -> Schema:
    schema = dict(_of(hint, defs))
    schema |= {key: field.metadata[key] for key in _BOUNDS if field.metadata.get(key) is not None}
    if "doc" in field.metadata:
        schema["description"] = field.metadata["doc"]
    if isinstance(field.default, str | bool | int | float) and field.default != "":
        schema["default"] = field.default
    return schema


def _of(hint: Any, defs: dict[str, Schema]) -> Schema:
    """The schema of a type."""
    if hint in _SCALARS:
        return _SCALARS[hint]
    if get_origin(hint) is Literal:
        return {"enum": list(get_args(hint))}
    if attrs.has(hint):
        return _class(hint, defs)
    origin = get_origin(hint)
    if origin is tuple:
        return _array(_of(get_args(hint)[0], defs))
    if hint is dict or origin in (dict, Mapping):
        values = (get_args(hint) or (str, Any))[1]
        return {"type": "object", "additionalProperties": _of(values, defs) or True}
    if origin in (Union, UnionType):
        options = [_of(option, defs) for option in get_args(hint) if option is not NoneType]
        return options[0] if len(options) == 1 else {"anyOf": options}
    return {}


def _class(owner: type, defs: dict[str, Schema]) -> Schema:
    """A reference to the schema of a class, which is made where it is first met."""
    name = _NAMES.get(owner, owner.__name__)
    if name not in defs:
        defs[name] = {}  # a class may hold itself
        needed = [key_of(field.name) for field in attrs.fields(owner) if field.default is attrs.NOTHING]
        defs[name] = {
            "type": "object",
            "description": " ".join((owner.__doc__ or "").split()),
            **({"required": needed} if needed else {}),
            "additionalProperties": False,
            "properties": _properties(owner, defs),
        }
    return {"$ref": f"#/$defs/{name}"}


_NAMES: Mapping[type, str] = {BindingFields: "binding", ConditionFields: "condition", Predicate: "predicate"}


def _array(items: Schema) -> Schema:
    return {"type": "array", "minItems": 1, "items": items}


def type_in_words(hint: Any) -> str:
    """What TOML calls the values of a type: "string", "array of strings", "`deny` or `ask`"."""
    words: Mapping[Any, str] = {
        str: "string",
        bool: "boolean",
        int: "integer",
        float: "number",
        dt.date: "date",
        Any: "any value",
    }
    if hint in words:
        return words[hint]
    origin = get_origin(hint)
    if origin is Literal:
        return " or ".join(f"`{option}`" for option in get_args(hint))
    if origin is tuple:
        inner = get_args(hint)[0]
        plain = type_in_words(inner)
        return f"array of {plain}s" if plain.isalpha() else f"array of {plain}"
    if origin in (Union, UnionType):
        options = [type_in_words(option) for option in get_args(hint) if option is not NoneType]
        return ", or ".join(dict.fromkeys(options))
    return "table"
