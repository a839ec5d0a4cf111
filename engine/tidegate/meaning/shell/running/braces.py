"""Brace expansion: `{a,b}` and `{1..3}`, before anything else is expanded."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from ..parsing.syntax import Literal, Missing, Part, Variable

MOST_WORDS = 512
DEEPEST = 24
_TOKEN = re.compile(r"[{},]|[^{},]+")
_INTEGERS = re.compile(r"([-+]?[0-9]{1,18})\.\.([-+]?[0-9]{1,18})(?:\.\.([-+]?[0-9]{1,18}))?")
_NAME = re.compile(r"[A-Za-z0-9_]+")
_DOLLAR = re.compile(r"\$[A-Za-z0-9_@*#?$!'\"({\[-]")
_LETTERS = re.compile(r"([A-Za-z])\.\.([A-Za-z])(?:\.\.([-+]?[0-9]{1,18}))?")

Parts = tuple[Part, ...]


class TooMany(Exception):
    """Braces expand to more words than anybody looks at."""


class _Mark(NamedTuple):
    char: str


_Token = Part | _Mark


def expand_braces(parts: Parts) -> list[Parts]:
    """The words that *parts* become, each as its parts.

    Raises:
        TooMany: They are more than 512, or braces are nested more than 24 deep.
    """
    tokens: list[_Token] = []
    for part in parts:
        if type(part) is Literal:
            tokens.extend(_Mark(text) if text in "{}," else Literal(text) for text in _TOKEN.findall(part.text))
        else:
            tokens.append(part)
    return [_merged(word) for word in _expanded(tokens, 0)]


def _expanded(tokens: Sequence[_Token], depth: int) -> list[list[Part]]:
    """All readings of *tokens*, the groups from left to right."""
    if depth > DEEPEST or sum(isinstance(token, _Mark) for token in tokens) > MOST_WORDS:
        raise TooMany
    pieces: list[list[list[Part]]] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        end = _closing(tokens, place) if isinstance(token, _Mark) and token.char == "{" else None
        if end is None:
            pieces.append([[Literal(token.char) if isinstance(token, _Mark) else token]])
            place += 1
        else:
            pieces.append(_choices(tokens, place, end, depth))
            place = end + 1
    size = 1
    for choice in pieces:
        size *= len(choice)
        if size > MOST_WORDS:
            raise TooMany
    return [[part for piece in pick for part in piece] for pick in product(*pieces)]


def _closing(tokens: Sequence[_Token], start: int) -> int | None:
    """The place of the brace that closes the one at *start*.

    One that has neither a comma nor `..` before it does not close. Source: bash 5.2, `brace_gobbler`.
    """
    level = separators = 0
    for place in range(start + 1, len(tokens)):
        token = tokens[place]
        if not isinstance(token, _Mark):
            if level == 0 and isinstance(token, Literal) and _ranges(token.text, tokens[place + 1 : place + 2]):
                separators += 1
        elif token.char == "{":
            level += 1
        elif token.char == "," and level == 0:
            separators += 1
        elif token.char == "}" and level:
            level -= 1
        elif token.char == "}" and separators:
            return place
    return None


def _ranges(text: str, following: Sequence[_Token]) -> bool:
    """Whether there are two dots in *text*, other than right before a closing brace."""
    dots = text.find("..")
    return dots >= 0 and (dots + 2 < len(text) or list(following) != [_Mark("}")])


def _choices(tokens: Sequence[_Token], start: int, end: int, depth: int) -> list[list[Part]]:
    """What the braces from *start* to *end* can be."""
    alternatives: list[list[_Token]] = [[]]
    level = 0
    for token in tokens[start + 1 : end]:
        if isinstance(token, _Mark):
            level += {"{": 1, "}": -1 if level else 0, ",": 0}[token.char]
            if token.char == "," and not level:
                alternatives.append([])
                continue
        alternatives[-1].append(token)
    if len(alternatives) > 1:
        found = [word for alternative in alternatives for word in _expanded(alternative, depth + 1)]
        if len(found) > MOST_WORDS:
            raise TooMany
        return found
    only = alternatives[0]
    if len(only) > 1 and any(isinstance(token, _Mark) for token in only):
        raise TooMany
    items = _series(only[0].text) if len(only) == 1 and type(only[0]) is Literal else None
    if items is not None:
        return [[Literal(item)] for item in items]
    return [[Literal("{"), *(token for token in only if not isinstance(token, _Mark)), Literal("}")]]


def _series(text: str) -> list[str] | None:
    """`1..3` or `a..c` as its items; `None` where it is neither."""
    if found := _INTEGERS.fullmatch(text):
        first, last, step = int(found[1]), int(found[2]), int(found[3] or 0)
        padded = any(re.fullmatch(r"[-+]?0[0-9]+", end) for end in (found[1], found[2]))
        width = max(len(found[1].lstrip("+")), len(found[2].lstrip("+"))) if padded else 0
        return [f"{number:0{width}d}" for number in _steps(first, last, step)]
    if found := _LETTERS.fullmatch(text):
        return [chr(number) for number in _steps(ord(found[1]), ord(found[2]), int(found[3] or 0))]
    return None


def _steps(first: int, last: int, step: int) -> range:
    step = abs(step) or 1
    if abs(last - first) // step >= MOST_WORDS:
        raise TooMany
    return range(first, last + 1, step) if first <= last else range(first, last - 1, -step)


def _merged(parts: list[Part]) -> Parts:
    """*parts* as bash sees them afterwards: `$a{b,c}` has become `$ab` and `$ac`."""
    merged: list[Part] = []
    for part in parts:
        last = merged[-1] if merged else None
        if type(part) is Literal and type(last) is Literal:
            merged[-1] = Literal(last.text + part.text)
        elif type(part) is Literal and type(last) is Variable and _named(last) and (found := _NAME.match(part.text)):
            merged[-1] = Variable(last.name + found[0], last.quoted)
            if found.end() < len(part.text):
                merged.append(Literal(part.text[found.end() :]))
        else:
            merged.append(part)
    if any(type(part) is Literal and _DOLLAR.search(part.text) for part in merged):
        return (Missing(quoted=False),)
    return tuple(merged)


def _named(variable: Variable) -> bool:
    return not variable.braced and not variable.quoted and (variable.name[0].isalpha() or variable.name[0] == "_")
