"""Small wrong edits of one pattern: those that somebody makes who means well and does not look twice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

WIDEN, NARROW = "widen a pattern", "narrow a pattern"

Edit = tuple[str, str]
"""What is done, and the text that comes of it."""

Language = Literal["path", "url", "name", "command", "grant"]
"""What a pattern is written in; `grant` is a command pattern that is matched exactly, `command` one of a deny."""

_LITERAL = re.compile(r"[^*?\[\]{}\\]+")
_RATE = re.compile(r"([0-9]+)(/.*)", re.DOTALL)
_ANY = "**"


def edits(text: str, language: Language) -> Iterator[Edit]:
    """The edits of one pattern; none of them gives the same text again."""
    found = {
        "path": _path_edits,
        "url": _url_edits,
        "name": _name_edits,
        "command": _command_edits,
        "grant": _grant_edits,
    }[language](text)
    for what, edited in found:
        if edited != text:
            yield what, edited


def number_edits(value: float) -> Iterator[float]:
    """The numbers on both sides of a bound."""
    yield value + 1
    yield value - 1


def rate_edits(text: str) -> Iterator[str]:
    """A rate such as `20/minute` with one more and one less; nothing for any other text."""
    rate = _RATE.fullmatch(text)
    if rate is None:
        return
    count = int(rate[1])
    yield f"{count + 1}{rate[2]}"
    if count > 1:
        yield f"{count - 1}{rate[2]}"


def _path_edits(text: str) -> Iterator[Edit]:
    """A glob of paths: its last name becomes any name, a deep glob one level; a folder becomes the one around it."""
    head, slash, last = text.rpartition("/")
    if last == _ANY:
        around, deeper, name = head.rpartition("/")
        if deeper and around and _LITERAL.fullmatch(name):
            yield WIDEN, f"{around}/{_ANY}"
        if slash and head != _ANY:
            yield NARROW, f"{head}/*"
    elif slash and last != "*":
        yield WIDEN, f"{head}/*"
    if text.startswith(f"{_ANY}/"):
        yield NARROW, text.removeprefix(f"{_ANY}/")


def _url_edits(text: str) -> Iterator[Edit]:
    """A pattern of URLs: any host, any depth beneath it or the host alone; any port or the scheme's; any path."""
    scheme, mark, rest = text.partition("://")
    if not mark:
        return
    place, slash, path = rest.partition("/")
    host, colon, port = place.partition(":")
    tail = f"{colon}{port}{slash}{path}"
    if host.startswith("*."):
        yield NARROW, f"{scheme}{mark}{host.removeprefix('*.')}{tail}"
        yield WIDEN, f"{scheme}{mark}*{tail}"
    elif host != "*" and _LITERAL.fullmatch(host) and not host.replace(".", "").isdigit():
        yield WIDEN, f"{scheme}{mark}*.{host}{tail}"
    if port == "*":
        yield NARROW, f"{scheme}{mark}{host}{slash}{path}"
    if path and path != _ANY:
        yield WIDEN, f"{scheme}{mark}{place}"


def _name_edits(text: str) -> Iterator[Edit]:
    """A glob of names: what stands behind its last `_` becomes anything, or all of it."""
    head, mark, last = text.rpartition("_")
    if text != "*":
        yield WIDEN, f"{head}{mark}*" if mark and last != "*" else "*"


def _command_edits(text: str) -> Iterator[Edit]:
    """A command that is refused, or stands in a `when`: without its last word; what is behind it counts either way."""
    rest = " ..." if text.endswith(" ...") else ""
    words = text.removesuffix(rest).removesuffix(f" {_ANY}").split(" ")
    if len(words) > 1:
        yield WIDEN, " ".join(words[:-1]) + rest


def _grant_edits(text: str) -> Iterator[Edit]:
    """A command that is granted: with anything behind it, or with nothing."""
    if text.endswith(" ..."):
        yield NARROW, text.removesuffix(" ...")
    else:
        yield WIDEN, f"{text} ..."
