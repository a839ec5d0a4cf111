"""JSON with comments, read with the place of everything, so that it can be edited where it stands."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from ...errors import TidegateError

DEEPEST = 200
"""How deep settings may be nested."""

_TRIVIA = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)+", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_PLAIN = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null")


class NotJson(TidegateError):
    """A text is no JSON, or has what a reader of it does not take; says where and what."""

    code = "NOT_JSON"

    def __init__(self, text: str, at: int, what: str) -> None:
        line = text.count("\n", 0, at) + 1
        column = at - (text.rfind("\n", 0, at) + 1) + 1
        self.line, self.column, self.what = line, column, what
        super().__init__(f"{line}:{column}: {what}")


class Node(NamedTuple):
    """One value: where it begins and ends, and what is in it.

    `inner` are the values of an array, by index, or of an object, by key. `spans` are where they stand, in the order of
    the text; those of an object begin with their key.
    """

    start: int
    end: int
    value: Any
    inner: Mapping[Any, Node] = MappingProxyType({})
    spans: tuple[tuple[int, int], ...] = ()

    def at(self, *path: str | int) -> Node | None:
        """The value to which *path* leads, if there is one."""
        node: Node | None = self
        for step in path:
            node = node.inner.get(step) if node is not None else None
        return node


def read(text: str, *, comments: bool) -> Node:
    """Read one JSON text; a key that stands twice, and a comma that nothing follows, are errors.

    Args:
        text: The whole text.
        comments: Whether it may have any.

    Raises:
        NotJson: It is none.
    """
    reader = _Reader(text, comments)
    at = reader.after_trivia(0)
    node = reader.value(at, 0)
    end = reader.after_trivia(node.end)
    if end != len(text):
        raise NotJson(text, end, "something follows the value")
    return node


class _Reader:
    """Reads values at places of one text."""

    def __init__(self, text: str, comments: bool) -> None:
        self._text = text
        self._comments = comments

    def after_trivia(self, at: int) -> int:
        """The place behind blanks and comments."""
        found = _TRIVIA.match(self._text, at)
        if found is None:
            return at
        slash = found[0].find("/")
        if slash >= 0 and not self._comments:
            raise NotJson(self._text, at + slash, "this file may have no comments")
        return found.end()

    def value(self, at: int, depth: int) -> Node:
        """The value at a place."""
        first = self._text[at : at + 1]
        if depth > DEEPEST:
            raise NotJson(self._text, at, f"it is nested deeper than {DEEPEST} levels")
        if first == "{":
            return self._object(at, depth)
        if first == "[":
            return self._array(at, depth)
        if first == '"':
            return self._string(at)
        found = _PLAIN.match(self._text, at)
        if found is None:
            raise NotJson(self._text, at, "a value is missing" if first else "the file ends where a value should be")
        return Node(at, found.end(), json.loads(found[0]))

    def _string(self, at: int) -> Node:
        found = _STRING.match(self._text, at)
        if found is None:
            raise NotJson(self._text, at, "this text has no end, or what is no text in it")
        try:
            return Node(at, found.end(), json.loads(found[0]))
        except ValueError:
            raise NotJson(self._text, at, "there is an escape in this text that JSON does not know") from None

    def _array(self, at: int, depth: int) -> Node:
        items: list[Node] = []
        end = self.after_trivia(at + 1)
        while self._text[end : end + 1] != "]" or items:
            items.append(self.value(end, depth + 1))
            end, more = self._comma(items[-1].end, "]")
            if not more:
                break
        spans = tuple((item.start, item.end) for item in items)
        return Node(at, end + 1, [item.value for item in items], dict(enumerate(items)), spans)

    def _object(self, at: int, depth: int) -> Node:
        members: dict[str, Node] = {}
        spans: list[tuple[int, int]] = []
        end = self.after_trivia(at + 1)
        while self._text[end : end + 1] != "}" or members:
            if self._text[end : end + 1] != '"':
                raise NotJson(self._text, end, "a key in quotes is missing")
            key = self._string(end)
            if key.value in members:
                raise NotJson(self._text, end, f"the key {json.dumps(key.value)} stands twice")
            colon = self.after_trivia(key.end)
            if self._text[colon : colon + 1] != ":":
                raise NotJson(self._text, colon, "a colon is missing")
            node = self.value(self.after_trivia(colon + 1), depth + 1)
            members[key.value] = node
            spans.append((key.start, node.end))
            end, more = self._comma(node.end, "}")
            if not more:
                break
        return Node(at, end + 1, {key: node.value for key, node in members.items()}, members, tuple(spans))

    def _comma(self, at: int, close: str) -> tuple[int, bool]:
        """The place of the next value, or of the closing bracket, and whether there is a value."""
        end = self.after_trivia(at)
        found = self._text[end : end + 1]
        if found == ",":
            return self.after_trivia(end + 1), True
        if found != close:
            raise NotJson(self._text, end, f"a comma or `{close}` is missing" if found else "the file ends too early")
        return end, False
