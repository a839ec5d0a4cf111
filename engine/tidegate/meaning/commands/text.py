"""Cutting and joining text of which parts may not be known."""

from __future__ import annotations

from ..values import Hole, Partial, Value, unknown


def joined(*pieces: Value | Hole, reason: str = "part of the text is not known") -> Value:
    """The pieces one after the other; exact where all of them are."""
    parts: list[str | Hole] = []
    for piece in pieces:
        if isinstance(piece, Partial):
            reason = piece.reason
            parts.extend(piece.parts)
        else:
            parts.append(piece)
    if all(isinstance(part, str) for part in parts):
        return "".join(part for part in parts if isinstance(part, str))
    return Partial(_merged(parts), reason)


def _merged(parts: list[str | Hole]) -> tuple[str | Hole, ...]:
    """Neighbouring known stretches made one, empty ones left out."""
    merged: list[str | Hole] = []
    for part in parts:
        if isinstance(part, str) and merged and isinstance(merged[-1], str):
            merged[-1] += part
        elif part != "":
            merged.append(part)
    return tuple(merged)


def known_start(value: Value) -> str:
    """What the text is known to begin with."""
    return value if isinstance(value, str) else value.prefix


def known_end(value: Value) -> str:
    """What the text is known to end with."""
    return value if isinstance(value, str) else value.suffix


def without_start(value: Value, count: int) -> Value:
    """The text after its first *count* characters, which are known ones."""
    if isinstance(value, str):
        return value[count:]
    return Partial(_merged([value.prefix[count:], *value.parts[1:]]), value.reason)


def cut(value: Value, separator: str) -> tuple[str, Value] | None:
    """The text before and after the first *separator*, or `None` where none is known to come first."""
    head, found, tail = known_start(value).partition(separator)
    if not found:
        return None
    return head, tail if isinstance(value, str) else without_start(value, len(head) + len(separator))


def last_component(value: Value) -> Value:
    """The part of a path after its last slash, trailing slashes left out."""
    if isinstance(value, str):
        return value.rstrip("/").rpartition("/")[2]
    tail = value.suffix.rpartition("/")
    if tail[1]:
        return tail[2] or unknown(value.reason)
    return Partial(_merged([Hole.NAME, tail[2]]), value.reason)


def stem(value: Value) -> Value:
    """The text without its last suffix (`a.tar` for `a.tar.gz`)."""
    if isinstance(value, str):
        head, dot, tail = value.rpartition(".")
        return head if dot and "/" not in tail and head else value
    return Partial(_merged([value.prefix, Hole.ANY]), value.reason)


def blank_joined(values: list[Value]) -> Value:
    """The values with one blank between them, as `eval`, `ssh` and `watch` join their operands."""
    pieces: list[Value | Hole] = []
    for value in values:
        if pieces:
            pieces.append(" ")
        pieces.append(value)
    return joined(*pieces)
