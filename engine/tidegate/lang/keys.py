"""The keys at the top of a rule file, and whether their values have the right shape."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal

from attrs import frozen

from ..errors import Finding
from ..shown import quote
from .document import Document
from .inline import inline
from .nearest import nearest
from .ruleset import LAYERS, Layer
from .scan import KeyPath
from .words import a, quoted, toml_key, type_word

Shape = Literal["version", "word", "boolean", "strings", "tables", "named tables", "ignored"]

VERSION = 1
"""The version of the rule language that this package reads."""

WHY_WRONG_TYPE = "values are taken as they are written and never converted, so that a rule says exactly what it shows"
WHY_EMPTY = "an empty array says nothing, and whether it was to mean everything or nothing cannot be known"
WHY_UNKNOWN_KEY = "a key that nothing reads would leave the rules weaker than they look"


@frozen
class TopKey:
    """One key of the top of a rule file.

    `example` is how it is written; `layers` are the layers that may have it, and with `once` it may stand
    in the top file of a layer only.
    """

    shape: Shape
    example: str
    words: tuple[str, ...] = ()
    once: bool = False
    layers: tuple[Layer, ...] = LAYERS


TOP_KEYS: Mapping[str, TopKey] = MappingProxyType(
    {
        "version": TopKey("version", "version = 1"),
        "default": TopKey("word", 'default = "deny"', ("allow", "ask", "deny"), once=True),
        "include": TopKey("strings", 'include = ["pack:baseline", "policies/*.toml"]'),
        "mode": TopKey("word", 'mode = "enforce"', ("enforce", "monitor"), once=True),
        "delegate": TopKey("strings", 'delegate = ["read_*"]', once=True, layers=("managed", "project")),
        "reload": TopKey("word", 'reload = "stricter"', ("any", "stricter"), once=True),
        "kinds": TopKey("strings", 'kinds = ["acme-ticket"]', once=True),
        "self_protection": TopKey("boolean", "self_protection = false", once=True, layers=("managed",)),
        "tools": TopKey("named tables", "[tools.NAME]"),
        "commands": TopKey("named tables", "[commands.NAME]"),
        "rule": TopKey("tables", "[[rule]]"),
        "override": TopKey("tables", "[[override]]"),
        "$schema": TopKey("ignored", '"$schema" = "rules.schema.json"'),
    }
)
"""What may stand at the top of a rule file."""


def unknown_key(document: Document, name: str, *, suggest: bool) -> Finding:
    """The finding for a key at the top of a file that no rule file has; with *suggest* it names the nearest one."""
    meant = nearest(name, TOP_KEYS) if suggest else None
    known = quoted(key for key, spec in TOP_KEYS.items() if spec.shape != "ignored")
    return document.finding(
        (name,),
        "unknown-key",
        f"unknown key {quote(name)} at the top of the file",
        why=WHY_UNKNOWN_KEY,
        mend=f"write `{_spelling(meant)}`" if meant else f"remove it; the top of a file takes {known}",
    )


def check(document: Document, name: str) -> list[Finding]:
    """What is wrong with the value of a known top key; its items are judged one by one."""
    spec = TOP_KEYS[name]
    match spec.shape:
        case "version":
            wrong = _version(document)
        case "word":
            wrong = _word(document, name, spec)
        case "boolean":
            wrong = _typed(document, (name,), bool, "boolean", spec.example)
        case "strings" | "tables":
            return _items(document, name, spec)
        case "named tables":
            return _named_tables(document, name, spec)
        case "ignored":
            wrong = None
    return [wrong] if wrong else []


def wrong_type(document: Document, path: KeyPath, value: Any, wanted: str, example: str) -> Finding:
    """The finding for a value of another type than the key takes."""
    name = quote(str(path[-1])) if isinstance(path[-1], str) else f"item {path[-1] + 1} of {quote(str(path[-2]))}"
    return document.finding(
        path,
        "wrong-type",
        f"{name} is {a(type_word(value))}, not {a(wanted)}",
        why=WHY_WRONG_TYPE,
        mend=f"write {quote(example, 200)}",
        of="value",
    )


def _typed(document: Document, path: KeyPath, kind: type, wanted: str, example: str) -> Finding | None:
    value = document.value(path)
    return None if isinstance(value, kind) else wrong_type(document, path, value, wanted, example)


def _word(document: Document, name: str, spec: TopKey) -> Finding | None:
    value = document.values[name]
    if not isinstance(value, str):
        return wrong_type(document, (name,), value, "string", spec.example)
    if value in spec.words:
        return None
    meant = nearest(value, spec.words)
    return document.finding(
        (name,),
        "bad-value",
        f"{quote(name)} is {quote(value)}, which is no word that it takes",
        why="a word that nothing understands would leave the rules other than they look",
        mend=f'write `{name} = "{meant}"`' if meant else f"write {quoted(spec.words, 'or')}",
        of="value",
    )


def _version(document: Document) -> Finding | None:
    value = document.values["version"]
    if not isinstance(value, int) or isinstance(value, bool):
        return wrong_type(document, ("version",), value, "integer", "version = 1")
    if value == VERSION:
        return None
    return document.finding(
        ("version",),
        "bad-value",
        f"`version` is {_shown(value)}, and this tidegate reads version {VERSION}",
        why="another version may give the same words another meaning",
        mend=f"write `version = {VERSION}`, or use the tidegate that the file was written for",
        of="value",
    )


def _shown(number: int) -> str:
    """The number; a huge one cannot even be printed."""
    return str(number) if number.bit_length() <= 64 else "a huge number"  # noqa: PLR2004 - TOML promises 64 bits


def _items(document: Document, name: str, spec: TopKey) -> list[Finding]:
    noun, kind = ("string", str) if spec.shape == "strings" else ("table", dict)
    value = document.values[name]
    if not isinstance(value, list):
        example = f"{name} = {inline([value])}" if kind is str and isinstance(value, str) else spec.example
        return [wrong_type(document, (name,), value, f"array of {noun}s", example)]
    if not value:
        mend = f"write `{spec.example}` or remove the key"
        return [document.finding((name,), "empty-list", f"{quote(name)} is empty", why=WHY_EMPTY, mend=mend)]
    items = (_typed(document, (name, index), kind, noun, spec.example) for index in range(len(value)))
    return [wrong for wrong in items if wrong]


def _named_tables(document: Document, name: str, spec: TopKey) -> list[Finding]:
    value = document.values[name]
    if not isinstance(value, dict):
        return [wrong_type(document, (name,), value, "table", spec.example)]
    items = (_typed(document, (name, key), dict, "table", f"[{name}.{toml_key(key)}]") for key in value)
    return [wrong for wrong in items if wrong]


def _spelling(name: str) -> str:
    shape = TOP_KEYS[name].shape
    return TOP_KEYS[name].example if shape in {"tables", "named tables"} else name
