"""Yes, no and unknown: the answers of a matcher."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, NoReturn


class Unknown(NamedTuple):
    """The answer of a matcher that cannot tell; never true and never false."""

    reason: str

    def __bool__(self) -> NoReturn:
        """Refuse to be taken for yes or no."""
        raise TypeError(f"unknown is neither yes nor no: {self.reason}")


Tri = bool | Unknown


def any_of(answers: Iterable[Tri]) -> Tri:
    """Yes if one answer is yes, else unknown if one is unknown (its first reason), else no."""
    doubt: Unknown | None = None
    for answer in answers:
        if answer is True:
            return True
        if answer is not False and doubt is None:
            doubt = answer
    return False if doubt is None else doubt


def all_of(answers: Iterable[Tri]) -> Tri:
    """No if one answer is no, else unknown if one is unknown (its first reason), else yes."""
    doubt: Unknown | None = None
    for answer in answers:
        if answer is False:
            return False
        if answer is not True and doubt is None:
            doubt = answer
    return True if doubt is None else doubt
