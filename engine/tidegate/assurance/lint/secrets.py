"""Secrets that stand in rule files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...lang.ruleset import Entry, RawRule
from ...lang.scan import KeyPath
from ...redacting.finding import Finder
from ...redacting.formats import FORMATS, secret
from ...shown import quote
from .looking import Looking, Said, Slip


def secrets(look: Looking) -> Iterator[Said]:
    """Texts of rules, bindings and command entries that have the format of a secret; they are not shown again."""
    finder = Finder([secret(name) for name in FORMATS], (), 0)
    for rule_set in look.bench.outcome.rule_sets:
        entries: list[Entry] = [*rule_set.rules, *rule_set.bindings, *rule_set.commands]
        for entry in entries:
            found = list(_texts(entry.table, ()))
            spans = finder([text.encode("utf-8", "surrogatepass") for _, text in found])
            for (path, _), hits in zip(found, spans, strict=True):
                # What an example or a test shows on purpose is made up, and says so by where it stands.
                if hits and "example" not in path:
                    address = entry.address if isinstance(entry, RawRule) else ""
                    yield Slip(_finding(entry, path, hits[0].label), address, path)


def _finding(entry: Entry, path: KeyPath, label: str) -> Any:
    where = f"rule {quote(entry.address)}: " if isinstance(entry, RawRule) else ""
    return entry.finding(
        path,
        "secret-in-rule",
        f"{where}what stands here looks like a secret ({label.removeprefix('secret: ')})",
        why="rule files are read by many people, and are kept for ever where they are kept under version control",
        mend="take it out and revoke it; rules can name a secret by its format, as the kind `redact` does",
        of="value",
        severity="warning",
    )


def _texts(value: Any, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _texts(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _texts(inner, (*path, index))
