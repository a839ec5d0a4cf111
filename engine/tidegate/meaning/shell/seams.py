"""The three things that the walker asks of others: what a command does, where a path lies, what code does."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..effects import Effect, PathTarget
from ..scene import Scene
from ..values import Value
from .command import Nested, Reading, SimpleCommand

Interpret = Callable[[SimpleCommand], Reading]
"""Says what one simple command does. Called for every simple command, builtins and functions included."""

Resolve = Callable[[Value, tuple[Value, ...], Scene, bool], PathTarget]
"""Says where a path lies: its text, the directories that it may be relative to, the scene, and whether a
symlink at its end is followed."""

ReadCode = Callable[[str, Value, SimpleCommand], Iterable[Effect | Nested]]
"""Says what a program text in some language does, and what it runs in turn (`os.system` is a `Nested` shell).

It is given the language, the text, and the simple command that runs it (for its directories, place and span)."""
