"""Shell patterns over known text, for the operators of `${…}`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

MOST_WORK = 200_000
_CLASSES: dict[str, Callable[[str], bool]] = {
    "alpha": str.isalpha,
    "digit": lambda char: char in "0123456789",
    "alnum": lambda char: char.isalpha() or char in "0123456789",
    "space": lambda char: char in " \t\n\r\v\f",
    "blank": lambda char: char in " \t",
    "upper": str.isupper,
    "lower": str.islower,
}

Token = str | Callable[[str], bool] | None
"""A character, a test of one, or `None` for any number of them."""


class NotModelled(Exception):
    """The pattern, or the work that it makes, is more than is looked at."""


def tokens(pieces: Sequence[tuple[str, bool]]) -> list[Token]:
    """The pattern made of *pieces*, each with whether it stands for itself.

    Raises:
        NotModelled: It holds brackets beyond plain sets of ASCII characters, or `(`.
    """
    flat = [(char, quoted) for text, quoted in pieces for char in text]
    found: list[Token] = []
    place = 0
    while place < len(flat):
        char, quoted = flat[place]
        place += 1
        if quoted:
            found.append(char)
        elif char == "*":
            if not found or found[-1] is not None:
                found.append(None)
        elif char == "?":
            found.append(lambda _: True)
        elif char == "[":
            test, place = _bracket(flat, place)
            found.append(test)
        elif char in "\\(":
            raise NotModelled
        else:
            found.append(char)
    return found


def _bracket(flat: list[tuple[str, bool]], start: int) -> tuple[Token, int]:
    """The set that begins at *start*, behind its bracket, and where it ends."""
    place = start
    negated = place < len(flat) and flat[place] in (("!", False), ("^", False))
    place += negated
    members: list[str] = []
    classes: list[Callable[[str], bool]] = []
    while place < len(flat) and (flat[place] != ("]", False) or not (members or classes)):
        char, quoted = flat[place]
        if not quoted and char in "[\\":
            name, place = _class(flat, place)
            classes.append(_CLASSES[name])
            continue
        if not char.isascii() or char == "/":
            raise NotModelled
        if flat[place + 1 : place + 2] == [("-", False)] and flat[place + 2 : place + 3] not in ([], [("]", False)]):
            last = flat[place + 2][0]
            members.extend(_between(char, last))
            place += 3
        else:
            members.append(char)
            place += 1
    if place >= len(flat):
        return "[", start
    known = frozenset(members)
    return (lambda char: (char in known or any(test(char) for test in classes)) != negated), place + 1


def _between(first: str, last: str) -> list[str]:
    """A range, where every locale agrees about it: digits only."""
    if not (first + last).isdigit() or not (first + last).isascii():
        raise NotModelled
    return [chr(code) for code in range(ord(first), ord(last) + 1)]


def _class(flat: list[tuple[str, bool]], place: int) -> tuple[str, int]:
    text = "".join(char for char, _ in flat[place : place + 9])
    name, closed, _ = text[2:].partition(":]")
    if not text.startswith("[:") or not closed or name not in _CLASSES:
        raise NotModelled
    return name, place + len(name) + 4


def ends(pattern: Sequence[Token], text: str) -> list[int]:
    """All lengths at which *pattern* matches the beginning of *text*, shortest first.

    Raises:
        NotModelled: That would be too much work.
    """
    if len(pattern) * len(text) > MOST_WORK:
        raise NotModelled
    reached = {0}
    for token in pattern:
        if token is None:
            reached = set(range(min(reached), len(text) + 1))
        elif isinstance(token, str):
            reached = {at + 1 for at in reached if text[at : at + 1] == token}
        else:
            reached = {at + 1 for at in reached if at < len(text) and token(text[at])}
        if not reached:
            return []
    return sorted(reached)


def without_prefix(pattern: Sequence[Token], text: str, *, longest: bool) -> str:
    """`${text#pattern}`, or `##` if *longest*."""
    lengths = ends(pattern, text)
    return text[lengths[-1 if longest else 0] :] if lengths else text


def without_suffix(pattern: Sequence[Token], text: str, *, longest: bool) -> str:
    """`${text%pattern}`, or `%%` if *longest*."""
    lengths = ends(pattern[::-1], text[::-1])
    return text[: len(text) - lengths[-1 if longest else 0]] if lengths else text


def replaced(pattern: Sequence[Token], text: str, replacement: str, operator: str) -> str:
    """`${text/pattern/replacement}`; *operator* is `/`, `//`, `/#` or `/%`."""
    if text == "" and pattern:
        return replacement if ends(pattern, text) else text
    if operator == "/#":
        lengths = ends(pattern, text)
        return replacement + text[lengths[-1] :] if lengths else text
    if operator == "/%":
        lengths = ends(pattern[::-1], text[::-1])
        return text[: len(text) - lengths[-1]] + replacement if lengths else text
    if len(pattern) * len(text) * len(text) > MOST_WORK:
        raise NotModelled
    pieces: list[str] = []
    place = 0
    while place < len(text):
        lengths = ends(pattern, text[place:])
        if lengths and lengths[-1]:
            pieces.append(replacement)
            place += lengths[-1]
            if operator == "/":
                break
        else:
            pieces.append(text[place])
            place += 1
    return "".join(pieces) + text[place:]
