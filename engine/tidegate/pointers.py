"""JSON pointers with `*` for each: where in the arguments of a call a rule looks.

Source: RFC 6901. `*` as a whole segment is ours: each item of an array, each value of a table. A key that is
itself `*` cannot be named.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any

MAX_SEGMENTS = 64
"""How many segments a pointer may have."""


class Missing(Enum):
    """What stands where nothing stands; no JSON value equals it."""

    MISSING = "missing"


class Each(Enum):
    """The segment `*`."""

    EACH = "*"


MISSING = Missing.MISSING
EACH = Each.EACH

Pointer = tuple[str | Each, ...]

_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")
_STRAY = re.compile(r"~(?![01])")


class BadPointer(ValueError):
    """A text is no pointer; the message says why, and `mend` what to write."""

    def __init__(self, what: str, mend: str) -> None:
        super().__init__(what)
        self.mend = mend


class NoPlace(Exception):
    """A pointer leads to no place where something could stand.

    Attributes:
        place: The pointer to the value that is in the way.
        why: What is wrong with it.
    """

    def __init__(self, place: str, why: str) -> None:
        super().__init__(f"`{place}` {why}")
        self.place = place
        self.why = why


def parse_pointer(text: str) -> Pointer:
    """Read a pointer such as `/edits/*/path`; the empty text is the whole document.

    Raises:
        BadPointer: It does not begin with `/`, has a stray `~`, or more than `MAX_SEGMENTS` segments.
    """
    if not text:
        return ()
    if not text.startswith("/"):
        raise BadPointer(f"`{text}` is no JSON pointer", f"write `/{text}`")
    if _STRAY.search(text):
        raise BadPointer(f"`{text}` has a stray `~`", "write `~0` for `~` and `~1` for `/` within a key")
    segments = text[1:].split("/")
    if len(segments) > MAX_SEGMENTS:
        raise BadPointer(f"a pointer of {len(segments)} keys", f"name at most {MAX_SEGMENTS}")
    return tuple(EACH if one == "*" else one.replace("~1", "/").replace("~0", "~") for one in segments)


def pointer_to(name: str) -> Pointer:
    """Read a pointer, or the plain name of an argument, which is the pointer to it.

    Raises:
        BadPointer: It begins with `/` and is no pointer, or holds a `/` or `*` and does not begin with `/`.
    """
    if name.startswith("/"):
        return parse_pointer(name)
    if "/" in name:
        key = name.replace("~", "~0").replace("/", "~1")
        raise BadPointer(f"`{name}` is no JSON pointer", f"write `/{name}`, or `/{key}` for a key with a slash in it")
    if "*" in name:
        raise BadPointer(f"`{name}` is no JSON pointer", f"write `/{name}`; only as a whole segment is `*` each")
    return (name,)


def values_at(document: Any, pointer: str | Pointer) -> list[tuple[str, Any]]:
    """Every value that *pointer* leads to, with the pointer to it that has no `*`.

    Where the way ends early, at a key that is not there or a value that holds nothing, stands `MISSING`.
    An empty array or table under `*` gives nothing.
    """
    if len(pointer) == 1 and not isinstance(pointer, str) and isinstance(document, dict):
        [segment] = pointer
        if segment is not EACH:
            return [(_joined("", segment), document.get(segment, MISSING))]
    found = [("", document)]
    for segment in parse_pointer(pointer) if isinstance(pointer, str) else pointer:
        found = [(_joined(place, key), item) for place, value in found for key, item in _beneath(value, segment)]
    return found


def changed(document: Any, pointer: Pointer, change: Callable[[Any], Any], *, needed: bool, place: str = "") -> Any:
    """*document* with what *pointer* leads to replaced by what *change* makes of it.

    *change* is given `MISSING` where an object has no such key, or an array no such item; where it gives `MISSING`, the
    key is taken out of its object. The same document comes back where *change* gives back what it was given; else
    only the way to the change is copied, into plain dicts and lists. *needed* tells that the object which holds the
    last key must be there. Under `*`, what is missing or empty has nothing to change.

    Raises:
        NoPlace: A value on the way is neither object nor array, an object that is needed is missing, or an array
            would have to grow or to lose an item.
    """
    if not pointer:
        return change(document)
    segment, rest = pointer[0], pointer[1:]
    if document is MISSING:
        if needed and segment is not EACH:
            raise NoPlace(place, "is missing")
        return MISSING
    if not isinstance(document, dict | list):
        raise NoPlace(place, "is neither an object nor an array")
    if isinstance(document, list) and segment is not EACH and not _INDEX.fullmatch(segment):
        raise NoPlace(place, "is an array, not an object")
    new = {}
    for key, item in _beneath(document, segment):
        result = changed(item, rest, change, needed=needed, place=_joined(place, key))
        if result is not item:
            new[key] = result
    return _with(document, new, place) if new else document


def _beneath(value: Any, segment: str | Each) -> Iterable[tuple[str | int, Any]]:
    """The values one segment on, by key or index."""
    if isinstance(value, dict):
        return value.items() if segment is EACH else ((segment, value.get(segment, MISSING)),)
    if isinstance(value, list):
        if segment is EACH:
            return enumerate(value)
        if _INDEX.fullmatch(segment):
            index = int(segment)
            return ((index, value[index] if index < len(value) else MISSING),)
    return (("*" if segment is EACH else segment, MISSING),)


def _with(document: dict[str, Any] | list[Any], new: dict[str | int, Any], place: str) -> Any:
    """A copy of an object or array in which the values under some keys are other ones."""
    if isinstance(document, dict):
        both = {**document, **{str(key): item for key, item in new.items()}}
        return {key: item for key, item in both.items() if item is not MISSING}
    copy = list(document)
    for index, item in new.items():
        if not isinstance(index, int) or index >= len(copy):
            raise NoPlace(place, f"has no item {index}")
        if item is MISSING:
            raise NoPlace(place, "is an array, whose items keep their places")
        copy[index] = item
    return copy


def _joined(place: str, key: str | int) -> str:
    if isinstance(key, str) and ("~" in key or "/" in key):
        key = key.replace("~", "~0").replace("/", "~1")
    return f"{place}/{key}"
