"""Typed predicates on one JSON value, as `when`, `except` and the kind `arguments` state them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from attrs import frozen

from .kernel.json_values import same_json
from .meaning.names import text_glob
from .meaning.regexes import compile_regex
from .param import param


@frozen
class Predicate:
    """What must hold of a value; every key that is given must hold."""

    equals: Any = param("The value is exactly this, of the same type.", default=None)
    one_of: tuple[Any, ...] | None = param("The value is one of these, of the same type.", default=None)
    min: float | None = param("The value is a number and at least this.", default=None)
    max: float | None = param("The value is a number and at most this.", default=None)
    min_length: int | None = param("The text or array has at least this length.", default=None, minimum=0)
    max_length: int | None = param("The text or array has at most this length.", default=None, minimum=0)
    glob: str | None = param("The value is a text that this glob matches as a whole.", default=None)
    regex: str | None = param("The value is a text that this regular expression matches as a whole.", default=None)


Test = Callable[[Any], bool]


def compile_predicate(predicate: Predicate) -> Test:
    """Make a test of *predicate*; a value of another type fails it.

    Raises:
        BadPattern: The glob or regular expression is broken.
    """
    tests: list[Test] = []
    if predicate.equals is not None:
        tests.append(_same(predicate.equals))
    if predicate.one_of is not None:
        options = [_same(option) for option in predicate.one_of]
        tests.append(lambda value: any(option(value) for option in options))
    if predicate.min is not None or predicate.max is not None:
        low = -math.inf if predicate.min is None else predicate.min
        high = math.inf if predicate.max is None else predicate.max
        tests.append(lambda value: _is_number(value) and low <= value <= high)
    if predicate.min_length is not None or predicate.max_length is not None:
        least, most = predicate.min_length or 0, math.inf if predicate.max_length is None else predicate.max_length
        tests.append(lambda value: isinstance(value, str | list | tuple) and least <= len(value) <= most)
    if predicate.glob is not None:
        matches = text_glob(predicate.glob)
        tests.append(lambda value: isinstance(value, str) and matches(value))
    if predicate.regex is not None:
        pattern = compile_regex(predicate.regex)
        tests.append(lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None)
    return lambda value: all(test(value) for test in tests)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and not math.isnan(value)


def _same(expected: Any) -> Test:
    """Equality without Python's kinship of 1, 1.0 and True."""
    return lambda value: same_json(expected, value)
