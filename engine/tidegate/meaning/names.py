"""Globs over names (of tools, agents, sessions), where `*` stands for any characters."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import re2

from .lookalikes import fold
from .regexes import compile_regex

NameTest = Callable[[str], bool]


def name_test(globs: Sequence[str]) -> NameTest:
    """A test for names that one of *globs* matches exactly; `?` stands for one character."""
    literal = frozenset(glob for glob in globs if not is_glob(glob))
    patterns = [text_glob(glob) for glob in globs if is_glob(glob)]
    return lambda name: name in literal or any(matches(name) for matches in patterns)


def text_glob(text: str) -> NameTest:
    """A test for one glob over plain text; text with a lone surrogate matches no glob.

    Raises:
        BadPattern: The glob holds a lone surrogate.
    """
    pattern = compile_regex(glob_regex(text))
    plain = _plainly(text)
    if plain is not None:
        return plain

    def matches(name: str) -> bool:
        try:
            return pattern.fullmatch(name) is not None
        except UnicodeEncodeError:
            return False

    return matches


def _plainly(text: str) -> NameTest | None:
    """The test of a glob with one `*` and nothing else, by comparing both ends."""
    start, star, end = text.partition("*")
    if not star or is_glob(start + end):
        return None
    least = len(start) + len(end)

    def matches(name: str) -> bool:
        if not (len(name) >= least and name.startswith(start) and name.endswith(end)):
            return False
        return name.isascii() or _is_text(name)

    return matches


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def glob_regex(text: str) -> str:
    """A glob over plain text as a regular expression for the whole of it."""
    return "(?s)" + "".join(".*" if c == "*" else "." if c == "?" else re2.escape(c) for c in text)


def widened_name_test(globs: Sequence[str]) -> NameTest:
    """The same for denies: over case, blanks around, invisible characters and look-alikes."""
    exact = name_test(globs)
    wide = name_test([_fold(glob) for glob in globs])
    return lambda name: exact(name) or wide(_fold(name))


def overlap(one: str, two: str) -> bool:
    """Whether some name is matched by both globs."""
    ends = {0}
    for part in one:
        ends = _stepped(ends, part, two)
    return len(two) in _over_stars(ends, two)


def _stepped(ends: set[int], part: str, two: str) -> set[int]:
    """How far *two* can have come after one more character of the other glob, from these places in it."""
    ends = _over_stars(ends, two)
    if part == "*":
        return set(range(min(ends), len(two) + 1)) if ends else set()
    stepped = {at + 1 for at in ends if at < len(two) and (part == "?" or two[at] in ("?", part))}
    return stepped | {at for at in ends if at < len(two) and two[at] == "*"}


def _over_stars(ends: set[int], two: str) -> set[int]:
    """The places, and those behind the stars that begin at them."""
    found = set(ends)
    for at in range(len(two)):
        if at in found and two[at] == "*":
            found.add(at + 1)
    return found


def is_glob(text: str) -> bool:
    """Whether the text stands for more than itself."""
    return "*" in text or "?" in text


def _fold(name: str) -> str:
    """The name as an eye sees it, so that no look-alike slips past a deny."""
    return fold(name).strip()
