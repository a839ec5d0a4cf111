"""Where each key and value of a TOML text stands.

TOML parsers give values without positions, so this goes over the text once more. It leans on the parser having
accepted the text, and its result counts only where it finds exactly the keys and items that the parser found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import tomli

KeyPath = tuple[str | int, ...]

MAX_DEPTH = 64
"""How many keys and list positions may lead to a value; the scanner stops at what lies deeper."""

_SPACE = re.compile(r"[ \t]*+")
_BLANK = re.compile(r"(?:[ \t\n]++|#[^\n]*+)*+")
_NAME = re.compile(r"""[A-Za-z0-9_-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+'""")
_DOT = re.compile(r"[ \t]*+\.[ \t]*+")
_EQUALS = re.compile(r"[ \t]*+=[ \t]*+")
_SCALAR = re.compile(
    r'''
    """(?:[^"\\]|\\.|"{1,2}(?!"))*+"{3,5}
    | "(?:[^"\\\n]|\\.)*+"
    | \'\'\'(?:[^']|'{1,2}(?!'))*+'{3,5}
    | '[^'\n]*+'
    | \d{4}-\d\d-\d\d\ \d[^\s,\]}#]*+
    | [^\s,\]}#"'\[{]++
    ''',
    re.DOTALL | re.VERBOSE,
)


class Offsets(NamedTuple):
    """Offsets of keys and of values by path.

    A list item has no key, a table that only a dotted key implies has the offset of that key as its value, and
    a table with a header has that of the header's bracket. A key that is written twice keeps its first place;
    `again` lists the later ones, and `statement` is the offset of the last statement begun.
    """

    keys: dict[KeyPath, int]
    values: dict[KeyPath, int]
    again: list[tuple[KeyPath, int]]
    statement: int


class _Lost(Exception):
    """The text is not what the scanner takes TOML to be, or too deep."""


def scan(text: str, values: dict[str, Any]) -> Offsets:
    """The offsets in *text*, of which the parser made *values*; none at all where the two do not agree."""
    offsets = scan_prefix(text)
    if offsets.values.keys() == set(_paths(values)):
        return offsets
    return Offsets({}, {}, [], 0)


def scan_prefix(text: str) -> Offsets:
    """The offsets in *text* up to where it stops being TOML."""
    scanner = _Scanner(text)
    with suppress(_Lost, IndexError, tomli.TOMLDecodeError):
        scanner.run()
    return Offsets(scanner.keys, scanner.values, scanner.again, scanner.statement)


def _paths(values: dict[str, Any]) -> Iterator[KeyPath]:
    todo: list[tuple[KeyPath, Any]] = [((), values)]
    while todo:
        path, value = todo.pop()
        if path:
            yield path
        if isinstance(value, dict):
            todo.extend(((*path, key), item) for key, item in value.items())
        elif isinstance(value, list):
            todo.extend(((*path, index), item) for index, item in enumerate(value))


class _Scanner:
    """One pass over a text. Nesting costs no recursion, so that hostile depth is harmless."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.keys: dict[KeyPath, int] = {}
        self.values: dict[KeyPath, int] = {}
        self.again: list[tuple[KeyPath, int]] = []
        self.statement = 0
        self._last: dict[KeyPath, int] = {}  # position of the newest item of each array of tables

    def run(self) -> None:
        table: KeyPath = ()
        at = self._skip(_BLANK, 0)
        while at < len(self.text):
            self.statement = at
            if self.text[at] == "[":
                table, at = self._header(at)
            else:
                path, at = self._key(table, at)
                at = self._value(path, at)
            at = self._skip(_BLANK, at)

    def _skip(self, pattern: re.Pattern[str], at: int) -> int:
        match = pattern.match(self.text, at)
        if match is None:
            raise _Lost
        return match.end()

    def _header(self, start: int) -> tuple[KeyPath, int]:
        is_item = self.text.startswith("[[", start)
        names, at = self._names(self._skip(_SPACE, start + 1 + is_item))
        path = self._declare((), names)
        self.values.setdefault(path, start)
        if is_item:
            self._last[path] = self._last.get(path, -1) + 1
            path = self._newest(path)
            self.values[path] = start
        return path, self._skip(_SPACE, at) + 1 + is_item

    def _key(self, table: KeyPath, at: int) -> tuple[KeyPath, int]:
        names, at = self._names(at)
        return self._declare(table, names), self._skip(_EQUALS, at)

    def _declare(self, table: KeyPath, names: list[tuple[str, int]]) -> KeyPath:
        """Note the keys of a dotted name under *table*, and return the path of the last one."""
        path = table
        for name, offset in names:
            if path != table:
                self.values.setdefault(path, self.keys[path])
            path = (*self._newest(path), name)
            if path not in self.keys:
                self.keys[path] = offset
            elif offset == names[-1][1]:
                self.again.append((path, offset))
        return path

    def _newest(self, path: KeyPath) -> KeyPath:
        """The path of the newest item where *path* is an array of tables, else *path*."""
        return (*path, self._last[path]) if path in self._last else path

    def _names(self, at: int) -> tuple[list[tuple[str, int]], int]:
        names: list[tuple[str, int]] = []
        while len(names) < MAX_DEPTH:
            end = self._skip(_NAME, at)
            names.append((_plain(self.text[at:end]), at))
            dot = _DOT.match(self.text, end)
            if dot is None:
                return names, end
            at = dot.end()
        raise _Lost

    def _value(self, path: KeyPath, at: int) -> int:
        around: list[tuple[KeyPath, int]] = []  # open lists with their next position, open inline tables with -1
        while len(path) <= MAX_DEPTH:
            self.values.setdefault(path, at)
            if self.text[at] in "[{":
                around.append((path, 0 if self.text[at] == "[" else -1))
                at = self._skip(_BLANK, at + 1)
            else:
                at = self._after(self._skip(_SCALAR, at), around)
            while around and self.text[at] in "]}":
                around.pop()
                at = self._after(at + 1, around)
            if not around:
                return at
            path, item = around[-1]
            if item < 0:
                path, at = self._key(path, at)
            else:
                around[-1] = (path, item + 1)
                path = (*path, item)
        raise _Lost

    def _after(self, at: int, around: list[tuple[KeyPath, int]]) -> int:
        """Step over what may stand behind an item of a list or inline table: blanks and a comma."""
        if not around:
            return at
        at = self._skip(_BLANK, at)
        return self._skip(_BLANK, at + 1) if self.text[at] == "," else at


def _plain(name: str) -> str:
    if name[0] == '"' and "\\" in name:
        return str(tomli.loads(f"name = {name}")["name"])
    return name[1:-1] if name[0] in "\"'" else name
