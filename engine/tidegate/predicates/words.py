"""Predicates in words, for those who are told what would be allowed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..kernel.json_values import compact
from ..shown import quote
from . import Predicate


def words(predicate: Predicate) -> str:
    """What must hold, in a few words: "at least `1`, at most `100`"; empty where nothing must."""
    return ", ".join(_WORDS[key](value) for key, value in predicate.given().items())


def _value(value: Any) -> str:
    return quote(value if isinstance(value, str) else compact(value), limit=60)


_WORDS: Mapping[str, Callable[[Any], str]] = {
    "equals": _value,
    "one_of": lambda options: f"one of {', '.join(map(_value, options))}",
    "min": lambda low: f"at least {_value(low)}",
    "max": lambda high: f"at most {_value(high)}",
    "min_length": lambda least: f"{least} long or longer",
    "max_length": lambda most: f"{most} long or shorter",
    "glob": lambda glob: f"like {_value(glob)}",
    "regex": lambda regex: f"matching {_value(regex)}",
    "secrets": lambda wanted: "holding no secret" if wanted is False else "holding a secret",
    "not_before": lambda first: f"not before {_value(first.isoformat())}",
    "not_after": lambda last: f"not after {_value(last.isoformat())}",
    "not": lambda inner: f"not {words(inner)}",
}
