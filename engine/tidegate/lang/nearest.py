"""The known name that somebody most likely meant."""

from __future__ import annotations

from collections.abc import Iterable

MANY = 100
"""After so many findings nobody reads suggestions any more, and a hostile file could make them costly."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The one of *known* that *name* is probably a slip for, or `None` where nothing is close.

    A name that differs only by case, `-`, `_` and blanks comes first, then singular for plural or the other way
    round, then the one with the fewest slips (a letter missing, extra, wrong, or swapped with its neighbour):
    at most one in a name of up to four letters, two up to eight, else three. Of equals the first known wins.
    """
    names = list(known)
    wanted = _folded(name)
    for candidate in names:
        if _folded(candidate) == wanted:
            return candidate
    stem = _singular(wanted)
    for candidate in names:
        if _singular(_folded(candidate)) == stem:
            return candidate
    return _fewest_slips(wanted, names)


def _fewest_slips(wanted: str, names: list[str]) -> str | None:
    best: str | None = None
    allowed = 1 if len(wanted) <= 4 else 2 if len(wanted) <= 8 else 3  # noqa: PLR2004 - the bounds are documented above
    for candidate in names:
        slips = _slips(wanted, _folded(candidate), allowed)
        if slips is not None:
            best, allowed = candidate, slips - 1
        if allowed <= 0:
            break
    return best


def _folded(name: str) -> str:
    return name.casefold().replace("-", "").replace("_", "").replace(" ", "")


def _singular(name: str) -> str:
    if name.endswith("ies"):
        return name[:-3] + "y"
    for ending in ("xes", "ses", "ches", "shes"):
        if name.endswith(ending):
            return name[:-2]
    return name[:-1] if name.endswith("s") and not name.endswith("ss") else name


def _slips(one: str, two: str, most: int) -> int | None:
    """The number of slips between two names, `None` if more than *most*.

    Source: the restricted edit distance of Damerau and Levenshtein ("optimal string alignment").
    """
    if abs(len(one) - len(two)) > most:
        return None
    before: list[int] = []
    row = list(range(len(two) + 1))
    for i, x in enumerate(one, 1):
        older, before, row = before, row, [i]
        for j, y in enumerate(two, 1):
            cost = min(before[j] + 1, row[-1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == two[j - 2] and y == one[i - 2]:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return None
    return row[-1] if row[-1] <= most else None
