"""The syntax of globs: text to branches, each a place to start from and the segments beneath it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from .globtokens import DEEP, Atom, BadGlob, Segment, Star, Token, tokens

LARGEST = 2_048
MOST_BRANCHES = 256
_DEEPEST = 8
_DRIVE = re.compile(r"[A-Za-z]:")


class Branch(NamedTuple):
    """One way to read a glob after its braces: the `segments` beneath `place`, from `up` levels above it.

    `place` is `/`, `{root}`, `{cwd}`, `~` or `~name`, and empty for a relative glob.
    """

    place: str
    segments: tuple[Segment, ...]
    up: int = 0


def parse(text: str) -> tuple[Branch, ...]:
    """Read a glob.

    `*` is any text without a slash, `?` one character, `[a-z]` and `[!a-z]` one of a set, `**` between slashes
    any number of names, `{a,b}` a choice; a backslash takes the next character as it is. `.` and `..` after
    plain names are folded.

    Raises:
        BadGlob: The glob is broken, or larger than `LARGEST` characters over at most `MOST_BRANCHES` branches.
    """
    if not text:
        raise BadGlob("the glob is empty", "write `**` for everything beneath a place", 0)
    if len(text) > LARGEST:
        raise BadGlob(f"the glob has {len(text)} characters", f"write at most {LARGEST}", LARGEST)
    for offset, char in enumerate(text):
        if char == "\0" or "\ud800" <= char <= "\udfff":
            raise BadGlob("the glob holds a character that no name has", "take it out", offset)
    lines = _expand(list(tokens(text)))
    if sum(map(len, lines)) > LARGEST:
        raise BadGlob("the glob is too large to compare", "write several globs", 0)
    return tuple(dict.fromkeys(_branch(line, len(text)) for line in lines))


def _expand(marks: list[Token]) -> list[list[Token]]:
    """Multiply the choices out."""
    outer: list[tuple[list[list[Token]], list[list[Token]], int]] = []
    done: list[list[Token]] = []
    now: list[list[Token]] = [[]]
    for before, token in pairwise([Token("start", 0), *marks]):
        if token.mark in (",", "}") and before.mark in ("{", ","):
            raise BadGlob("a choice has an empty alternative", "write a second glob without it", token.offset)
        if token.mark == "{":
            outer.append((now, done, token.offset))
            now, done = [[]], []
            if len(outer) > _DEEPEST:
                raise BadGlob("choices are nested too deep", "write several globs", token.offset)
        elif token.mark == ",":
            done, now = done + now, [[]]
        elif token.mark == "}":
            choices = done + now
            heads, done, offset = outer.pop()
            if len(choices) == 1:
                raise BadGlob("a choice has a single alternative", "write it without braces, or `\\{`", offset)
            now = _product(heads, choices, offset)
        else:
            for line in now:
                line.append(token)
    if outer:
        raise BadGlob("`{` is never closed", "add `}`, or write `\\{` for the character", outer[-1][2])
    return now


def _product(heads: list[list[Token]], tails: list[list[Token]], offset: int) -> list[list[Token]]:
    if len(heads) * len(tails) > MOST_BRANCHES:
        raise BadGlob(f"the choices multiply to over {MOST_BRANCHES} globs", "write several globs", offset)
    return [head + tail for head in heads for tail in tails]


def _branch(marks: Sequence[Token], end: int) -> Branch:
    place, rest = _anchor(marks)
    for token in rest:
        if token.mark == "place":
            raise BadGlob(f"`{token.atom}` stands within a path", "write a place at the very start", token.offset)
    names = _split(rest, end)
    segments: list[Segment] = []
    up = 0
    for name in names:
        segment = _segment(name)
        if segment == ("..",):
            if segments and not (len(segments[-1]) == 1 and isinstance(segments[-1][0], str)):
                raise BadGlob("`..` follows a name that is not plain", "write the path without `..`", name[0].offset)
            up += not segments
            del segments[-1:]
        elif segment != (".",) and not (segment == DEEP and segments[-1:] == [DEEP]):
            segments.append(segment)
    if up and place == "/":
        raise BadGlob("`..` leads above the root of the file system", "write the path without `..`", 0)
    return Branch(place, tuple(segments), up)


def _anchor(marks: Sequence[Token]) -> tuple[str, Sequence[Token]]:
    """The place that a glob starts from, and the marks beneath it."""
    first = marks[0]
    word = list(marks[: next((at for at, token in enumerate(marks) if token.mark == "/"), len(marks))])
    rest = marks[len(word) + 1 :]
    if first.mark == "/":
        return "/", rest
    if first.mark == "place":
        if len(word) > 1:
            raise BadGlob(f"`{first.atom}` is followed by text", f"write `{first.atom}/`", word[1].offset)
        return str(first.atom), rest if rest or len(marks) == 1 else marks[1:]
    plain = "".join(str(token.atom) for token in word if token.mark == "char")
    if first == Token("char", first.offset, "~"):
        if len(plain) < len(word):
            raise BadGlob("the account after `~` is not plain", "write `\\~` for the character", first.offset)
        return plain, rest if rest or len(marks) == len(word) else marks[len(word) :]
    if len(plain) == len(word) and _DRIVE.fullmatch(plain):
        return "/", marks
    return "", marks


def _split(marks: Sequence[Token], end: int) -> list[list[Token]]:
    """The marks of each name; a slash must stand between two of them."""
    if not marks:
        return []
    names: list[list[Token]] = [[]]
    for token in marks:
        if token.mark != "/":
            names[-1].append(token)
        elif not names[-1]:
            raise BadGlob("there is no name between two slashes", "write one slash", token.offset)
        else:
            names.append([])
    if not names[-1]:
        raise BadGlob(
            "a slash at the end names nothing", "write `**` after it for everything beneath, or leave it out", end - 1
        )
    return names


def _segment(marks: Sequence[Token]) -> Segment:
    atoms: list[Atom] = []
    for token in marks:
        last = atoms[-1] if atoms else None
        if isinstance(token.atom, str) and isinstance(last, str):
            atoms[-1] = last + token.atom
        elif isinstance(token.atom, Star) and isinstance(last, Star):
            atoms[-1] = Star(last.run + 1)
            if len(marks) > len("**"):
                raise BadGlob("`**` does not stand alone between slashes", "write `**/*` or `*`", token.offset - 1)
        else:
            atoms.append(token.atom)
    return tuple(atoms)
