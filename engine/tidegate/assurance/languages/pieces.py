"""Regular sets of texts as trees, each leaf a set of characters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Union

from ...meaning.steps import ANY, Many, Maybe, One, Ranges, Step


class Chars(NamedTuple):
    """One character of `ranges`."""

    ranges: Ranges


class Joined(NamedTuple):
    """All of `parts`, one after the other; without parts the empty text."""

    parts: tuple[Piece, ...]


class Either(NamedTuple):
    """One of `parts`; without parts no text at all."""

    parts: tuple[Piece, ...]


class Repeated(NamedTuple):
    """`part` at least `least` times, and at most `most` times where that is a number."""

    part: Piece
    least: int = 0
    most: int | None = None


Piece = Union[Chars, Joined, Either, Repeated]  # noqa: UP007 - the names are read before they are there

NOTHING: Piece = Joined(())
ANYTHING: Piece = Repeated(Chars(ANY))


def literal(text: str) -> Piece:
    """The text itself."""
    return Joined(tuple(Chars(((ord(char), ord(char)),)) for char in text))


def of_steps(branches: Sequence[Sequence[Step]]) -> Piece:
    """The texts that the steps of a glob name."""
    return Either(tuple(Joined(tuple(map(_of_step, branch))) for branch in branches))


def _of_step(step: Step) -> Piece:
    if isinstance(step, Maybe):
        return Repeated(Joined(tuple(map(_of_step, step.steps))), 0, 1)
    if isinstance(step, One):
        return Chars(step.chars)
    assert isinstance(step, Many)  # noqa: S101 - there are three kinds of steps
    return Repeated(Chars(step.chars))
