"""Tables from pointer to predicate, and what they say of the arguments of one call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from ..pointers import MISSING, Pointer, values_at
from . import FAILS, HOLDS, WRONG_TYPE, Judge
from .places import leaves_over

State = Literal["deny", "allow"]


class Entry(NamedTuple):
    """One argument of a table: where it stands and what must hold of it, `None` where it is only named."""

    pointer: Pointer
    judge: Judge | None


Table = tuple[Entry, ...]
"""It applies where everything in it holds."""


class States(NamedTuple):
    """What the rule makes of arguments that are missing, extra or of another type."""

    missing: State | None
    extra: State | None
    wrong_type: State


def is_met(table: Table, arguments: Mapping[str, Any], states: States) -> bool:
    """Whether everything in *table* holds, as a grant or a confinement needs it."""
    for pointer, judge in table:
        for _, value in values_at(arguments, pointer):
            if value is MISSING:
                if states.missing != "allow":
                    return False
            elif judge is not None:
                said = judge(value)
                if said is FAILS or (said is WRONG_TYPE and states.wrong_type != "allow"):
                    return False
    return states.extra == "allow" or not leaves_over(arguments, [entry.pointer for entry in table])


def is_hit(table: Table, arguments: Mapping[str, Any], states: States) -> bool:
    """Whether everything in *table* is there, as a deny sees it: one value is enough for each argument."""
    return all(
        any(_hit(judge, value, states) for _, value in values_at(arguments, pointer)) for pointer, judge in table
    )


def _hit(judge: Judge | None, value: Any, states: States) -> bool:
    if value is MISSING:
        return judge is not None and states.missing == "deny"
    said = HOLDS if judge is None else judge(value)
    return said is HOLDS or (said is WRONG_TYPE and states.wrong_type != "allow")
