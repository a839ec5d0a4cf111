"""Edits of JSON texts: a value goes in or comes out, and everything else stays as it is, byte for byte."""

from __future__ import annotations

import json
import re
from typing import Any

from .jsonc import Node

_INDENT = re.compile(r"\n([ \t]+)\S")
_COMMENT = re.compile(r"//|/\*")


def added(text: str, container: Node, value: Any, key: str | None = None) -> str:
    """The text with *value* as the last item of an array, or under *key* as the last member of an object.

    Comments keep their places: what stands behind the last value stays behind it.
    """
    head = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    close = container.end - 1
    if container.spans and "\n" not in text[container.start : container.end]:
        end = container.spans[-1][1]
        return f"{text[:end]}, {head}{json.dumps(value, ensure_ascii=False)}{text[end:]}"
    outer = _indent_of(text, container.start)
    inner = _indent_of(text, container.spans[0][0]) if container.spans else outer + _unit(text)
    written = json.dumps(value, indent=_unit(text), ensure_ascii=False).replace("\n", _newline(text) + inner)
    end = container.spans[-1][1] if container.spans else container.start + 1
    between = text[end:close].rstrip(" \t\r\n")
    comma = "," if container.spans else ""
    line = _newline(text)
    return f"{text[:end]}{comma}{between}{line}{inner}{head}{written}{line}{outer}{text[close:]}"


def removed(text: str, container: Node, index: int) -> str:
    """The text without the value at *index* of a container, counted in the order of the text; comments stay."""
    spans = container.spans
    start, end = spans[index]
    if index > 0:
        before = spans[index - 1][1]
        kept = _without_comma(text[before:start])
        if index == len(spans) - 1 and text[end : end + 1] in ("\r", "\n"):
            kept = kept.rstrip()
        return text[:before] + kept + text[end:]
    if len(spans) > 1:
        after = spans[1][0]
        return text[:start] + _without_comma(text[end:after]) + text[after:]
    around = text[container.start + 1 : start], text[end : container.end - 1]
    kept = "".join(around) if any(map(_COMMENT.search, around)) else ""
    return text[: container.start + 1] + kept + text[container.end - 1 :]


def _without_comma(between: str) -> str:
    """What stands between two values without the comma, and without anything where there is no comment."""
    if not _COMMENT.search(between):
        return ""
    at = _comma_of(between)
    return between[:at] + between[at + 1 :]


def _comma_of(between: str) -> int:
    """The place of the comma that is in no comment."""
    at = 0
    while between[at] != ",":
        if between.startswith("//", at):
            at = between.index("\n", at)
        elif between.startswith("/*", at):
            at = between.index("*/", at) + 2
        else:
            at += 1
    return at


def _indent_of(text: str, at: int) -> str:
    """The blanks with which the line of a place begins."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    found = _INDENT.search(text)
    return found[1] if found is not None else "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
