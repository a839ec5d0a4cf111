"""A URL taken apart as the strictest client would, with every other reading beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .effects import UrlTarget
from .hosts import Host, read_name
from .ports import PORTS
from .urlpaths import normal_path
from .urlsplits import Split, split
from .values import Hole, Matched, Partial, Value, unknown, written

LONGEST = 65_536
MOST_URLS = 1_000
MOST_TEXT = 1_000_000
_MOST_PORT = 65_535
_EDGES = "".join(map(chr, range(0x21)))
_REMOVED = re.compile(r"[\t\n\r]+")
_LENGTH = re.compile(r"/[0-9]{1,3}$", re.ASCII)
_BLANK = re.compile(r"[\s\x00-\x1f\x7f]")
_EMBEDDED = re.compile(
    r"(?:[A-Za-z][A-Za-z0-9+.-]{0,20}:(?://|\\\\)|(?:https?|wss?|ftps?|file):|www\.)[^\s\x00-\x1f\x7f<>\"'`|]+",
    re.IGNORECASE,
)
_CLOSING = ".,;:!?)]}>"
# Text whose host is known whatever follows.
_SETTLED = re.compile(
    r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?//[^/\\?#\s@%]+[/?#]|[A-Za-z0-9_.-]+(?::[0-9]+)?/|[\w.-]+@[\w.-]+:", re.ASCII
)
_OPEN_PORT = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://[^/\\?#\s@%:]+):", re.ASCII)
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|[/\\]{2}")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")


def read_url(value: Value, base: UrlTarget | None = None) -> UrlTarget:
    """Take *value* apart as a URL; never raises.

    `doubts` says why a grant may not trust it. Where clients differ, `others` holds the other readings: a deny
    looks at each, a grant needs all of them; a reading with an unknown host means that a client may reach
    anything. Text around URLs is read as each of them.

    Args:
        value: The URL as spelled.
        base: What it is relative to, as a redirect is; without it a URL that begins with a path has no host.
    """
    if isinstance(value, Matched):
        return _also_written(_partial(value), value)
    if not isinstance(value, str):
        return _partial(value)
    readings = list(dict.fromkeys(_readings(value, base)))
    first, *others = readings
    return first._replace(text=value, others=tuple(other._replace(text=value) for other in others))


def read_host(value: Value, scheme: Value | None = None, port: int | None = None) -> UrlTarget:
    """Take *value* apart as `host`, `host:port` or `user@host`, as `ssh` or `nc` take it; never raises.

    *scheme* and *port* are those of the program; without a scheme it is not known which protocol is spoken.
    """
    spoken = unknown("the protocol is not known") if scheme is None else scheme
    if not isinstance(value, str):
        nothing = _nowhere(value.reason, value)._replace(scheme=spoken)
        literal = written(value)
        return nothing if literal is None else _with(nothing, read_host(literal, scheme, port))
    if "://" in value:
        return read_url(value)
    alone = _LENGTH.sub("", value)  # of a network (`10.0.0.0/8`) the first address stands for all
    authority = f"[{alone}]" if alone.count(":") > 1 and "[" not in alone else alone
    blank = _BLANK.search(value) is not None or "/" in value
    doubts = ("the host holds blanks or slashes",) if blank else ()
    first, *others = dict.fromkeys(_reached(Split(spoken, authority, ""), doubts))
    if first.port is None and port is not None:
        first, others = first._replace(port=port), [other._replace(port=port) for other in others]
    return first._replace(text=value, path="", others=tuple(others))


def redirected(origin: UrlTarget) -> UrlTarget:
    """Where a program goes that follows the redirects of *origin*, out of sight: it may be anywhere."""
    return _nowhere("a redirect may lead anywhere", origin.text)._replace(origin=origin)


def find_urls(text: str) -> list[UrlTarget]:
    """Every URL inside a longer *text*, in order; what begins with `www.` is one as well.

    Past `MOST_URLS` of them or `MOST_TEXT` characters the last one is unknown.
    """
    found: list[UrlTarget] = []
    for match in _EMBEDDED.finditer(text[:MOST_TEXT]):
        if len(found) == MOST_URLS:
            break
        found.append(read_url(match[0].rstrip(_CLOSING) or match[0]))
    else:
        if len(text) <= MOST_TEXT:
            return found
    return [*found, _nowhere("there are too many URLs or too much text")]


def _readings(text: str, base: UrlTarget | None) -> Iterator[UrlTarget]:
    if len(text) > LONGEST:
        yield _nowhere("the URL is too long")
        return
    clean = text.strip(_EDGES)
    doubts = ("clients take the blanks around it away",) if clean != text else ()
    removed = _REMOVED.search(clean)
    if removed is not None and not _BLANK.search(_REMOVED.sub("", clean)):
        doubts = (*doubts, "clients take blanks out of it, or stop there")
        yield from _cut(_REMOVED.sub("", clean), base, doubts)
        yield from _cut(clean[: removed.start()], base, ())
    elif _BLANK.search(clean):
        yield from _in_text(clean)
    else:
        yield from _cut(clean, base, doubts)


def _in_text(text: str) -> Iterator[UrlTarget]:
    """The URLs in a text that is none itself, because it has blanks."""
    doubt = "it has blanks as no URL has"
    settled = _SETTLED.match(text)
    if settled is not None and not _BLANK.search(settled[0]):
        yield from _cut(text, None, (doubt,))
        for found in find_urls(text[settled.end() :]):
            yield from (found._replace(others=()), *found.others)
        return
    for found in find_urls(text):
        yield found._replace(doubts=(doubt, *found.doubts), others=())
        yield from found.others
    yield _nowhere(doubt)


def _cut(text: str, base: UrlTarget | None, doubts: tuple[str, ...]) -> Iterator[UrlTarget]:
    if base is not None and not _ABSOLUTE.match(text):
        path = re.split(r"[?#]", text, maxsplit=1)[0].replace("\\", "/")
        for origin in (base, *base.others):
            yield origin._replace(path=_joined(origin.path, path), others=())
        return
    for cut in split(text):
        inherits = base is not None and not isinstance(cut.scheme, str)
        yield from _reached(cut._replace(scheme=base.scheme) if base is not None and inherits else cut, doubts)


def _joined(base: Value, path: str) -> Value:
    if path.startswith("/"):
        return normal_path(path)
    return normal_path(f"{base.rpartition('/')[0]}/{path}") if isinstance(base, str) else base


def _reached(cut: Split, doubts: tuple[str, ...]) -> Iterator[UrlTarget]:
    """What one way to cut a URL reaches, in each reading of its host."""
    doubts = (*doubts, *cut.doubts)
    scheme, path = cut.scheme, normal_path(cut.path)
    if cut.authority is None:
        yield UrlTarget("", scheme, "", None, cut.path, None, (*doubts, "the URL names no host"))
        return
    host_text, port_text = _host_and_port(cut.authority.rpartition("@")[2])
    host = read_name(host_text) if host_text or scheme != "file" else Host("")
    port, sure = _port(port_text, scheme)
    doubts = (*doubts, *host.doubts, *(() if sure else ("the port is no number",)))
    readings = [host, *host.others]
    if host.unclear or not sure:
        yield UrlTarget("", scheme, host.name, port, path, host.address, doubts)
        yield _nowhere(doubts[-1])
    for at, reading in enumerate(readings):
        yield UrlTarget("", scheme, reading.name, port, path, reading.address, doubts if at == 0 else ())
    if isinstance(scheme, str) and "+" in scheme:
        yield UrlTarget("", scheme.rpartition("+")[2], host.name, port, path, host.address)


def _host_and_port(authority: str) -> tuple[str, str]:
    if authority.startswith("[") and "]" in authority:
        at = authority.rfind("]") + 1
        return authority[:at], authority[at:].removeprefix(":")
    host, _, port = (authority, "", "") if authority.startswith("[") else authority.partition(":")
    return host, port


def _port(text: str, scheme: Value) -> tuple[int | None, bool]:
    """The port, and whether every client would read it so."""
    if not text:
        return (PORTS.get(scheme.rpartition("+")[2]) if isinstance(scheme, str) else None), True
    if text.isascii() and text.isdigit() and len(text) <= len("0065535") and int(text) <= _MOST_PORT:
        return int(text), True
    return None, False


def _nowhere(reason: str, text: Value = "") -> UrlTarget:
    """A URL of which nothing is known."""
    nothing = unknown(reason)
    return UrlTarget(text, nothing, nothing, None, nothing, None, (reason,))


def _also_written(found: UrlTarget, value: Matched) -> UrlTarget:
    """*found* with what the word is where it matches the name of no file, as hardly any is called like a URL."""
    return found if value.literal is None else _with(found, read_url(value.literal))


def _with(found: UrlTarget, literal: UrlTarget) -> UrlTarget:
    """*found*, which may be *literal* as well."""
    others = (*found.others, literal._replace(others=()), *literal.others)
    return found._replace(others=tuple(other._replace(text=found.text) for other in others))


def _partial(value: Partial) -> UrlTarget:
    """A URL of which some stretches are not known: its host is, where nothing that follows could change it."""
    prefix = value.prefix
    if _SETTLED.match(prefix):
        found = read_url(prefix)
        path = unknown(value.reason)
        others = tuple(other._replace(text=value, path=path) for other in found.others)
        return found._replace(text=value, path=path, others=others)
    port = _OPEN_PORT.fullmatch(prefix)
    after = value.parts[2] if len(value.parts) > 2 else "/"  # noqa: PLR2004  prefix, port, rest
    if port is not None and value.parts[1] is Hole.DIGITS and isinstance(after, str) and after[:1] in ("/", "?", "#"):
        found = read_url(f"{port[1]}/")
        return found._replace(text=value, port=None, path=unknown(value.reason))
    scheme = _SCHEME.match(prefix)
    nothing = _nowhere(value.reason, value)
    return nothing._replace(scheme=scheme[1].lower()) if scheme else nothing
