"""Patterns of URLs: `scheme://host:port/path`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from ipaddress import IPv4Address, IPv6Address
from typing import Literal, NamedTuple
from urllib.parse import unquote

from attrs import frozen

from .addresses import wrapped
from .effects import UrlTarget
from .globs import Glob, Line
from .globsyntax import parse
from .globtokens import DEEP, BadGlob
from .hosts import read_name, unicode_name
from .lookalikes import fold
from .ports import PORTS
from .tri import Tri, Unknown, all_of, any_of
from .values import Partial
from .widen import widen_glob

_WEB = frozenset({"http", "https"})
_PARTS = re.compile(
    r"(?:(\*|[A-Za-z][A-Za-z0-9+.-]*)://)?(?!.*://)(\[[^\]]*\]|[^/:\[\]]*)(?::([^/]*))?(/.*)?", re.DOTALL
)
_LABEL = re.compile(r"[a-z0-9_*-]+")
_MOST_PORT = 65_535


class UrlParts(NamedTuple):
    """What a pattern says of each part of a URL, for whoever compares patterns with each other.

    `host` and `path` are the exact globs and those over the spellings of a deny; `path` is none where every path is
    meant. `labels` is `("*",)` for any host. `address` is set where the host is an IP address.
    """

    scheme: str
    labels: tuple[str, ...]
    host: tuple[Glob, Glob]
    port: int | Literal["*"] | None
    path: tuple[Glob, Glob] | None
    address: IPv4Address | IPv6Address | None


@frozen
class UrlPattern:
    """A pattern of URLs.

    `*.x` is any depth under `x` and not `x` itself; `*` elsewhere in a host is part of one label, and alone any
    host, also none. No port means the scheme's own, `*` any. No scheme means `http` and `https`; in a deny it
    means any scheme and, without a port, any port; so does a scheme that has no port of its own (`tcp`). No path, or
    `/` alone, means every path; else the path is a glob. Query and fragment are not compared.
    """

    text: str
    _scheme: str
    _labels: tuple[str, ...]
    _port: int | Literal["*"] | None
    _path: Glob | None
    _address: IPv4Address | IPv6Address | None

    @classmethod
    def compile(cls, text: str) -> UrlPattern:
        """Compile *text*.

        Raises:
            BadGlob: The pattern is broken; `offset` says where, `mend` what to write instead.
        """
        for at, char in enumerate(text):
            if char in "?#@\\" or char.isspace():
                raise BadGlob(f"a pattern of URLs has no `{char}`", "write `scheme://host:port/path`", at)
        parts = _PARTS.fullmatch(text)
        if parts is None or not text:
            raise BadGlob("this is no pattern of URLs", "write `scheme://host:port/path`", 0)
        scheme, host, port, path = parts.groups()
        labels, address = ((), None) if not host and scheme == "file" else _read_labels(host, parts.start(2))
        glob = None if path in (None, "/", "/**") else _read_path(path, parts.start(4))
        return cls(text, (scheme or "").lower(), labels, _read_port(port, parts.start(3)), glob, address)

    def match(self, target: UrlTarget, *, widen: bool, every: bool) -> Tri:
        """Whether the pattern names the target.

        *every* asks for all readings and no doubt (a grant, a confinement), else one reading is enough (a deny).
        *widen* compares look-alike hosts and addresses inside addresses as well (a deny, never a grant).
        """
        answers = [all_of(self._fits(reading, widen=widen)) for reading in (target, *target.others)]
        if every:
            return all_of([*answers, Unknown(target.doubts[0]) if target.doubts else True])
        return any_of(answers)

    def _fits(self, reading: UrlTarget, *, widen: bool) -> Iterator[Tri]:
        yield self._fits_host(reading, widen=widen)
        yield self._fits_scheme(reading, widen=widen)
        yield self._fits_port(reading, widen=widen)
        yield self._fits_path(reading, widen=widen)

    @property
    def parts(self) -> UrlParts:
        """The pattern taken apart."""
        path = None if self._path is None else (self._path, self._wide_path)
        return UrlParts(self._scheme, self._labels, (self._host, self._wide_host), self._port, path, self._address)

    @cached_property
    def _host(self) -> Glob:
        return Glob("", (_host_line(self._labels),))

    @cached_property
    def _wide_host(self) -> Glob:
        return widen_glob(Glob("", (_host_line(tuple(map(unicode_name, self._labels))),)))

    def _fits_host(self, reading: UrlTarget, *, widen: bool) -> Tri:
        host = reading.host
        if isinstance(host, Partial):
            return True if self._labels == ("*",) else Unknown(host.reason)
        if self._host.match(upside_down(host)) is True:
            return True
        if not widen:
            return False
        if self._address is not None and reading.address is not None:
            return self._address in wrapped(reading.address)
        return self._wide_host.match(upside_down(fold(unicode_name(host))))

    def _fits_scheme(self, reading: UrlTarget, *, widen: bool) -> Tri:
        if self._scheme == "*" or (widen and not self._scheme):
            return True
        if isinstance(reading.scheme, Partial):
            return Unknown(reading.scheme.reason)
        return reading.scheme == self._scheme if self._scheme else reading.scheme in _WEB

    def _fits_port(self, reading: UrlTarget, *, widen: bool) -> Tri:
        if self._port == "*" or (self._port is None and widen and not self._scheme):
            return True
        scheme = reading.scheme
        if self._port is None and isinstance(scheme, Partial):
            return Unknown(scheme.reason)
        wanted = PORTS.get(str(scheme)) if self._port is None else self._port
        if wanted is None and widen:
            return True
        if reading.port is None and wanted is not None:
            return Unknown("the port is not known")
        return reading.port == wanted

    def _fits_path(self, reading: UrlTarget, *, widen: bool) -> Tri:
        if self._path is None:
            return True
        answer = self._path.match(reading.path, absolute=True)
        if answer is not False or not widen or isinstance(reading.path, Partial):
            return answer
        return self._wide_path.match(fold(unquote(reading.path)))

    @cached_property
    def _wide_path(self) -> Glob:
        return widen_glob(self._path or Glob("", ((DEEP,),)))


def upside_down(host: str) -> str:
    """A host as a path from its top level down, so that a glob of paths fits it."""
    return "/" + "/".join(reversed(host.split(".")))


def _host_line(labels: tuple[str, ...]) -> Line:
    if labels == ("*",):
        return (DEEP,)
    line = tuple(parse(f"/{label}")[0].segments[0] if "*" in label else (label,) for label in reversed(labels) if label)
    return (*line, DEEP) if labels[:1] == ("*",) else line


def _read_labels(host: str, offset: int) -> tuple[tuple[str, ...], IPv4Address | IPv6Address | None]:
    """The labels of a pattern's host in ASCII, and the address that it is."""
    if "*" not in host:
        found = read_name(host)
        spelled = found.doubts and host.isascii()
        if spelled or found.unclear or not host:
            what = found.doubts[0] if found.doubts else "the host has no name"
            raise BadGlob(what, f"write `{found.name or '*'}`", offset)
        return tuple(found.name.split(".")), found.address
    labels = host.lower().removesuffix(".").split(".")
    for label in labels:
        if not _LABEL.fullmatch(label) or "**" in label:
            mend = "write `*.` before a host, or `*` within a label"
            raise BadGlob(f"`{label}` is no part of a host", mend, offset)
    return tuple(labels), None


def _read_port(text: str | None, offset: int) -> int | Literal["*"] | None:
    if text is None:
        return None
    if text == "*":
        return "*"
    if not (text.isascii() and text.isdigit() and 0 < int(text[:6]) <= _MOST_PORT):
        raise BadGlob(f"`{text}` is no port", "write a number up to 65535, or `*`", offset)
    return int(text)


def _read_path(text: str, offset: int) -> Glob:
    try:
        return Glob.compile(text)
    except BadGlob as problem:
        raise BadGlob(str(problem), problem.mend, offset + problem.offset) from None
