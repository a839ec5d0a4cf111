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
    FILE = "an open file"
    DONE = "what a finished or running process left"


DATA, FILE, DONE = Plain.DATA, Plain.FILE, Plain.DONE


class Known(NamedTuple):
    """A constant."""

    value: Any


class Items(NamedTuple):
    """A list or tuple whose elements are told apart."""

    items: tuple[Thing, ...]


class Name(NamedTuple):
    """A module, or something in one, by its dotted name; builtins stand without a module."""

    dotted: str


class PathThing(NamedTuple):
    """A `pathlib.Path`."""

    value: Value


class Function(NamedTuple):
    """A function that the code defines."""

    node: ast.FunctionDef | ast.Lambda


Thing = Plain | Known | Items | Name | PathThing | Function


def as_text(thing: Thing) -> Value:
    """The thing as text, as far as it is known: a path, a command, a URL."""
    if isinstance(thing, PathThing):
        return thing.value
    if isinstance(thing, Known):
        if isinstance(thing.value, str):
            return thing.value
        if isinstance(thing.value, bytes):
            return thing.value.decode("utf-8", "replace")
        return str(thing.value)
    if isinstance(thing, (Name, Function)):
        raise NotUnderstood("a function stands where text is meant")
    return unknown("the Python code computes it")


def joined_path(first: Value, second: Value) -> Value:
    """Two paths joined as Python joins them: an absolute second one stands alone."""
    if isinstance(second, str) and second.startswith("/"):
        return second
    if not isinstance(second, str) and second.prefix == "":
        return unknown("the Python code computes it")
    slash = "" if isinstance(first, str) and (first == "" or first.endswith("/")) else "/"
    return joined(first, slash, second)
