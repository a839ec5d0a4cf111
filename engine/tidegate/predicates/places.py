"""Which values of a document some pointers name, and which are left over."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..pointers import EACH, Pointer


def leaves_over(document: Any, pointers: Iterable[Pointer]) -> bool:
    """Whether *document* holds a value that lies neither on the way to what *pointers* name nor beneath it."""
    ways = list(pointers)
    if any(not way for way in ways):
        return False
    if isinstance(document, dict):
        return any(_over(item, ways, key) for key, item in document.items())
    if isinstance(document, list):
        return any(_over(item, ways, str(index)) for index, item in enumerate(document))
    return False


def _over(item: Any, ways: list[Pointer], key: str) -> bool:
    """Whether something is left over of the value under *key*; what no way leads through is as a whole."""
    further = [way[1:] for way in ways if way[0] is EACH or way[0] == key]
    return not further or leaves_over(item, further)


def is_beneath(source: str, places: frozenset[str]) -> bool:
    """Whether the value at the pointer *source* is one at *places*, or part of one."""
    while source not in places:
        source, slash, _ = source.rpartition("/")
        if not slash:
            return False
    return True
