"""Changes of single values: what a rewrite does to the value that a pointer leads to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..errors import Veto
from ..kernel.json_values import same_json
from ..pointers import EACH, MISSING, Pointer
from ..shown import quote

Change = Callable[[Any], Any]


class Step(NamedTuple):
    """One change: where, and how a value there (or `MISSING`) becomes another; the same value is no change.

    `needed` tells that the object which holds the last key must be there. A `change` to `MISSING` removes the key.
    """

    pointer: Pointer
    change: Change
    needed: bool


def remove(_: Any) -> Any:
    """Nothing in the place of whatever there is."""
    return MISSING


def default(constant: Any) -> Change:
    """A value where there is none."""
    return lambda found: constant if found is MISSING else found


def put(constant: Any) -> Change:
    """A value whatever there is; one that is equal as JSON stays."""
    return lambda found: found if same_json(found, constant) else constant


def clamp(text: str, low: float | None, high: float | None) -> Change:
    """The nearest number within a range; *text* names the argument to the model."""

    def change(found: Any) -> Any:
        if found is MISSING:
            return found
        if type(found) is not int and type(found) is not float:
            raise Veto(f"{quote(text)} must be a number")
        if low is not None and found < low:
            return low
        return high if high is not None and found > high else found

    return change


def replace_prefix(text: str, old: str, new: str) -> Change:
    """A text that begins with *new* instead of *old*; one that begins with *new* already is left.

    Where *old* goes on from *new* (`/a/b` and `/a`), it is replaced as often as the text begins with it. So what
    comes out is left the next time, whatever the two are.
    """

    def change(found: Any) -> Any:
        if found is MISSING:
            return found
        if not isinstance(found, str):
            raise Veto(f"{quote(text)} must be a text")
        if new.startswith(old):
            return found if found.startswith(new) or not found.startswith(old) else new + found[len(old) :]
        while found.startswith(old):
            found = new + found[len(old) :]
        return found

    return change


def overlap(one: Pointer, other: Pointer) -> bool:
    """Whether two pointers can lead to one value."""
    return len(one) == len(other) and all(a == b or EACH in (a, b) for a, b in zip(one, other, strict=True))
