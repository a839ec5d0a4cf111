"""Texts as a deny compares them: over case, blanks around them, invisible characters and look-alikes."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

from ..meaning.lookalikes import fold
from ..meaning.names import text_glob
from ..meaning.regexes import compile_regex

TextTest = Callable[[str], bool]


def wide_literal(text: str) -> TextTest:
    """A test for texts that look like *text*."""
    looks = fold(text).strip()
    return lambda value: fold(value).strip() == looks


def wide_glob(glob: str) -> TextTest:
    """A test for texts that look like one that *glob* names.

    Raises:
        BadPattern: The glob holds a lone surrogate.
    """
    matches = text_glob(fold(glob).strip())
    return lambda value: matches(fold(value).strip())


def wide_regex(regex: str) -> TextTest:
    """A test for texts of which one spelling matches *regex* as a whole, without regard to case.

    The pattern itself is not folded: what it names in Latin letters is found in look-alikes, not the other way.

    Raises:
        BadPattern: The pattern is broken or outside of the dialect.
    """
    pattern = compile_regex(f"(?i:{regex})")
    return lambda value: any(pattern.fullmatch(spelling) is not None for spelling in spellings(value))


def spellings(text: str) -> tuple[str, ...]:
    """The spellings of a text that a regular expression of a deny is compared with."""
    plain = text.strip()
    if text.isascii() and text.isprintable():
        return (text,) if plain == text else (text, plain)
    return tuple(dict.fromkeys([text, plain, unicodedata.normalize("NFKC", text).strip(), fold(text).strip()]))
