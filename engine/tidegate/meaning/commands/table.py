"""The table of commands: which program has an entry, and what the entry says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

import tomli

from .compiling import compile_entry
from .entry import Entry, Keys
from .entry_source import EntryError, Raw, Source
from .extending import check_name, check_variables, grown

_HEADER = re.compile(r'^\[(?:"([^"\n]+)"|([\w-]+))\]', re.MULTILINE)
_ALIASES = re.compile(r"^aliases = \[([^\]]*)\]", re.MULTILINE)
_VERSION = re.compile(r"-?[0-9]+(?:\.[0-9]+)*$")
_EVERY = "*"


class _Shelf(Protocol):
    """Where tables of entries are found by the name or alias of a program."""

    def find(self, name: str) -> tuple[str, Raw] | None: ...

    def names(self) -> Iterator[str]: ...


class Table:
    """Entries by program name, read and compiled when a name is first asked for.

    A table never changes: `extended` makes a new one. It may be shared by threads.
    """

    def __init__(self, shelf: _Shelf) -> None:
        self._shelf = shelf
        self._entries: dict[str, Entry | None] = {}
        self._common: Keys | None = None

    @classmethod
    def builtin(cls) -> Table:
        """The table that ships with the package."""
        return cls(_Files())

    def extended(self, entries: Mapping[str, Mapping[str, Any]]) -> Table:
        """A table with the `[commands.NAME]` tables of a rule file added; nothing that is there can change.

        A new program becomes an entry. For a program that has one, only options, variables, config keys and
        subcommands that the entry does not declare may be added, and nothing declared may become harmless.

        Raises:
            EntryError: An entry is not one, or changes what is declared; carries the path of the key.
        """
        shelf = self._shelf
        common = self.raw(_EVERY) or {}
        for name, added in entries.items():
            known = Table(shelf).entry(name)
            check_name(name, added, lambda alias, shelf=shelf: Table(shelf).entry(alias) is not None)  # type: ignore[misc]
            check_variables(added, common, (name,))
            shelf = _Added(shelf, name if known is None else known.name, added, name)
            try:
                compile_whole(Table(shelf), name)
            except EntryError as error:
                raise EntryError((name, *error.path[1:]), error.what, error.why, error.mend) from None
        return Table(shelf)

    def entry(self, name: str) -> Entry | None:
        """The entry of the program *name*, or `None` where there is none.

        A name that ends in a version (`python3.12`) has the entry without it where that entry says so.
        """
        try:
            return self._entries[name]
        except KeyError:
            entry = self._entries[name] = self._compiled(name)
            return entry

    def versioned(self, name: str) -> bool:
        """Whether a version behind *name* leaves the program what it is (`python3.12`)."""
        found = self._shelf.find(name)
        return found is not None and found[1].get("versions", False) is True

    @property
    def common(self) -> Keys:
        """The environment variables that mean the same to every program."""
        if self._common is None:
            every = self.entry(_EVERY)
            self._common = every.variables if every is not None else Keys({}, ())
        return self._common

    def raw(self, name: str) -> Raw | None:
        """The table of the entry as it stands in the file."""
        found = self._shelf.find(name)
        return found[1] if found else None

    def names(self) -> Iterator[str]:
        """Every program that has an entry of its own."""
        return (name for name in self._shelf.names() if name != _EVERY)

    def _compiled(self, name: str) -> Entry | None:
        found = self._shelf.find(name)
        if found is None:
            plain = _VERSION.sub("", name)
            found = self._shelf.find(plain) if plain not in (name, "") else None
            if found is None or not found[1].get("versions", False):
                return None
        return compile_entry(found[0], found[1], Source(self.raw))


def compile_whole(table: Table, name: str) -> None:
    """Compile an entry with all its subcommands, so that whatever is wrong in it comes up.

    Raises:
        EntryError: Something in it is not understood.
    """
    entry = table.entry(name)
    waiting = [entry] if entry is not None else []
    while waiting:
        entry = waiting.pop()
        if entry.commands is not None:
            names = {*entry.commands.canonical.values(), *entry.commands.globs}
            waiting.extend(entry.commands.entry(key, entry) for key in names)


class _Files:
    """The files of the package; each entry is cut out and parsed when it is asked for."""

    def __init__(self) -> None:
        self._texts: dict[str, str] | None = None
        self._names: dict[str, str] = {}
        self._tables: dict[str, Raw] = {}

    def find(self, name: str) -> tuple[str, Raw] | None:
        """The canonical name and the table of the program *name*."""
        texts = self._scanned()
        name = self._names.get(name, name)
        table = self._tables.get(name)
        if table is None:
            text = texts.get(name)
            if text is None:
                return None
            table = self._tables[name] = tomli.loads(text)[name]
        return name, table

    def names(self) -> Iterator[str]:
        """Every program that has an entry."""
        return iter(self._scanned())

    def _scanned(self) -> dict[str, str]:
        """The text of each entry by name: from its header to the next."""
        if self._texts is None:
            texts: dict[str, str] = {}
            names: dict[str, str] = {}
            for file in sorted(Path(__file__).with_name("table").glob("*.toml")):
                _scan(file.read_text("utf-8"), texts, names)
            self._names = names
            self._texts = texts
        return self._texts


def _scan(text: str, texts: dict[str, str], names: dict[str, str]) -> None:
    headers = list(_HEADER.finditer(text))
    ends = [header.start() for header in headers[1:]] + [len(text)]
    for header, end in zip(headers, ends, strict=True):
        name = header[1] or header[2]
        texts[name] = text[header.start() : end]
        head = texts[name].partition("\n[")[0]
        aliases = _ALIASES.search(head)
        if aliases:
            names.update((alias, name) for alias in tomli.loads(aliases[0])["aliases"])


class _Added:
    """One table of a rule file on top of others.

    `name` is the canonical name of the program, `given` the one under which the rule file has it.
    """

    def __init__(self, base: _Shelf, name: str, added: Raw, given: str) -> None:
        self._base = base
        self._name = name
        self._names = frozenset((name, *added.get("aliases", ())))
        known = base.find(name)
        self._table = added if known is None else grown(known[1], added, (given,))

    def find(self, name: str) -> tuple[str, Raw] | None:
        """The canonical name and the table of the program *name*."""
        known = self._base.find(name)
        if name in self._names or (known is not None and known[0] == self._name):
            return self._name, self._table
        return known

    def names(self) -> Iterator[str]:
        """Every program that has an entry."""
        return iter({**dict.fromkeys(self._base.names()), self._name: None})


__all__ = ["EntryError", "Table", "compile_whole"]
