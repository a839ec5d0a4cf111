"""One rule's table becomes the fields of its kind and the fields that every rule has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import attrs
from attrs import evolve
from cattrs import Converter

from ..kind import Kind, Problem
from ..lang import TOP_KEYS
from .fields import CommonFields, common_fields
from .problems import key_of, known_keys, problems_of, unknown_key
from .strict import converter


@cache
def _strict() -> Converter:
    return converter()


def structure_rule(table: Mapping[str, Any], kind: Kind) -> tuple[CommonFields | None, Any, list[Problem]]:
    """Turn the fields of a rule into values of its two classes.

    Returns:
        The common fields and the fields of the kind, each `None` where it has problems, and all problems.
    """
    common = common_fields(kind.phase)
    shared, own = set(known_keys(common)), known_keys(kind.fields)
    problems = [_unread(key, [*own, *known_keys(common)]) for key in table if key not in shared and key not in own]
    left, more = structure(({key: value for key, value in table.items() if key in shared}), common)
    right, most = structure({key: value for key, value in table.items() if key in own}, kind.fields)
    return left, right, problems + more + most


def _unread(key: str, known: list[str]) -> Problem:
    """The problem of a key that no rule has; one that belongs to the top of the file is told so."""
    problem = unknown_key((), key, known)
    if key not in TOP_KEYS:
        return problem
    return evolve(problem, mend=f"`{key}` belongs to the file: write it above the first `[[rule]]`")


def structure(table: Mapping[str, Any], kind: type) -> tuple[Any, list[Problem]]:
    """Turn a table into a value of an attrs class, or say everything that is wrong with it."""
    try:
        value: Any = _strict().structure(dict(table), kind)
    except Exception as error:  # noqa: BLE001 - `problems_of` raises again what is none of cattrs' own
        return None, problems_of(error, kind)
    problems = list(_bounds(value, ()))
    return (None if problems else value), problems


def _bounds(value: Any, path: tuple[str | int, ...]) -> Iterator[Problem]:
    """Values outside of the bounds that their fields declare."""
    for attribute in attrs.fields(type(value)):
        inner, key = getattr(value, attribute.name), (*path, key_of(attribute.name))
        low, high = attribute.metadata.get("minimum"), attribute.metadata.get("maximum")
        if isinstance(inner, int | float) and not isinstance(inner, bool):
            if (low is not None and inner < low) or (high is not None and inner > high):
                bounds = f"at least {low}" if high is None else f"at most {high}" if low is None else f"{low} to {high}"
                yield Problem(
                    key,
                    "out-of-range",
                    f"`{inner}` is out of range",
                    f"`{key_of(attribute.name)}` takes {bounds}",
                    f"write a number of {bounds}",
                )
        elif attrs.has(type(inner)):
            yield from _bounds(inner, key)
        elif isinstance(inner, tuple):
            for index, item in enumerate(inner):
                if attrs.has(type(item)):
                    yield from _bounds(item, (*key, index))
