"""Typed predicates on one JSON value, as `when`, `except` and the kind `arguments` state them."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

from attrs import frozen

from ..kernel.json_values import same_json
from ..meaning.names import text_glob
from ..meaning.regexes import compile_regex
from ..meaning.tri import Tri, Unknown
from ..param import param
from .moments import moment_of, moment_of_bound
from .wide import wide_glob, wide_literal, wide_regex

Number = int | float


@frozen
class Predicate:
    """What must hold of a value; every key that is given must hold."""

    equals: Any = param("The value is exactly this, of the same type.", default=None)
    one_of: tuple[Any, ...] | None = param("The value is one of these, of the same type.", default=None)
    min: Number | None = param("The value is a number and at least this.", default=None)
    max: Number | None = param("The value is a number and at most this.", default=None)
    min_length: int | None = param("The text or array has at least this length.", default=None, minimum=0)
    max_length: int | None = param("The text or array has at most this length.", default=None, minimum=0)
    glob: str | None = param("The value is a text that this glob matches as a whole.", default=None)
    regex: str | None = param("The value is a text that this regular expression matches as a whole.", default=None)
    secrets: bool | tuple[str, ...] | None = param(
        "With `false` the value holds no secret of the formats of the kind `redact`, with `true` it holds one, with "
        "an array (globs of their names) one of these.",
        default=None,
    )
    not_before: dt.date | None = param(
        "The value is a date (`2027-01-31`), or a moment with its zone (`2027-01-31T09:00:00Z`), and not earlier.",
        default=None,
    )
    not_after: dt.date | None = param("The same, and not later.", default=None)
    not_: Predicate | None = param("None of what this table says may hold; of another type is no escape.", default=None)

    def given(self) -> dict[str, Any]:
        """The keys that say something, by TOML key."""
        names = {name: getattr(self, name) for name in PREDICATE_KEYS}
        return {name.rstrip("_"): value for name, value in names.items() if value is not None}


PREDICATE_KEYS = (
    "equals",
    "one_of",
    "min",
    "max",
    "min_length",
    "max_length",
    "glob",
    "regex",
    "secrets",
    "not_before",
    "not_after",
    "not_",
)


class Outcome(Enum):
    """What a predicate says of a value."""

    HOLDS = "holds"
    FAILS = "fails"
    WRONG_TYPE = "wrong type"


HOLDS, FAILS, WRONG_TYPE = Outcome.HOLDS, Outcome.FAILS, Outcome.WRONG_TYPE

Test = Callable[[Any], Tri]
Judge = Callable[[Any], Outcome]


def compile_predicate(predicate: Predicate) -> Test:
    """Make a test of *predicate*; a value of another type is unknown to it, also under `not`.

    Raises:
        BadPattern: The glob or regular expression is broken.
    """
    judge = compile_judge(predicate)
    answers: dict[Outcome, Tri] = {HOLDS: True, FAILS: False, WRONG_TYPE: Unknown("an argument is of another type")}
    return lambda value: answers[judge(value)]


def compile_judge(predicate: Predicate, *, wide: bool = False) -> Judge:
    """Make what tells whether *predicate* holds of a value, fails, or is about another type.

    With *wide*, texts are compared as a deny compares them: also without regard to case, blanks around them,
    invisible characters and look-alikes. Under `not` it is the other way round, so that a `not` never loosens.

    Raises:
        BadPattern: The glob or regular expression is broken.
    """
    judges = list(_judges(predicate, wide=wide))

    def judge(value: Any) -> Outcome:
        outcome = HOLDS
        for one in judges:
            said = one(value)
            if said is WRONG_TYPE:
                return WRONG_TYPE
            if said is FAILS:
                outcome = FAILS
        return outcome

    return judge


def is_number(value: Any) -> bool:
    """Whether *value* is a JSON number: no boolean, no text that looks like one, neither NaN nor infinite."""
    return type(value) is int or (type(value) is float and math.isfinite(value))


def _judges(predicate: Predicate, *, wide: bool) -> Iterator[Judge]:
    if predicate.equals is not None:
        yield _one_of((predicate.equals,), wide=wide)
    if predicate.one_of is not None:
        yield _one_of(predicate.one_of, wide=wide)
    if predicate.min is not None or predicate.max is not None:
        yield _range(predicate.min, predicate.max)
    if predicate.min_length is not None or predicate.max_length is not None:
        yield _length(predicate.min_length or 0, predicate.max_length)
    if predicate.glob is not None:
        yield _text(text_glob(predicate.glob), wide_glob(predicate.glob) if wide else None)
    if predicate.regex is not None:
        yield _text(_full_match(predicate.regex), wide_regex(predicate.regex) if wide else None)
    if predicate.secrets is not None:
        from .secrets import holds_secret

        holds, wanted = holds_secret(predicate.secrets), predicate.secrets is not False
        yield lambda value: HOLDS if holds(value) is wanted else FAILS
    if predicate.not_before is not None or predicate.not_after is not None:
        yield _period(predicate.not_before, predicate.not_after)
    if predicate.not_ is not None:
        yield _negated(compile_judge(predicate.not_, wide=not wide))


def _one_of(options: tuple[Any, ...], *, wide: bool) -> Judge:
    """Equality without Python's kinship of 1, 1.0 and True; another type than that of every option is wrong."""
    types = {_type_of(option) for option in options}
    looks = [wide_literal(option) for option in options if wide and isinstance(option, str)]

    def judge(value: Any) -> Outcome:
        if any(same_json(option, value) for option in options):
            return HOLDS
        if _type_of(value) not in types:
            return WRONG_TYPE
        return HOLDS if isinstance(value, str) and any(look(value) for look in looks) else FAILS

    return judge


def _type_of(value: Any) -> str:
    """The JSON type; `1` and `1.0` are of one."""
    if value is None or isinstance(value, bool):
        return type(value).__name__
    for kind, name in ((int | float, "number"), (str, "text"), (list | tuple, "array"), (dict, "object")):
        if isinstance(value, kind):
            return name
    return "none"


def _range(low: Number | None, high: Number | None) -> Judge:
    """Python compares integers with floats exactly, however large they are."""

    def judge(value: Any) -> Outcome:
        if not is_number(value):
            return WRONG_TYPE
        return FAILS if (low is not None and value < low) or (high is not None and value > high) else HOLDS

    return judge


def _length(least: int, most: int | None) -> Judge:
    def judge(value: Any) -> Outcome:
        if not isinstance(value, str | list | tuple):
            return WRONG_TYPE
        return HOLDS if least <= len(value) and (most is None or len(value) <= most) else FAILS

    return judge


def _text(matches: Callable[[str], bool], wide: Callable[[str], bool] | None) -> Judge:
    def judge(value: Any) -> Outcome:
        if not isinstance(value, str):
            return WRONG_TYPE
        return HOLDS if matches(value) or (wide is not None and wide(value)) else FAILS

    return judge


def _full_match(regex: str) -> Callable[[str], bool]:
    pattern = compile_regex(regex)
    return lambda text: pattern.fullmatch(text) is not None


def _period(first: dt.date | None, last: dt.date | None) -> Judge:
    low = None if first is None else moment_of_bound(first)
    high = None if last is None else moment_of_bound(last)
    of_days = not isinstance(last if first is None else first, dt.datetime)

    def judge(value: Any) -> Outcome:
        moment = moment_of(value, of_days=of_days) if isinstance(value, str) else None
        if moment is None:
            return WRONG_TYPE
        return FAILS if (low is not None and moment < low) or (high is not None and moment > high) else HOLDS

    return judge


def _negated(inner: Judge) -> Judge:
    opposite = {HOLDS: FAILS, FAILS: HOLDS, WRONG_TYPE: WRONG_TYPE}
    return lambda value: opposite[inner(value)]
