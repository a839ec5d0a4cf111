"""Where clients cut a URL: its scheme, its authority and its path, once for each way to cut it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from .values import Value, unknown

MOST_NESTED = 4
_SPECIAL = frozenset({"http", "https", "ws", "wss", "ftp", "file"})
_OPAQUE = frozenset({"about", "blob", "cid", "data", "jar", "javascript", "magnet", "mailto", "sms", "tel", "urn"})
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_PORT = re.compile(r"[0-9]{1,5}(?=[/?#]|$)", re.ASCII)
_REMOTE = re.compile(r"([^\s/@:]+@)?(\[[^\]]*\]|[^\s/@:\[\]]+):(?!//)")
_SLASHES = re.compile(r"[/\\]*")
_END = re.compile(r"[/\\?#]")
_STRICT_END = re.compile(r"[/?#]")
NO_SCHEME = "the URL has no scheme"


class Split(NamedTuple):
    """One way to cut a URL; `authority` is `None` where there is none, `path` ends before query and fragment."""

    scheme: Value
    authority: str | None
    path: str
    doubts: tuple[str, ...] = ()


def split(text: str, nested: int = 0) -> Iterator[Split]:
    """Cut *text*, which has no blanks, as browsers do (WHATWG), and then in every other way.

    Sources: WHATWG URL; RFC 3986; the guesses of curl and git about what has no scheme.
    """
    found = _SCHEME.match(text)
    name, rest = (found[1].lower(), text[found.end() :]) if found else ("", text)
    if name in _SPECIAL or (len(name) > 1 and rest.startswith("//")):
        yield from _hierarchical(name, rest)
    elif rest.startswith(("//", "\\\\", "/\\", "\\/")) and not found:
        yield from _hierarchical(unknown(NO_SCHEME), rest)
    elif len(name) == 1 or text[:1] in ("", "/", "\\", "?", "#", "."):
        yield Split(unknown(NO_SCHEME), None, _path(text), (NO_SCHEME,))
    elif found and not _PORT.match(rest) and "." not in name:
        yield Split(name, None, rest)
        if nested < MOST_NESTED and _SCHEME.match(rest):
            yield from split(rest, nested + 1)
        if name not in _OPAQUE:
            yield from _remote(text)
    else:
        remote = list(_remote(text))
        if not remote or _PORT.match(text[text.find(":") + 1 :]):
            for scheme in ("http", "https"):
                yield from (cut._replace(doubts=(NO_SCHEME, *cut.doubts)) for cut in _hierarchical(scheme, f"//{text}"))
        yield from remote


def _remote(text: str) -> Iterator[Split]:
    """`user@host:path` and `host:path`, as `scp` and `git` read them."""
    found = _REMOTE.match(text)
    if found is not None:
        rest = text[found.end() :]
        yield Split("ssh", found[2], f"/{rest.lstrip('/')}", () if found[1] else (NO_SCHEME,))


def _hierarchical(scheme: Value, rest: str) -> Iterator[Split]:
    special = not isinstance(scheme, str) or scheme in _SPECIAL
    lead = _SLASHES.match(rest) if special else None
    slashes = lead[0] if lead else "//"
    body = rest[len(slashes) :]
    if scheme == "file" and slashes != "//":
        yield Split(scheme, "", "/" + _path(body))
        return
    doubts = () if slashes == "//" else ("clients read the slashes after the scheme differently",)
    end = (_END if special else _STRICT_END).search(body)
    at = end.start() if end else len(body)
    authority, tail = body[:at], body[at:]
    strict = _STRICT_END.split(rest[2:], maxsplit=1)[0] if rest.startswith("//") else authority
    if "\\" in strict:
        doubts = (*doubts, "a backslash stands in the host or ends it")
    yield Split(scheme, authority, _path(tail), doubts)
    if "\\" in strict:
        yield Split(scheme, strict, _path(rest[2 + len(strict) :]))
    if tail[:1] in ("?", "#") and "@" in tail:  # old clients look for the host behind the last `@`
        yield Split(scheme, _END.split(tail.partition("@")[2], maxsplit=1)[0], "/")
    first, at_sign, others = authority.partition("@")
    if "@" in others:
        yield Split(scheme, f"{first}{at_sign}{others.partition('@')[0]}", _path(tail))


def _path(text: str) -> str:
    return re.split(r"[?#]", text, maxsplit=1)[0].replace("\\", "/")
