"""Shortening by tokens, of which nobody can tell how many a text has but by counting them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from .shorten import Size

LONGEST = 64
"""The bytes for each token behind which a text is cut before its tokens are counted."""

Counter = Callable[[str], int]


class Tokens(NamedTuple):
    """A bound in tokens, and what counts them."""

    most: int
    count: Counter

    def hold(self, text: str) -> bool:
        """Whether *text* is within the bound.

        Raises:
            TypeError: The counter gives something that is no number of tokens.
        """
        found = self.count(text)
        if type(found) is not int or found < 0:
            raise TypeError("the counter gave no number of tokens")
        return found <= self.most


T = TypeVar("T")


def within_tokens(shorten: Callable[[Size], T], text_of: Callable[[T], str], most: Size, tokens: Tokens | None) -> T:
    """What *shorten* makes of something with the most bytes, up to *most*, of which the tokens are within the bound.

    Raises:
        ValueError: There is nothing that is within it.
        TypeError: The counter gives something that is no number of tokens.
    """
    if tokens is None:
        return shorten(most)
    most = Size(min(most.bytes, LONGEST * tokens.most), most.lines)
    longest = shorten(most)
    if tokens.hold(text_of(longest)):
        return longest
    fits, fails, shorter = 0, most.bytes, None
    while fails - fits > 1:
        middle = (fits + fails) // 2
        longest = shorten(Size(middle, most.lines))
        if tokens.hold(text_of(longest)):
            shorter, fits = longest, middle
        else:
            fails = middle
    if shorter is None:
        raise ValueError("the marker alone has more tokens than the bound")
    return shorter
