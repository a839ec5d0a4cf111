"""The changes of values that a rule names by pointer, checked against one another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from attrs import frozen

from ..errors import CallError, Veto
from ..kernel.json_values import snapshot
from ..kind import Setting, param
from ..pointers import EACH, BadPointer, Pointer, parse_pointer
from ..shown import quote
from . import steps
from .steps import Change, Step, overlap


@frozen
class Bounds:
    """The range into which a number is brought."""

    min: int | float | None = param("The smallest value that the argument may have.", default=None)
    max: int | float | None = param("The largest value that the argument may have.", default=None)


@frozen
class Prefixes:
    """Two beginnings of a text."""

    old: str = param("The beginning that is replaced.")
    new: str = param("What stands in its place.")


class Tables(NamedTuple):
    """What a rule says of values, by pointer."""

    set: Mapping[str, Any]
    default: Mapping[str, Any]
    remove: Sequence[str]
    clamp: Mapping[str, Bounds]
    replace_prefix: Mapping[str, Prefixes]


def compile_values(tables: Tables, setting: Setting) -> list[Step]:
    """The changes in the order in which they are made: outer pointers first; what cannot be is a problem."""
    found = list(_steps(tables, setting))
    _check_together(tables, setting)
    return sorted(found, key=lambda step: len(step.pointer))


def _steps(tables: Tables, setting: Setting) -> Iterator[Step]:
    """The changes of values, those at one depth in the order in which they are made."""
    for index, text in enumerate(tables.remove):
        yield Step(_pointer(("remove", index), text, setting), steps.remove, needed=False)
    for text, value in tables.default.items():
        path = ("default", text)
        pointer = _pointer(path, text, setting)
        if pointer and pointer[-1] is EACH:
            what = f"the pointer {quote(text)} of a default ends in `*`"
            setting.problem(path, "bad-pointer", what, "`*` stands for values that are there", "name a key")
        yield Step(pointer, steps.default(_constant(path, value, setting)), needed=True)
    for text, value in tables.set.items():
        path = ("set", text)
        yield Step(_pointer(path, text, setting), steps.put(_constant(path, value, setting)), needed=True)
    for key in ("clamp", "replace_prefix"):
        for text in getattr(tables, key):
            yield Step(_pointer((key, text), text, setting), _narrowing(tables, key, text), needed=False)


def _narrowing(tables: Tables, key: str, text: str) -> Change:
    """What `clamp` or `replace_prefix` does to a value."""
    if key == "clamp":
        bounds = tables.clamp[text]
        return steps.clamp(text, bounds.min, bounds.max)
    prefixes = tables.replace_prefix[text]
    return steps.replace_prefix(text, prefixes.old, prefixes.new)


def _check_together(tables: Tables, setting: Setting) -> None:
    """Ranges without numbers in them, and steps of which one undoes, hides or refuses the other."""
    for text, bounds in tables.clamp.items():
        if bounds.min is None and bounds.max is None:
            setting.problem(("clamp", text), "missing-key", f"the range of {quote(text)} has no bound", *_NO_BOUND)
        elif bounds.min is not None and bounds.max is not None and bounds.min > bounds.max:
            setting.problem(("clamp", text), "bad-value", f"the range of {quote(text)} is empty", *_EMPTY)
    for key, constants in (("default", tables.default), ("set", tables.set)):
        for text, value in constants.items():
            _check_constant(tables, key, text, value, setting)
    replaced = list(tables.replace_prefix)
    for index, text in enumerate(replaced):
        others = [*tables.clamp, *replaced[:index]]
        other = next((one for one in others if overlap(_parsed(one), _parsed(text))), None)
        if other is not None:
            what = f"{quote(text)} and {quote(other)} can lead to one value"
            setting.problem(("replace_prefix", text), "bad-value", what, *_TWICE)


def _check_constant(tables: Tables, key: str, text: str, value: Any, setting: Setting) -> None:
    """A constant that another step hides, takes away, changes or refuses."""
    if key == "default" and text in tables.set:
        setting.problem((key, text), "bad-value", f"{quote(text)} has a default and is set as well", *_HIDDEN)
    over = _parsed(text)
    if any(over[: len(one)] == one for one in map(_parsed, tables.remove) if one):
        setting.problem((key, text), "bad-value", f"{quote(text)} is removed and has a value as well", *_REMOVED)
    for narrowing, what in (("clamp", "is outside of its range"), ("replace_prefix", "begins with what is replaced")):
        if text in getattr(tables, narrowing) and not _stays(_narrowing(tables, narrowing, text), value):
            setting.problem((key, text), "bad-value", f"the value for {quote(text)} {what}", *_UNDONE)


def _stays(change: Change, value: Any) -> bool:
    try:
        return change(value) is value
    except Veto:
        return False


def _parsed(text: str) -> Pointer:
    """The pointer, or the empty one; what is wrong with it is said elsewhere."""
    try:
        return parse_pointer(text)
    except BadPointer:
        return ()


def _pointer(path: tuple[str | int, ...], text: str, setting: Setting) -> Pointer:
    """The pointer, or the empty one and a problem."""
    try:
        pointer = parse_pointer(text)
    except BadPointer as bad:
        setting.problem(path, "bad-pointer", str(bad), "a value that cannot be found would never change", bad.mend)
        return ()
    if not pointer:
        setting.problem(path, "bad-pointer", "an empty pointer names all arguments at once", *_WHOLE)
    return pointer


def _constant(path: tuple[str, str], value: Any, setting: Setting) -> Any:
    try:
        return snapshot(value)
    except CallError as error:
        what = f"the value for {quote(path[1])} is no argument: {error}"
        setting.problem(path, "bad-value", what, *_NO_JSON)
        return None


_NO_BOUND = ("a range without a bound changes nothing", "add `min`, `max` or both")
_EMPTY = ("no number is both at least `min` and at most `max`", "swap them, or write the range that you mean")
_HIDDEN = ("a default is for what is missing, and after `set` it never is", "keep one of them")
_REMOVED = ("one half of the rule undoes the other", "keep one of them; `set` replaces a value")
_TWICE = ("what the one makes of it the other changes again", "name each value once, or write two rules")
_UNDONE = ("one half of the rule undoes the other", "write a value that stays as it is, or change the other half")
_WHOLE = ("arguments are changed one by one", "name an argument, such as `/limit`")
_NO_JSON = ("arguments are JSON, which has no dates, no times, no `inf` and no `nan`", "write it as a string in quotes")
