"""Texts that a pattern names, the shortest first, and such as no other pattern names."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from posixpath import dirname
from typing import Any

from ...compile.stage import HOME, ROOT
from ...meaning.commands.pattern_text import read_words
from ...meaning.globs import Glob
from ...meaning.urlpatterns import UrlParts, UrlPattern
from ..clauses.items import Item, Name, Path, Url
from ..clauses.tables import texts
from ..languages import Language, NotDecided, example, glob_language, name_language
from ..languages.algebra import Machine
from ..languages.regexes import regex_pieces

_NAME = r"(?:[^/.\x00]|\.[^/.\x00]|\.\.[^/\x00])[^/\x00]*"
_ANSWER = 42
_PLAIN_WORD = re.compile(r"[A-Za-z0-9_~./=:,@%+-]+")


def names(item: Name, against: Sequence[Item]) -> Iterator[str]:
    """Names of tools that the glob has: first one that the others have not."""
    own = name_language([item.text]) & Machine(regex_pieces(r"[A-Za-z0-9_.:/-]+"))
    others = [other.text for other in against if isinstance(other, Name)]
    yield from _examples([own - name_language(others), own])


def paths(item: Path, against: Sequence[Item]) -> Iterator[str]:
    """Paths that the glob names in the world of examples: first such as no other glob names beneath the same place."""
    branch = item.branch
    base = _base(branch.place, branch.up)
    if base is None:
        return
    beneath = Machine(regex_pieces(f"(?s)(?:/{_NAME})+"))
    own = glob_language([Glob("", (branch.segments,))]) & beneath
    others = [
        Glob("", (other.branch.segments,))
        for other in against
        if isinstance(other, Path) and (other.branch.place, other.branch.up) == (branch.place, branch.up)
    ]
    relative = branch.place in ("", "{cwd}") and not branch.up
    for text in _examples([own - glob_language(others), own]):
        yield text[1:] if relative else f"{base}{text}"
    if not branch.segments:
        yield base or "/"


def _base(place: str, up: int) -> str | None:
    """The folder that a place is in the world of examples, `None` for the home of another account."""
    known = {"/": "", "": ROOT, "{cwd}": ROOT, "{root}": ROOT, "~": HOME}
    base = known.get(place)
    for _ in range(up if base else 0):
        base = dirname(base or "")
    return "" if base == "/" else base


def urls(item: Url, against: Sequence[Item]) -> Iterator[str]:
    """URLs that the pattern names, and its next neighbours, which it may not name."""
    parts = UrlPattern.compile(item.text).parts
    others = [UrlPattern.compile(other.text).parts for other in against if isinstance(other, Url)]
    scheme = parts.scheme if parts.scheme not in ("", "*") else "https"
    host = ".".join(re.sub(r"\*+", "x", label) for label in parts.labels)
    port = f":{parts.port}" if isinstance(parts.port, int) else ""
    for path in _url_paths(parts, others):
        yield f"{scheme}://{host}{port}{path}"
    yield f"{scheme}://{host}{port or ':8443'}/"
    yield f"{scheme}://{host}:8443/"
    yield f"{scheme}://sub.{host}{port}/"
    if not parts.scheme:
        yield f"http://{host}{port}/"
        yield f"ftp://{host}{port}/"
    if host.count(".") > 1:
        yield f"{scheme}://{host.partition('.')[2]}{port}/"


def _url_paths(parts: UrlParts, others: Sequence[UrlParts]) -> Iterator[str]:
    if parts.path is None:
        yield "/"
        yield "/x"
        return
    own = glob_language([parts.path[0]]) & Machine(regex_pieces(r"(?:/[A-Za-z0-9_.-]+)+"))
    theirs = glob_language(other.path[0] for other in others if other.path is not None)
    yield from _examples([own - theirs, own])


def commands(pattern: str) -> Iterator[str]:
    """Commands that the pattern names: as it is written, and with one operand more."""
    words = [
        word(each.glob if each.plain is None else each.plain, wild=each.plain is None)
        for each in read_words(pattern)
        if each.plain != "..."
    ]
    yield " ".join(filter(None, words))
    filled = " ".join(each or "x" for each in words)
    yield f"{filled} x"
    yield filled


def word(text: str, *, wild: bool = False) -> str:
    """One word of a command; a lone `**` is none."""
    if wild:
        if text == "**":
            return ""
        text = re.sub(r"\*+", "x", text.replace("?", "x"))
        text = re.sub(r"\[([^\]])[^\]]*\]", r"\1", text)
        text = re.sub(r"\\(.)", r"\1", text)
    text = text.replace("{root}", ROOT).replace("{home}", HOME).replace("{cwd}", ROOT)
    return text if _PLAIN_WORD.fullmatch(text) else shlex.quote(text)


def values(check: Mapping[str, Any], against: Sequence[Mapping[str, Any]]) -> Iterator[Any]:
    """Values of which a predicate holds, and its next neighbours: first such as those others do not have."""
    if "equals" in check:
        yield check["equals"]
    yield from check.get("one_of", ())
    for key, beyond in (("min", -1), ("max", 1)):
        if key in check:
            yield check[key]
            yield check[key] + beyond
    for key in ("min_length", "max_length"):
        if key in check:
            yield "x" * check[key]
            yield "x" * (check[key] + 1)
    own = _texts(check)
    if own is not None:
        theirs = [language for other in against if (language := _texts(other)) is not None]
        for other in theirs:
            yield from _examples([own - other, other - own])
        yield from _examples([own])
    yield "x"
    yield _ANSWER


def _texts(check: Mapping[str, Any]) -> Language | None:
    try:
        return texts(check)
    except NotDecided:
        return None


def _examples(languages: Sequence[Language]) -> Iterator[str]:
    """A shortest text of each language that has one and is not too large."""
    for language in languages:
        try:
            text = example(language)
        except NotDecided:
            continue
        if text:
            yield text
