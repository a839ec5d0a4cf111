"""Redirections: the files and hosts that the shell itself opens, and where that leaves input and output."""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

from ...values import Hole, Partial, Value, concat, unknown
from ..command import Word
from ..parsing.syntax import Heredoc, RawWord, Redirect
from .expansions import Expansions
from .machine import Span
from .state import State

_DESCRIPTOR = re.compile(r"([0-9]+)?(-)?")
_STREAM = re.compile(r"/dev/(?:null|stdin|stdout|stderr|fd/[0-9]+)")
_NETWORK = re.compile(r"/dev/(tcp|udp)/([^/]*)/(.*)", re.DOTALL)
_NETWORKS = ("/dev/tcp/", "/dev/udp/")
_NO_SERVICE = re.compile(r"[^A-Za-z0-9+*_-]")
"""What the port of a connection is spelled without, be it a number or the name of a service."""
_WRITES = frozenset((">", ">>", ">|", "&>", "&>>", "<>", ">&"))


class Output(Enum):
    """Where standard output goes."""

    HERE = "where it went before"
    AWAY = "elsewhere"
    UNSURE = "perhaps where it went before"


class Streams(NamedTuple):
    """What redirections do to standard input and output; `moved` tells whether input was touched at all."""

    moved: bool = False
    stdin: Value | None = None
    output: Output = Output.HERE
    merged: bool = False


class Redirections(Expansions):
    """Opens what redirections open."""

    __slots__ = ()

    def redirect(self, redirects: tuple[Redirect, ...], state: State) -> Streams:
        """Make the effects of *redirects*, from left to right, and say where they leave the streams."""
        streams = Streams()
        for redirect in redirects:
            self.spend()
            if redirect.variable is not None:
                self.assign(
                    redirect.variable, Partial((Hole.DIGITS,), "the shell picks a descriptor"), state, _span(redirect)
                )
            streams = self.opened(redirect, state, streams)
        return streams

    def opened(self, redirect: Redirect, state: State, streams: Streams) -> Streams:
        """Make the effects of one redirection."""
        target, operator = redirect.target, redirect.operator
        into_stdin = redirect.variable is None and redirect.fd in (None, 0)
        if isinstance(target, Heredoc):
            body = self.scalar(target.body, state) if target.body is not None else ""
            return self.fed_in(body, redirect, streams)
        if operator == "<<<":
            return self.fed_in(concat([self.scalar(target, state), "\n"]), redirect, streams)
        self.take_fed()
        words = self.words(target, state)
        if operator in ("<&", ">&") and len(words) == 1 and self.duplicates(words[0], operator):
            return self.duplicated(redirect, words[0].value, streams)
        fed = self.take_fed()
        for word in words:
            self.touch(word, redirect, state)
        if operator == "<":
            known = fed if _is_process(target) else None
            return streams._replace(moved=True, stdin=known) if into_stdin else streams
        return self.written(redirect, words, streams)

    def fed_in(self, body: Value, redirect: Redirect, streams: Streams) -> Streams:
        """Where the streams are after a here-document or a here-string."""
        if redirect.variable is None and redirect.fd in (None, 0):
            return streams._replace(moved=True, stdin=body)
        self.doubt(
            "a text is handed over on another descriptor than standard input, and may be run from there",
            _span(redirect),
        )
        return streams

    def written(self, redirect: Redirect, words: list[Word], streams: Streams) -> Streams:
        """Where the streams are after a redirection to a file."""
        both = redirect.operator in ("&>", "&>>", ">&")
        if redirect.operator == "<>":
            return streams._replace(moved=True, stdin=None) if redirect.fd in (None, 0) else streams
        if redirect.variable is not None or not (both or redirect.fd in (None, 1)):
            return streams
        plain = all(isinstance(word.value, str) and not word.value.startswith(("/dev/", "/proc/")) for word in words)
        null = all(word.value == "/dev/null" for word in words)
        return streams._replace(output=Output.AWAY if words and (plain or null) else Output.UNSURE)

    def duplicates(self, word: Word, operator: str) -> bool:
        """Whether `>&word` names a descriptor and no file."""
        if operator == "<&":
            return True
        value = word.value
        if isinstance(value, str):
            return _DESCRIPTOR.fullmatch(value) is not None and value != ""
        return all(part is Hole.DIGITS or (isinstance(part, str) and part.isdigit()) for part in value.parts)

    def duplicated(self, redirect: Redirect, value: Value, streams: Streams) -> Streams:
        """Where the streams are after one descriptor became another."""
        if redirect.operator == "<&":
            into_stdin = redirect.variable is None and redirect.fd in (None, 0)
            return streams._replace(moved=True, stdin="" if value == "-" else None) if into_stdin else streams
        if redirect.fd == 2 and redirect.variable is None:  # noqa: PLR2004 standard error
            return streams._replace(merged=True)
        if redirect.variable is not None or redirect.fd not in (None, 1) or value == "1":
            return streams
        away = value == "-" or (value == "2" and not streams.merged and not self.merged)
        return streams._replace(output=Output.AWAY if away else Output.UNSURE)

    def touch(self, word: Word, redirect: Redirect, state: State) -> None:
        """Make the effects of opening what *word* names."""
        value, span = word.value, _span(redirect)
        if isinstance(value, str) and (value == "" or _STREAM.fullmatch(value)):
            return
        if not isinstance(value, str) and value.parts == ("/dev/fd/", Hole.DIGITS):
            return
        if not self.posix and self.connect(value, span):
            return
        path = self.seams.resolve(value, state.cwds, self.scene, follow=True, glob=word.glob)
        operator = redirect.operator
        if operator in ("<", "<>", "<&"):
            self.emit("read", path, span)
        if operator in _WRITES:
            self.emit("write", path, span)

    def connect(self, value: Value, span: Span) -> bool:
        """Make the effect of opening a connection, where *value* names one; false where it could be a file as well."""
        if isinstance(value, str):
            found = _NETWORK.fullmatch(value)
            if found is None:
                return False
            port = int(found[3]) if found[3].isdigit() and len(found[3]) < 6 else None  # noqa: PLR2004 no port is longer
            self.emit("connect", self.seams.read_host(found[2], found[1], port), span)
            self.bashism = True
            return True
        if _NO_SERVICE.search(value.suffix.rpartition("/")[2]):
            return False
        prefix = value.prefix
        inside = prefix.startswith(_NETWORKS)
        if not inside and not any(network.startswith(prefix) for network in _NETWORKS):
            return False
        host: Value = unknown(value.reason)
        if inside:
            known, slash, _ = prefix[len(_NETWORKS[0]) :].partition("/")
            host = known if slash else Partial((known, Hole.ANY) if known else (Hole.ANY,), value.reason)
        self.emit("connect", self.seams.read_host(host, prefix[5:8] if inside else None, None), span)
        return inside


def _span(redirect: Redirect) -> Span:
    return redirect.start, redirect.end


def _is_process(target: RawWord) -> bool:
    return len(target.parts) == 1 and hasattr(target.parts[0], "direction")
