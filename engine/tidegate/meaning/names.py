"""Globs over names (of tools, agents, sessions), where `*` stands for any characters."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence

import re2

from .regexes import compile_regex
from .widen import skeleton

NameTest = Callable[[str], bool]


def name_test(globs: Sequence[str]) -> NameTest:
    """A test for names that one of *globs* matches exactly."""
    literal = frozenset(glob for glob in globs if not _is_glob(glob))
    patterns = [_compile(glob) for glob in globs if _is_glob(glob)]
    return lambda name: name in literal or any(_full(pattern, name) for pattern in patterns)


def widened_name_test(globs: Sequence[str]) -> NameTest:
    """The same for denies: over case, blanks around, invisible characters and look-alikes."""
    exact = name_test(globs)
    wide = name_test([_fold(glob) for glob in globs])
    return lambda name: exact(name) or wide(_fold(name))


def _is_glob(text: str) -> bool:
    return "*" in text or "?" in text


def _compile(glob: str) -> re2._Regexp:
    body = "".join(".*" if c == "*" else "." if c == "?" else re2.escape(c) for c in glob)
    return compile_regex(f"(?s){body}")


def _full(pattern: re2._Regexp, name: str) -> bool:
    try:
        return pattern.fullmatch(name) is not None
    except UnicodeEncodeError:
        return False


def _fold(name: str) -> str:
    """The name as an eye sees it, so that no look-alike slips past a deny."""
    return skeleton(unicodedata.normalize("NFKC", name)).strip()
