"""What a variable may hold, and what is known where two ways to a place meet."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from ...values import Hole, Partial, Value

MOST_ALTERNATIVES = 4
LONGEST = 65_536


class Absence(Enum):
    """A variable that the text did not set: taken over from outside, or surely unset."""

    INHERITED = "inherited"
    UNSET = "unset"


class Numeric(Partial):
    """Text that is not known but is a number for certain, so that arithmetic may evaluate it."""

    __slots__ = ()


class Array(NamedTuple):
    """An array: its keys with their values in order, or `None` where they are not known."""

    items: tuple[tuple[str, Value], ...] | None
    associative: bool = False


Held = Value | Array | Absence


class Either(NamedTuple):
    """One of a few possibilities; a command that looks at the variable is read once for each."""

    options: tuple[Held, ...]


def number(reason: str) -> Numeric:
    """A number of which nothing else is known."""
    return Numeric((Hole.ANY,), reason)


def is_numeric(value: Value) -> bool:
    """Whether *value* is a number for certain."""
    if isinstance(value, str):
        return value.isascii() and value.removeprefix("-").isdigit()
    return type(value) is Numeric or value.parts == (Hole.DIGITS,)


def generalise(values: Iterable[Value], reason: str) -> Value:
    """What is known of a text that is one of *values*: the beginning and the end that they share."""
    several = list(values)
    first = several[0]
    if all(value == first for value in several):
        return first
    if all(map(is_numeric, several)):
        return number(reason)
    prefix = _shared([value if isinstance(value, str) else value.prefix for value in several])
    room = min((len(value) - len(prefix) for value in several if isinstance(value, str)), default=LONGEST)
    backwards = [(value if isinstance(value, str) else value.suffix)[::-1] for value in several]
    suffix = _shared(backwards)[:room][::-1]
    parts = (*((prefix,) if prefix else ()), Hole.ANY, *((suffix,) if suffix else ()))
    return Partial(parts, reason)


def _shared(texts: list[str]) -> str:
    shortest, longest = min(texts), max(texts)
    for index, char in enumerate(shortest):
        if longest[index] != char:
            return shortest[:index]
    return shortest


def merge(one: Held | Either, other: Held | Either, reason: str) -> Held | Either:
    """What a variable may hold where two ways meet."""
    if one is other or one == other:
        return one
    options: list[Held] = []
    for held in (one, other):
        for option in held.options if isinstance(held, Either) else (held,):
            if option not in options:
                options.append(option)
    if len(options) <= MOST_ALTERNATIVES:
        return Either(tuple(options))
    return blurred(options, reason)


def blurred(options: Iterable[Held], reason: str) -> Held:
    """One thing that stands for all of *options*."""
    several = list(options)
    texts = [option for option in several if isinstance(option, str | Partial)]
    if len(texts) == len(several):
        return generalise(texts, reason)
    if all(isinstance(option, Array) for option in several):
        return Array(None)
    return Partial((Hole.ANY,), reason)
