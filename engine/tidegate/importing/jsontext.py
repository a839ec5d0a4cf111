"""JSON whose values know where they stand; with comments and trailing commas where a tool's own reader takes them."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen

from ..lang.document import Span
from .carried import Unreadable, unreadable

MAX_DEPTH = 64
_BLANK = re.compile(r"[ \t\r\n]*")
_COMMENT = re.compile(r"(?:[ \t\r\n]|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"', re.DOTALL)
_SCALAR = re.compile(r"true|false|null|-?(?:0|[1-9][0-9]{0,30})(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?")


@frozen
class Node:
    """A JSON value: a scalar, a mapping of nodes, or a sequence of them; `span` is where it begins."""

    value: Any
    span: Span

    def plain(self) -> Any:
        """The value without places."""
        if isinstance(self.value, Mapping):
            return {key: node.plain() for key, node in self.value.items()}
        if isinstance(self.value, Sequence) and not isinstance(self.value, str):
            return [node.plain() for node in self.value]
        return self.value

    def items(self) -> Mapping[str, Node]:
        """The members of an object; none of anything else."""
        return self.value if isinstance(self.value, Mapping) else {}

    def each(self) -> Sequence[Node]:
        """The items of an array; none of anything else."""
        return self.value if isinstance(self.value, tuple) else ()


def read_json(text: str, file: str, *, comments: bool = False) -> Node:
    """The JSON value that a file holds.

    Raises:
        Unreadable: It holds none, a key twice, or something that is nested too deep.
    """
    return _Reader(text, file, comments=comments).whole()


class _Reader:
    def __init__(self, text: str, file: str, *, comments: bool) -> None:
        self._text = text
        self._file = file
        self._blank = _COMMENT if comments else _BLANK
        self._relaxed = comments
        self._lines = [0, *(match.end() for match in re.finditer("\n", text))]
        self._at = 0

    def whole(self) -> Node:
        node = self._value(0)
        self._skip()
        if self._at != len(self._text):
            raise self._wrong("something stands behind the end of the value")
        return node

    def _span(self, at: int) -> Span:
        line = bisect_right(self._lines, at)
        return Span(self._file, line, at - self._lines[line - 1] + 1)

    def _wrong(self, what: str) -> Unreadable:
        return unreadable(self._span(self._at), f"it is not the JSON that belongs here: {what}", "mend the file")

    def _skip(self) -> None:
        found = self._blank.match(self._text, self._at)
        self._at = found.end() if found else self._at

    def _take(self, character: str) -> bool:
        self._skip()
        taken = self._text.startswith(character, self._at)
        self._at += taken
        return taken

    def _value(self, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise self._wrong("it is nested too deep")
        self._skip()
        span = self._span(self._at)
        if self._take("{"):
            return Node(self._members(depth), span)
        if self._take("["):
            return Node(self._elements(depth), span)
        if self._text.startswith('"', self._at):
            return Node(self._string(), span)
        scalar = _SCALAR.match(self._text, self._at)
        if scalar is None:
            raise self._wrong("a value is missing")
        self._at = scalar.end()
        return Node(json.loads(scalar[0]), span)

    def _members(self, depth: int) -> Mapping[str, Node]:
        found: dict[str, Node] = {}
        while not self._take("}"):
            if found and not self._take(","):
                raise self._wrong("a comma or `}` is missing")
            if self._relaxed and self._take("}"):
                break
            self._skip()
            key = self._string()
            if key in found:
                raise self._wrong("a key stands twice")
            if not self._take(":"):
                raise self._wrong("a colon is missing")
            found[key] = self._value(depth + 1)
        return found

    def _elements(self, depth: int) -> tuple[Node, ...]:
        found: list[Node] = []
        while not self._take("]"):
            if found and not self._take(","):
                raise self._wrong("a comma or `]` is missing")
            if self._relaxed and self._take("]"):
                break
            found.append(self._value(depth + 1))
        return tuple(found)

    def _string(self) -> str:
        found = _STRING.match(self._text, self._at)
        if found is None:
            raise self._wrong("a text in double quotes is missing")
        try:
            value: str = json.loads(found[0])
            value.encode()
        except ValueError:
            raise self._wrong("a text has an escape that is none") from None
        self._at = found.end()
        return value
