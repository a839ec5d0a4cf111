"""Text that is known, partly known, or not known at all."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Hole(Enum):
    """A stretch of text that nobody can know before the call runs, with what is known of its shape."""

    ANY = "any text, also none"
    NAME = "any text without a slash, also none"
    VISIBLE = "the start of a name that is not empty and begins with no dot: any text without a slash"
    DIGITS = "digits, at least one"


class Partial(NamedTuple):
    """Text of which some stretches are known and others are holes.

    `parts` alternates freely between strings and holes; `reason` says why it is not known, in the words
    of whoever writes rules ("the value of `$x` is set by the environment").
    """

    parts: tuple[str | Hole, ...]
    reason: str

    @property
    def prefix(self) -> str:
        """What the text is known to begin with."""
        head = self.parts[0] if self.parts else ""
        return head if isinstance(head, str) else ""

    @property
    def suffix(self) -> str:
        """What the text is known to end with."""
        tail = self.parts[-1] if self.parts else ""
        return tail if isinstance(tail, str) else ""


Value = str | Partial


def unknown(reason: str) -> Partial:
    """Text of which nothing is known."""
    return Partial((Hole.ANY,), reason)


def shown(value: Value) -> str:
    """The value as a person reads it: holes become `⟨…⟩`."""
    if isinstance(value, str):
        return value
    return "".join(part if isinstance(part, str) else "⟨…⟩" for part in value.parts)


def concat(values: list[Value]) -> Value:
    """The values joined without a gap; exact only if all of them are."""
    if all(isinstance(value, str) for value in values):
        return "".join(values)  # type: ignore[arg-type]
    parts: list[str | Hole] = []
    reason = ""
    for value in values:
        if isinstance(value, str):
            pieces: tuple[str | Hole, ...] = (value,) if value else ()
        else:
            pieces = value.parts
            reason = reason or value.reason
        for piece in pieces:
            if parts and isinstance(piece, str) and isinstance(parts[-1], str):
                parts[-1] += piece
            else:
                parts.append(piece)
    return Partial(tuple(parts), reason)
