"""The JSON Schema of an entry of the table of commands, for editors of rule files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .compiling import SYNTAXES
from .entry_source import KEYS, OPTION_KEYS

_TEXTS = {"type": "array", "items": {"type": "string"}, "minItems": 1}
_TYPES: Mapping[type, Mapping[str, Any]] = {bool: {"type": "boolean"}, str: {"type": "string"}, list: _TEXTS}
_DOCS: Mapping[str, str] = {
    "aliases": "Other names of the program, or other spellings of the subcommand.",
    "abbreviates_commands": "Whether subcommands may be cut short.",
    "anywhere": "Whether options of the program may stand behind the subcommand too.",
    "commands": "Subcommands, each an entry; a name may be a glob.",
    "config": "Keys of the program's own configuration, and what their values are.",
    "default": "The operand that is meant where there is none.",
    "default_command": "The subcommand that is meant where there is none.",
    "does": "What the program does whatever its operands are.",
    "example": "Command lines with everything that they do.",
    "harmless": "Options that do nothing that a grant need name; several in one string, with `; ` between.",
    "harmless_commands": "Subcommands that a grant for the program with ` ...` admits.",
    "harmless_config": "Keys of the program's own configuration that are harmless, with globs.",
    "harmless_variables": "Environment variables that are harmless, with globs.",
    "like": "Takes everything from another entry, and adds to it.",
    "marks": "`recursive` and `force`: marks on everything that the program does to paths.",
    "named": "Options that a grant must name; several in one string, with `; ` between.",
    "number": "The option that `-5` stands for.",
    "operands": "The roles of operands by position, as in `pattern read...`.",
    "options": "Options that mean something, each in all its spellings, and what they mean.",
    "place": "`remote` or `container`: where what it runs in turn runs.",
    "shares": "Other subcommands of which all the same is true, each with further spellings behind a blank.",
    "special": "The name of what is done in code.",
    "stdin": "What standard input is where no operand says otherwise.",
    "syntax": "How the program reads its words.",
    "variables": "Environment variables, and what their values are.",
    "versions": "Whether a version may follow the name, as in `python3.12`.",
    "wrapper": "Whether running it adds nothing to what it runs in turn.",
}


def entry_schema(reference: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of one entry; *reference* is where it will stand, for the entries of subcommands."""
    properties: dict[str, Any] = {
        key: {**_TYPES.get(kind, {}), "description": _DOCS[key]} for key, kind in KEYS.items()
    }
    properties["commands"].update({"type": "object", "additionalProperties": {"$ref": reference}})
    for key in ("options", "variables", "config"):
        properties[key].update({"type": "object", "additionalProperties": {"anyOf": [{"type": "string"}, _option()]}})
    properties["syntax"]["enum"] = sorted(SYNTAXES)
    properties["example"]["items"] = _example()
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _option() -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {key: dict(_TYPES[kind]) for key, kind in OPTION_KEYS.items()},
    }


def _example() -> dict[str, Any]:
    return {
        "type": "object",
        "required": ["run", "effects"],
        "additionalProperties": False,
        "properties": {"run": {"type": "string"}, "effects": {"type": "array", "items": {"type": "string"}}},
    }
