"""What is known of a value in Python code while it is read."""

from __future__ import annotations

import ast
from enum import Enum
from typing import Any, NamedTuple

from ..values import Value, unknown
from .text import joined


class NotUnderstood(Exception):
    """A statement does something that is not understood; the text says what."""


class Plain(Enum):
    """A value of which only the kind is known."""

    DATA = "numbers, text, and collections of them"
    ELEMENT = "an element of a collection of data or paths"
    PATHS = "a collection of paths"
    FILE = "an open file or an answer"
    DONE = "what a finished or running process left"
    UNKNOWN = "anything at all"


DATA, ELEMENT, PATHS, FILE, DONE, UNKNOWN = (
    Plain.DATA,
    Plain.ELEMENT,
    Plain.PATHS,
    Plain.FILE,
    Plain.DONE,
    Plain.UNKNOWN,
)


class Known(NamedTuple):
    """A constant."""

    value: Any


class Items(NamedTuple):
    """A list or tuple whose elements are told apart."""

    items: tuple[Thing, ...]


class Name(NamedTuple):
    """A module, or something in one, by its dotted name; builtins stand without a module."""

    dotted: str


class Text(NamedTuple):
    """Text that is not known in full."""

    value: Value


class PathThing(NamedTuple):
    """A `pathlib.Path`."""

    value: Value


class Function(NamedTuple):
    """A function that the code defines."""

    node: ast.FunctionDef | ast.Lambda


Thing = Plain | Known | Text | Items | Name | PathThing | Function


def text_thing(value: Value) -> Thing:
    """Text as a thing: a constant where it is known in full."""
    return Known(value) if isinstance(value, str) else Text(value)


SOME_PATH = PathThing(unknown("the Python code computes it"))


def either(first: Thing, second: Thing) -> Thing:
    """What is known of a value that is one of two."""
    if first == second:
        return first
    things = (first, second)
    if any(isinstance(thing, (Name, Function)) or thing is UNKNOWN for thing in things):
        return UNKNOWN
    if PATHS in things or (any(isinstance(thing, Items) for thing in things) and _holds_paths(things)):
        return UNKNOWN
    if any(isinstance(thing, PathThing) for thing in things):
        return SOME_PATH
    return ELEMENT if ELEMENT in things else DATA


def _holds_paths(things: tuple[Thing, ...]) -> bool:
    return any(
        isinstance(item, (PathThing, Name, Function))
        for thing in things
        if isinstance(thing, Items)
        for item in thing.items
    )


def as_text(thing: Thing) -> Value:
    """The thing as text, as far as it is known: a path, a command, a URL."""
    if isinstance(thing, (PathThing, Text)):
        return thing.value
    if isinstance(thing, Known):
        if isinstance(thing.value, str):
            return thing.value
        if isinstance(thing.value, bytes):
            return thing.value.decode("utf-8", "replace")
        return str(thing.value)
    if isinstance(thing, (Name, Function)) or thing is UNKNOWN or thing is PATHS:
        raise NotUnderstood("what stands there is not known")
    return unknown("the Python code computes it")


def joined_path(first: Value, second: Value) -> Value:
    """Two paths joined as Python joins them: an absolute second one stands alone."""
    if isinstance(second, str) and second.startswith("/"):
        return second
    if not isinstance(second, str) and second.prefix == "":
        return unknown("the Python code computes it")
    slash = "" if isinstance(first, str) and (first == "" or first.endswith("/")) else "/"
    return joined(first, slash, second)
