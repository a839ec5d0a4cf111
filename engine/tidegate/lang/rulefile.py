"""One document to what it says: its includes, settings, rules, overrides, bindings and the rest, with findings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from attrs import evolve, frozen

from ..errors import Finding
from ..shown import quote
from . import keys
from .document import Document
from .nearest import MANY, nearest
from .ruleset import Entry, Layer, RawBinding, RawCommand, RawRule, Settings, Source
from .words import ROLES, quoted, toml_key

_ID = re.compile(r"[a-z0-9][a-z0-9._-]*+")
_NO_ID = re.compile(r"[^a-z0-9._-]+")
_OWN_FIELDS = frozenset({"id", "kind", "overridable"})


@frozen
class RuleFile:
    """Everything that one rule file says, before includes and overrides are followed.

    `includes` holds the entries of `include` with their positions in it.
    """

    source: Source
    document: Document
    settings: Settings
    includes: tuple[tuple[int, str], ...]
    rules: tuple[RawRule, ...]
    overrides: tuple[Entry, ...]
    bindings: tuple[RawBinding, ...]
    commands: tuple[RawCommand, ...]


def read(document: Document, source: Source, layer: Layer, top: Source, report: list[Finding]) -> RuleFile:
    """Take the file apart. What is wrong is added to *report*; what is right in it is kept all the same.

    *top* is the top file of the layer, the only one that may hold settings.
    """
    report.extend(_top_level(document, layer, None if source is top else top))
    return RuleFile(
        source=source,
        document=document,
        settings=_settings(document) if source is top else Settings(),
        includes=tuple((index, text) for index, text in enumerate(_list(document, "include")) if isinstance(text, str)),
        rules=tuple(_rule(entry, source, layer, report) for entry in _tables(document, "rule")),
        overrides=_tables(document, "override"),
        bindings=tuple(_bindings(document, source, layer, report)),
        commands=tuple(
            RawCommand(
                document=document, path=("commands", name), table=table, name=name, layer=layer, source=source
            )
            for name, table in _named(document, "commands")
        ),
    )  # fmt: skip


def _top_level(document: Document, layer: Layer, top: Source | None) -> list[Finding]:
    """The findings about the keys at the top; *top* is the layer's top file where this is another one."""
    report: list[Finding] = []
    if "version" not in document.values:
        report.append(
            document.finding(
                (),
                "missing-key",
                "`version` is missing",
                why="it says in which version of the rule language the file is written",
                mend=f"begin the file with `version = {keys.VERSION}`",
            )
        )
    for name in document.values:
        spec = keys.TOP_KEYS.get(name)
        if spec is None:
            report.append(keys.unknown_key(document, name, suggest=len(report) < MANY))
            continue
        report.extend(keys.check(document, name))
        if top is not None and spec.once:
            report.append(_misplaced_in_include(document, name, top))
        elif layer not in spec.layers:
            report.append(_misplaced_in_layer(document, name, layer))
    return report


def _misplaced_in_include(document: Document, name: str, top: Source) -> Finding:
    return document.finding(
        (name,),
        "misplaced-key",
        f"{quote(name)} stands in an included file",
        why="it holds for a whole layer, so only the top file of the layer may say it",
        mend=f"remove it, or move it to {quote(top.shown)}",
    )


def _misplaced_in_layer(document: Document, name: str, layer: Layer) -> Finding:
    allowed = keys.TOP_KEYS[name].layers
    return document.finding(
        (name,),
        "misplaced-key",
        f"{quote(name)} stands in the {layer} layer",
        why=f"it is for the {quoted(allowed, 'or')} layer to say, and no layer takes more than a higher one leaves it",
        mend="remove it",
    )


def _settings(document: Document) -> Settings:
    """The settings that have the right shape; the others keep their defaults, which loosen nothing."""
    given: dict[str, Any] = {}
    for name, spec in keys.TOP_KEYS.items():
        if spec.once and name in document.values and not keys.check(document, name):
            value = document.values[name]
            given[name] = tuple(value) if isinstance(value, list) else value
    return Settings(**given)


def _list(document: Document, name: str) -> list[Any]:
    value = document.values.get(name)
    return value if isinstance(value, list) else []


def _tables(document: Document, name: str) -> tuple[Entry, ...]:
    items = enumerate(_list(document, name))
    return tuple(
        Entry(document=document, path=(name, index), table=table) for index, table in items if isinstance(table, dict)
    )


def _named(document: Document, name: str) -> list[tuple[str, dict[str, Any]]]:
    tables = document.values.get(name)
    if not isinstance(tables, dict):
        return []
    return [(key, table) for key, table in tables.items() if isinstance(table, dict)]


def _bindings(document: Document, source: Source, layer: Layer, report: list[Finding]) -> list[RawBinding]:
    bindings = []
    for tool, arguments in _named(document, "tools"):
        for argument, table in arguments.items():
            path = ("tools", tool, argument)
            if not isinstance(table, dict):
                finding = keys.wrong_type(document, path, table, "table", "")
                report.append(evolve(finding, mend=_mend_of_binding(argument, table)))
                continue
            bindings.append(
                RawBinding(
                    document=document,
                    path=path,
                    table=table,
                    tool=tool,
                    argument=argument,
                    layer=layer,
                    source=source,
                )
            )
    return bindings


def _mend_of_binding(argument: str, value: Any) -> str:
    """The table that was meant. Nobody is told a role that was not written: `text` would turn all looking into off."""
    written = value[0] if isinstance(value, list) and len(value) == 1 else value
    role = nearest(written, ROLES) if isinstance(written, str) else None
    if role is None:
        return f"write a table with the `role` of the argument, {quoted(ROLES, 'or')}"
    access = ', access = ["read", "write", "delete"]' if role == "path" else ""
    return f'write `{toml_key(argument)} = {{ role = "{role}"{access} }}`'


def _rule(entry: Entry, source: Source, layer: Layer, report: list[Finding]) -> RawRule:
    """The rule of a `[[rule]]`; its kind is empty where it says none."""
    report.extend(_wrong_id(entry))
    written = entry.table.get("id")
    number = f"#{int(entry.path[-1]) + 1}"
    name = written if isinstance(written, str) and written else number
    unique = name if _ID.fullmatch(name) else number
    kind = _kind(entry, name, report)
    overridable = entry.table.get("overridable", False)
    if not isinstance(overridable, bool):
        path = (*entry.path, "overridable")
        report.append(keys.wrong_type(entry.document, path, overridable, "boolean", "overridable = true"))
    return RawRule(
        document=entry.document,
        path=entry.path,
        table=entry.table,
        id=name,
        address=f"{source.pack}/{unique}" if source.pack else unique,
        kind=kind,
        fields={key: value for key, value in entry.table.items() if key not in _OWN_FIELDS},
        overridable=overridable is True,
        layer=layer,
        source=source,
    )


def _wrong_id(entry: Entry) -> Iterator[Finding]:
    value = entry.table.get("id")
    if value is None:
        yield entry.finding(
            (),
            "missing-key",
            "this rule has no `id`",
            why="decisions, overrides and reports name a rule by its `id`",
            mend='write one that says what the rule is for, like `id = "no-force-push"`',
        )
    elif not isinstance(value, str):
        yield keys.wrong_type(entry.document, (*entry.path, "id"), value, "string", 'id = "no-force-push"')
    elif not _ID.fullmatch(value):
        yield entry.finding(
            ("id",),
            "bad-id",
            f"the `id` {quote(value)} is not a plain name",
            why="an `id` begins with a small letter or digit and goes on with these, `.`, `_` and `-`, "
            "so that it can be written anywhere without quotes",
            mend=f'write `id = "{_slug(value)}"`',
            of="value",
        )


def _slug(text: str) -> str:
    return _NO_ID.sub("-", text.lower()).strip("-._")[:60].rstrip("-._") or "no-force-push"


def _kind(entry: Entry, name: str, report: list[Finding]) -> str:
    value = entry.table.get("kind")
    if isinstance(value, str) and value:
        return value
    if value is None or value == "":
        report.append(
            entry.finding(
                (),
                "missing-key",
                f"rule {quote(name)} has no `kind`",
                why="the kind says what the other keys of the rule mean",
                mend='write it, like `kind = "path"` or `kind = "command"`',
            )
        )
    else:
        report.append(keys.wrong_type(entry.document, (*entry.path, "kind"), value, "string", 'kind = "path"'))
    return ""
