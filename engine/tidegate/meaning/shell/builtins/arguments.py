"""The options of builtins, which all read their words in the same way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...values import Value
from ..command import Word


class Options(NamedTuple):
    """Options as letters with their sign and argument, and where the operands begin.

    `sure` is false where a word is not known that could be an option.
    """

    given: tuple[tuple[str, Value | None], ...]
    operands: int
    sure: bool

    def has(self, letter: str) -> bool:
        """Whether the option *letter* is given with a minus."""
        return any(name == f"-{letter}" for name, _ in self.given)

    def argument(self, letter: str) -> Value | None:
        """The argument of the option *letter*, the last one if there are several."""
        return next((value for name, value in reversed(self.given) if name == f"-{letter}"), None)


def read_options(words: Sequence[Word], start: int = 1, *, takes: str = "", signs: str = "-") -> Options:
    """Read the options of a builtin from the word at *start* on; the letters in *takes* have an argument."""
    given: list[tuple[str, Value | None]] = []
    place = start
    while place < len(words):
        word = words[place]
        value = word.value
        if word.many or not isinstance(value, str):
            known = value if isinstance(value, str) else value.prefix
            return Options(tuple(given), place, sure=known[:1] not in ("", *signs))
        if value == "--":
            return Options(tuple(given), place + 1, sure=True)
        if len(value) < 2 or value[0] not in signs:  # noqa: PLR2004 a sign and a letter
            break
        place += 1
        for at, letter in enumerate(value[1:], 1):
            if letter not in takes:
                given.append((value[0] + letter, None))
                continue
            argument: Value | None = value[at + 1 :] or None
            if argument is None and place < len(words):
                argument = words[place].value
                place += 1
            given.append((value[0] + letter, argument))
            break
    return Options(tuple(given), place, sure=True)
