"""What the walker asks of others: what a command does, where paths and hosts lie, what code does."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, Protocol

from ..effects import Effect, PathTarget, UrlTarget
from ..scene import Scene
from ..values import Value
from .command import Nested, Reading, SimpleCommand

Interpret = Callable[[SimpleCommand], Reading]
"""Says what one simple command does. Called for every simple command, builtins and functions included."""

ReadCode = Callable[[str, Value, SimpleCommand], Iterable[Effect | Nested]]
"""Says what a program text in some language does, and what it runs in turn (`os.system` is a `Nested` shell).

It is given the language, the text, and the simple command that runs it (for its directories, place and span)."""

ReadHost = Callable[[Value, Value | None, int | None], UrlTarget]
"""Takes a host apart, given its scheme and port where they are known."""


class Resolve(Protocol):
    """Says where a path lies."""

    def __call__(
        self, value: Value, cwds: tuple[Value, ...], scene: Scene, *, follow: bool = True, glob: bool = False
    ) -> PathTarget:
        """Find every name of *value*, which may be relative to each of *cwds*.

        *follow* tells whether a link at its end is followed, *glob* whether its holes match names of files.
        """


class Seams(NamedTuple):
    """The four of them together."""

    interpret: Interpret
    resolve: Resolve
    read_host: ReadHost
    read_code: ReadCode
