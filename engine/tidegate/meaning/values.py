"""Text that is known, partly known, or not known at all."""

from __future__ import annotations

from enum import Enum
from typing import Literal, NamedTuple, Self, cast


class Hole(Enum):
    """A stretch of text that nobody can know before the call runs, with what is known of its shape."""

    ANY = "any text, also none"
    NAME = "any text without a slash, also none"
    VISIBLE = "the start of a name that is not empty and begins with no dot: any text without a slash"
    DIGITS = "digits, at least one"
    FOLDERS = "any number of names, none of them `.` or `..`, with a slash behind each"
    ENTRY = "a whole name: not empty, without a slash, neither `.` nor `..`"

    # There is one of each; that of `Enum` runs Python code for every part of every value that is looked up.
    __hash__ = object.__hash__


class Partial(NamedTuple):
    """Text of which some stretches are known and others are holes.

    `parts` alternates freely between strings and holes; `reason` says why it is not known, in the words
    of whoever writes rules ("the value of `$x` is set by the environment").
    """

    parts: tuple[str | Hole, ...]
    reason: str

    def __repr__(self) -> str:
        """All that it is, also in kinds of it that hold more."""
        return f"{type(self).__name__}{tuple(self)!r}"

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
End = Literal["\n", "\0", "\n\0"]


class Plain(Partial):
    """Partly known text whose holes hold letters, digits and a few harmless marks only.

    No blank, quote, wildcard or operator is in them: nothing that splits, expands or parses text changes them. Where
    the text begins with a hole, that is no dash.
    """

    __slots__ = ()

    def __new__(cls, parts: tuple[str | Hole, ...], reason: str) -> Self:
        """Text with plain holes."""
        return tuple.__new__(cls, (parts, reason, cls))  # it equals no text whose holes may be anything


class Possible(Partial):
    """A name to which something may be done, or nothing at all: a deny of it is never certain."""

    __slots__ = ()

    def __new__(cls, parts: tuple[str | Hole, ...], reason: str) -> Self:
        """A name that may not be meant."""
        return tuple.__new__(cls, (parts, reason, cls))  # it equals no name that is certainly meant


class Within(Partial):
    """The name of something in a folder, nobody knows what: a program touches some of what is there, or makes more.

    A deny of all that the folder could hold is certain, one of some of it is neither certain nor ruled out.
    """

    __slots__ = ()

    def __new__(cls, parts: tuple[str | Hole, ...], reason: str) -> Self:
        """A name that need not be there yet."""
        return tuple.__new__(cls, (parts, reason, cls))  # it equals no name that was listed


class Matched(Partial):
    """A word that is matched against the names of files: each name that matches, at least one.

    Where none does, the word stays as it is written, which its shape admits too: `literal`, `None` where a part of
    that is not known.
    """

    __slots__ = ()

    def __new__(cls, parts: tuple[str | Hole, ...], reason: str, literal: str | None = None) -> Self:
        """A word with holes in the place of its wildcards."""
        return tuple.__new__(cls, (parts, reason, literal, cls))  # it equals no text that may be no word at all

    @property
    def literal(self) -> str | None:
        """The word where it matches nothing."""
        return cast("str | None", tuple.__getitem__(self, 2))


class Listing(Partial):
    r"""Names of which each is one of `names`; how many there are, and in which order, is not known.

    To whoever does not ask for its names it is text of which nothing is known. `end` is what stands behind each
    line, `"\n\0"` where a NUL has taken the place of each newline; a name may hold a newline itself, so that more
    lines than names come of it. `trees` are the folders in or beneath which the names are.
    """

    __slots__ = ()

    def __new__(cls, names: tuple[Value, ...], end: End, trees: tuple[Value, ...], reason: str) -> Self:
        """Lines each of which is one of *names*."""
        return tuple.__new__(cls, ((Hole.ANY,), reason, names, end, trees))

    @property
    def names(self) -> tuple[Value, ...]:
        """What a line can be."""
        return cast("tuple[Value, ...]", tuple.__getitem__(self, 2))

    @property
    def end(self) -> End:
        """What stands behind each line."""
        return cast("End", tuple.__getitem__(self, 3))

    @property
    def trees(self) -> tuple[Value, ...]:
        """The folders that the names are in, or beneath; absolute where they are known."""
        return cast("tuple[Value, ...]", tuple.__getitem__(self, 4))


def possible(value: Value, reason: str) -> Possible:
    """A name that may not be meant, whatever is known of it."""
    return Possible((value,) if isinstance(value, str) else value.parts, reason)


def settled(value: Value) -> Value:
    """A name that is known but for whether it is meant, as plain text; any other value as it is."""
    first = value.parts[0] if isinstance(value, Possible) and len(value.parts) == 1 else value
    return first if isinstance(first, str) else value


def written(value: Value) -> str | None:
    """The text that *value* is, or that it stays where it matches the name of no file; `None` where it is not known."""
    if isinstance(value, str):
        return value
    return value.literal if isinstance(value, Matched) else None


def unknown(reason: str) -> Partial:
    """Text of which nothing is known."""
    return Partial((Hole.ANY,), reason)


def shown(value: Value) -> str:
    """The value as a person reads it: holes become `⟨…⟩`, one for several side by side."""
    if isinstance(value, str):
        return value
    pairs = zip(("", *value.parts), value.parts, strict=False)
    return "".join(
        part if isinstance(part, str) else "" if isinstance(before, Hole) else "⟨…⟩" for before, part in pairs
    )


def concat(values: list[Value]) -> Value:
    """The values joined without a gap; exact only if all of them are."""
    if len(values) == 1:
        return values[0]
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
    plain = all(isinstance(value, str | Plain) for value in values)
    return Plain(tuple(parts), reason) if plain else Partial(tuple(parts), reason)
