"""The syntax of globs: text to branches, each a place to start from and the segments beneath it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from .automata import NOT_SLASH, SLASH, Ranges, complement, union
from .regexes import BadPattern

LONGEST = 4_096
MOST_BRANCHES = 256
_MOST_TOKENS = 65_536
_DEEPEST = 8
_PLACE = re.compile(r"\{([A-Za-z_]+)\}")
_DRIVE = re.compile(r"[A-Za-z]:")
_KNOWN_PLACES = {"root": "{root}", "cwd": "{cwd}", "home": "~"}


class BadGlob(BadPattern):
    """A glob cannot be compiled; `offset` is where in its text, counted in code points from 0."""

    def __init__(self, what: str, mend: str, offset: int) -> None:
        super().__init__(what, mend)
        self.offset = offset


class Star(NamedTuple):
    """Any number of characters but no slash; *run* counts the stars that were written."""

    run: int = 1


class Set(NamedTuple):
    """One character of `chars`; `negated` remembers that the set was written with `!`."""

    chars: Ranges
    negated: bool = False


Atom = str | Star | Set
Segment = tuple[Atom, ...]
"""One name between slashes; plain characters that follow each other are joined."""

DEEP: Segment = (Star(2),)
"""The segment `**`: any number of names, also none."""


class Branch(NamedTuple):
    """One way to read a glob after its braces: the `segments` beneath `place`, from `up` levels above it.

    `place` is `/`, `{root}`, `{cwd}`, `~` or `~name`, and empty for a relative glob.
    """

    place: str
    segments: tuple[Segment, ...]
    up: int = 0


class _Token(NamedTuple):
    """A plain character, a star, a set, or one of the marks `/`, `{`, `,`, `}` and a place."""

    mark: str
    offset: int
    atom: Atom = ""


def parse(text: str) -> tuple[Branch, ...]:
    """Read a glob.

    `*` is any text without a slash, `?` one character, `[a-z]` and `[!a-z]` one of a set, `**` between slashes
    any number of names, `{a,b}` a choice; a backslash takes the next character as it is. `.` and `..` after
    plain names are folded.

    Raises:
        BadGlob: The glob is broken, or larger than `LONGEST` characters or `MOST_BRANCHES` branches.
    """
    if not text:
        raise BadGlob("the glob is empty", "write `**` for everything beneath a place", 0)
    if len(text) > LONGEST:
        raise BadGlob(f"the glob has {len(text)} characters", f"write at most {LONGEST}", LONGEST)
    for offset, char in enumerate(text):
        if char == "\0" or "\ud800" <= char <= "\udfff":
            raise BadGlob("the glob holds a character that no name has", "take it out", offset)
    branches = (_branch(tokens, len(text)) for tokens in _expand(list(_tokens(text)), len(text)))
    return tuple(dict.fromkeys(branches))


def _tokens(text: str) -> Iterator[_Token]:
    depth, at = 0, 0
    while at < len(text):
        char, start = text[at], at
        at += 1
        if char == "\\":
            if at == len(text):
                raise BadGlob("a backslash escapes nothing", "write `\\\\` for a backslash", start)
            yield _Token("escaped", start, text[at])
            at += 1
        elif char == "*":
            yield _Token("star", start, Star())
        elif char == "?":
            yield _Token("set", start, Set(NOT_SLASH))
        elif char == "[":
            chosen, at = _set(text, start)
            yield _Token("set", start, chosen)
        elif char == "{" and (name := _PLACE.match(text, start)):
            yield _Token("place", start, _place(name[1], start))
            at = name.end()
        elif char in "{}" or (char == "," and depth):
            depth += {"{": 1, "}": -1, ",": 0}[char]
            if depth < 0:
                raise BadGlob("`}` closes nothing", "write `\\}` for the character", start)
            yield _Token(char, start)
        else:
            yield _Token("/" if char == "/" else "char", start, char)


def _place(name: str, offset: int) -> str:
    if name not in _KNOWN_PLACES:
        known = ", ".join(f"`{{{place}}}`" for place in _KNOWN_PLACES)
        mend = f"write one of {known}, or `{{a,b}}` for a choice"
        raise BadGlob(f"`{{{name}}}` is no place and no choice", mend, offset)
    return _KNOWN_PLACES[name]


def _set(text: str, start: int) -> tuple[Set, int]:
    """Read `[…]` that opens at *start*; returns the set and where it ends."""
    at = start + 1
    if text.startswith("^", at):
        raise BadGlob("`[^` is read in two ways", "write `[!` for a set that excludes, `[\\^` for the character", at)
    negated = text.startswith("!", at)
    at += negated
    chars: list[tuple[int, int]] = []
    while not (text.startswith("]", at) and chars):
        low, at = _member(text, at, start)
        high = low
        if text.startswith("-", at) and not text.startswith("-]", at):
            high, at = _member(text, at + 1, start)
        if high < low:
            mend = f"write `{chr(high)}-{chr(low)}`"
            raise BadGlob(f"the range `{chr(low)}-{chr(high)}` runs backwards", mend, at - 3)
        chars.append((low, high))
    ranges = union(chars)
    if any(low <= ord("/") <= high for low, high in ranges):
        raise BadGlob("a set holds a slash, which no name has", "write the directories out", start)
    if negated:
        ranges = complement(union(ranges + SLASH))
    return Set(ranges, negated), at + 1


def _member(text: str, at: int, start: int) -> tuple[int, int]:
    """One character of a set and where it ends."""
    if text.startswith(("[:", "[.", "[="), at):
        raise BadGlob("character classes by name are not known", "write the range, as in `[0-9]`", at)
    at += text.startswith("\\", at)
    if at >= len(text):
        raise BadGlob("`[` is never closed", "add `]`, or write `\\[` for the character", start)
    return ord(text[at]), at + 1


def _expand(tokens: list[_Token], end: int) -> list[list[_Token]]:
    """Multiply the choices out."""
    outer: list[tuple[list[list[_Token]], list[list[_Token]], int]] = []
    done: list[list[_Token]] = []
    now: list[list[_Token]] = [[]]
    for before, token in pairwise([_Token("start", 0), *tokens]):
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
    if sum(map(len, now)) > _MOST_TOKENS:
        raise BadGlob("the choices multiply to too much text", "write several globs", end)
    return now


def _product(heads: list[list[_Token]], tails: list[list[_Token]], offset: int) -> list[list[_Token]]:
    if len(heads) * len(tails) > MOST_BRANCHES:
        raise BadGlob(f"the choices multiply to over {MOST_BRANCHES} globs", "write several globs", offset)
    return [head + tail for head in heads for tail in tails]


def _branch(tokens: Sequence[_Token], end: int) -> Branch:
    place, rest = _anchor(tokens)
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


def _anchor(tokens: Sequence[_Token]) -> tuple[str, Sequence[_Token]]:
    """The place that a glob starts from, and the tokens beneath it."""
    first = tokens[0]
    word = list(tokens[: next((at for at, token in enumerate(tokens) if token.mark == "/"), len(tokens))])
    rest = tokens[len(word) + 1 :]
    if first.mark == "/":
        return "/", rest
    if first.mark == "place":
        if len(word) > 1:
            raise BadGlob(f"`{first.atom}` is followed by text", f"write `{first.atom}/`", word[1].offset)
        return str(first.atom), rest if rest or len(tokens) == 1 else tokens[1:]
    plain = "".join(str(token.atom) for token in word if token.mark == "char")
    if first == _Token("char", first.offset, "~"):
        if len(plain) < len(word):
            raise BadGlob("the account after `~` is not plain", "write `\\~` for the character", first.offset)
        return plain, rest if rest or len(tokens) == len(word) else tokens[len(word) :]
    if len(plain) == len(word) and _DRIVE.fullmatch(plain):
        return "/", tokens
    return "", tokens


def _split(tokens: Sequence[_Token], end: int) -> list[list[_Token]]:
    """The tokens of each name; a slash must stand between two of them."""
    if not tokens:
        return []
    names: list[list[_Token]] = [[]]
    for token in tokens:
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


def _segment(tokens: Sequence[_Token]) -> Segment:
    atoms: list[Atom] = []
    for token in tokens:
        last = atoms[-1] if atoms else None
        if isinstance(token.atom, str) and isinstance(last, str):
            atoms[-1] = last + token.atom
        elif isinstance(token.atom, Star) and isinstance(last, Star):
            atoms[-1] = Star(last.run + 1)
            if len(tokens) > len("**"):
                raise BadGlob("`**` does not stand alone between slashes", "write `**/*` or `*`", token.offset - 1)
        else:
            atoms.append(token.atom)
    return tuple(atoms)
