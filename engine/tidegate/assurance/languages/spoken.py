"""The languages of what rules are written in: names of tools, globs, regular expressions."""

from __future__ import annotations

from collections.abc import Iterable

from ...meaning.globs import Glob
from ...meaning.lookalikes import fold
from ...meaning.names import name_test
from ...meaning.steps import ANY
from .algebra import Language, Machine
from .pieces import ANYTHING, Chars, Either, Joined, Piece, literal, of_steps
from .regexes import regex_pieces


def name_pieces(glob: str) -> Piece:
    """The texts that a glob over names has, where `*` stands for any characters and `?` for one."""
    return Joined(tuple(ANYTHING if char == "*" else Chars(ANY) if char == "?" else literal(char) for char in glob))


def name_language(globs: Iterable[str] | None, *, wide: bool = False) -> Language:
    """The names that one of *globs* has, `None` being every name; *wide* over names as a deny folds them."""
    if globs is None:
        return Machine(ANYTHING)
    spelled = [fold(glob).strip() if wide else glob for glob in globs]
    return Machine(Either(tuple(map(name_pieces, spelled))), name_test(spelled))


def glob_language(globs: Iterable[Glob]) -> Language:
    """The paths that one of *globs* names; the empty text is `/` itself."""
    globs = tuple(globs)
    return Machine(
        Either(tuple(of_steps(glob.steps) for glob in globs)),
        lambda text: any(glob.match(text) is True for glob in globs),
    )


def text_language(*, glob: str | None = None, regex: str | None = None, wide: bool = False) -> Language:
    """The texts that a glob, or a regular expression as a whole, matches; *wide* in the spelling of a deny.

    Raises:
        Unread: The regular expression uses what is not modelled.
        NotDecided: It is too large.
    """
    if glob is not None:
        return Machine(name_pieces(fold(glob).strip() if wide else glob))
    return Machine(regex_pieces(regex or "", fold=wide))
