"""Commands as other tools write them, by their text, as patterns of ours, which are about what a command does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_WORD = re.compile(r"[A-Za-z0-9_./:@%+,=-]+")
_FOLDER = re.compile(r"[A-Za-z0-9_./@-]*/\*+")
REST = "..."


class Pattern(NamedTuple):
    """A pattern, or none; `stricter` tells that it is not what the source says, but on the safe side of it."""

    text: str | None
    stricter: bool = False


NOTHING = Pattern(None)


def plain_words(text: str) -> list[str] | None:
    """The words of a command in which no character means anything to a shell or to a pattern; `None` for another."""
    words = text.split()
    if not words or not all(_WORD.fullmatch(word) for word in words) or "=" in words[0] or REST in words:
        return None
    return words


def granted(words: Sequence[str] | None, *, rest: bool) -> Pattern:
    """The pattern that grants the command of these words, and with `rest` whatever stands behind them."""
    if words is None:
        return NOTHING
    return Pattern(" ".join([*words, REST] if rest else words))


def refused(words: Sequence[str] | None) -> Pattern:
    """The pattern that refuses every command that begins with these words: a deny is about these words and more."""
    return NOTHING if not words else Pattern(" ".join(words))


def wildcard(text: str, *, grant: bool) -> Pattern:
    """The pattern for a text in which `*` stands for any characters, also for none and for blanks.

    A grant covers no more than the text does, and a deny no less: where a word is not known as a whole, a deny goes by
    those that are.
    """
    words = text.split()
    rest = bool(words) and words[-1] == "*"
    if rest:
        words = words[:-1]
    if "*" not in "".join(words):
        plain = plain_words(" ".join(words))
        return granted(plain, rest=rest) if grant else refused(plain)
    return _narrow(words) if grant else _wide(words)


def _narrow(words: list[str]) -> Pattern:
    """A grant that covers no more: only the last word may have a star, and only at its end."""
    *before, last = words
    if _FOLDER.fullmatch(last) and before:
        plain = plain_words(" ".join(before))
        return NOTHING if plain is None else Pattern(" ".join([*plain, f"{last.rstrip('*')}**"]), stricter=True)
    return granted(plain_words(" ".join([*before, last.rstrip("*")])), rest=True)._replace(stricter=True)


def _wide(words: list[str]) -> Pattern:
    """A deny that refuses no less: by the words that are known as a whole, of which the program must be one."""
    known = [word for word in words if "*" not in word]
    if not known or known[0] != words[0]:
        return NOTHING
    return refused(plain_words(" ".join(known)))._replace(stricter=len(known) < len([w for w in words if w != "*"]))
