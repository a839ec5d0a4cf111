"""Many predicates on texts, of which the arguments of a call find those that could hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import re2

from ..meaning.lookalikes import fold
from ..meaning.names import glob_regex
from ..meaning.regexsets import RegexSet
from ..pointers import Pointer, values_at
from . import Predicate
from .wide import spellings


class Needed(NamedTuple):
    """Something without which a table of a deny does not hold: a text at *pointer*, or nothing that is a text."""

    pointer: Pointer
    form: Literal["regex", "glob", "literal"]
    texts: tuple[str, ...]


def needed(pointer: Pointer, predicate: Predicate) -> Needed | None:
    """What a predicate needs, `None` where it is not about text alone."""
    given = predicate.given()
    if len(given) != 1:
        return None
    [(key, value)] = given.items()
    if key == "regex":
        return Needed(pointer, "regex", (value,))
    if key == "glob":
        return Needed(pointer, "glob", (value,))
    texts = (value,) if key == "equals" else value if key == "one_of" else ()
    return Needed(pointer, "literal", texts) if texts and all(isinstance(text, str) for text in texts) else None


class TextIndex:
    """Predicates by where they look, each with the number of what it belongs to."""

    __slots__ = ("_places",)

    def __init__(self, needs: Sequence[tuple[Needed, int]]) -> None:
        """Take *needs* with their numbers."""
        places: dict[Pointer, list[tuple[Needed, int]]] = {}
        for need, number in needs:
            places.setdefault(need.pointer, []).append((need, number))
        self._places = tuple((pointer, _Place(some)) for pointer, some in places.items())

    def possible(self, arguments: Mapping[str, Any]) -> Iterable[int]:
        """The numbers of all predicates that could hold of some value, or are about a value that is no text."""
        found: set[int] = set()
        for pointer, place in self._places:
            for _, value in values_at(arguments, pointer):
                place.find(value, found)
        return found


class _Place:
    """The predicates on what one pointer leads to."""

    __slots__ = ("_looks", "_looks_numbers", "_regex_numbers", "_regexes", "numbers")

    def __init__(self, needs: Sequence[tuple[Needed, int]]) -> None:
        self.numbers = frozenset(number for _, number in needs)
        regexes = [(text, number) for need, number in needs if need.form == "regex" for text in need.texts]
        # A deny reads both ways, and neither has all of the other: without regard to case `[^a]` is not `A`.
        self._regexes = RegexSet([*(text for text, _ in regexes), *(f"(?i:{text})" for text, _ in regexes)])
        self._regex_numbers = tuple(number for _, number in regexes) * 2
        make = {"glob": glob_regex, "literal": _exactly}
        looks = [
            (make[need.form](spelling), number)
            for need, number in needs
            if need.form != "regex"
            for text in need.texts
            for spelling in {text, fold(text).strip()}
        ]
        self._looks = RegexSet([text for text, _ in looks])
        self._looks_numbers = tuple(number for _, number in looks)

    def find(self, value: Any, found: set[int]) -> None:
        """Add the numbers of what could hold of *value*."""
        if not isinstance(value, str):
            found |= self.numbers
            return
        if self._regex_numbers:
            for spelling in spellings(value):
                self._ask(self._regexes, self._regex_numbers, spelling, found)
        if self._looks_numbers:
            for spelling in {value, fold(value).strip()}:
                self._ask(self._looks, self._looks_numbers, spelling, found)

    def _ask(self, many: RegexSet, numbers: Sequence[int], text: str, found: set[int]) -> None:
        hits = many.matches(text)
        if hits is None:
            found |= self.numbers
        else:
            for at in hits:
                found.add(numbers[at])


def _exactly(text: str) -> str:
    return f"(?s){re2.escape(text)}"
