"""What the shell reader hands on: simple commands with evaluated words.

`walk.py` makes these from shell text, `meaning/commands` says what they do. The two meet here only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, cast

from ..effects import LOCAL, Effect, Invocation, Place
from ..values import Hole, Partial, Value


class Word(NamedTuple):
    """One word after expansion.

    `many` means that it may become any number of words, none included (an unquoted `$x`, a glob, `"$@"`).
    `glob` means that it is matched against file names; its holes are `Hole.NAME`.
    """

    value: Value
    span: tuple[int, int]
    many: bool = False
    glob: bool = False


class SimpleCommand(NamedTuple):
    """A program with its words, before anything is known of the program.

    `variables` are the assignments before it and everything exported earlier in the same text, last wins.
    `cwds` are all directories in which it could run (absolute, or partly known). `stdin` is the text that
    it is known to read, `None` where that is not known. `lookup` is false where `PATH`, a function, an alias
    or `hash` may have changed what a bare name means. `heard` is false where nobody asks what it prints.
    Its effects may already have their `source`.
    """

    words: tuple[Word, ...]
    variables: tuple[tuple[str, Value], ...]
    cwds: tuple[Value, ...]
    span: tuple[int, int]
    stdin: Value | None = None
    lookup: bool = True
    place: Place = LOCAL
    wrappers: tuple[str, ...] = ()
    heard: bool = True
    source: str = ""


class Fed(SimpleCommand):
    """A command that reads what another one prints; that is found out where `stdin` is asked for, and no sooner."""

    __slots__ = ()

    @property
    def stdin(self) -> Value | None:
        """The text that it is known to read."""
        text = cast("Feed | Value | None", tuple.__getitem__(self, 4))
        return known(text.text()) if isinstance(text, Feed) else text


class Nested(NamedTuple):
    """Something that a command runs in turn, for the walker to go on with.

    `argv`   the words in `words` are a command line, run without a shell (`sudo`, `env`, `xargs`)
    `shell`  the text in `text` is run by the shell named in `language` (`sh -c`, `ssh`), with `words` as `$0 $1 …`
    `code`   the text in `text` is a program in `language` (`python`, `perl`, `awk`, …)

    `here` tells that it runs in this very shell (`eval`, `.`), so that its assignments last.
    """

    form: Literal["argv", "shell", "code"]
    words: tuple[Word, ...] = ()
    text: Value = ""
    language: str = "sh"
    variables: tuple[tuple[str, Value], ...] = ()
    clear: bool = False
    cwds: tuple[Value, ...] | None = None
    stdin: Value | None = None
    place: Place = LOCAL
    wrapper: str = ""
    here: bool = False
    span: tuple[int, int] = (0, 0)


class Reading(NamedTuple):
    """What one simple command does: itself, its effects (the `exec` first), and what it runs in turn.

    `stdout` is what it is known to print, for pipes and substitutions (`echo`, `printf`, `base64 -d`); `None` where
    that is not known or nobody asked.
    """

    invocation: Invocation
    effects: tuple[Effect, ...]
    nested: tuple[Nested, ...] = ()
    stdout: Value | None = None


class Feed:
    """What a command prints. Most of it is never asked for: it is made at the first question, and kept."""

    __slots__ = ("_about", "_make", "_text")

    def __init__(self, make: Callable[..., Value | None], *about: Any) -> None:
        """What *make* says of *about*, which must not change any more."""
        self._make: Callable[..., Value | None] | None = make
        self._about = about
        self._text: Value | None = None

    def text(self) -> Value | None:
        """The text, or `None` where it is not known."""
        if self._make is not None:
            self._text = self._make(*self._about)
            self._make = None
        return self._text


class Heard(Reading):
    """The reading of a command whose output somebody may ask for; its `stdout` is made when it is."""

    __slots__ = ()

    @property
    def stdout(self) -> Value | None:
        """What the command is known to print."""
        text = cast("Feed | Value | None", tuple.__getitem__(self, 3))
        return text.text() if isinstance(text, Feed) else text


def known(value: Value | None) -> Value | None:
    """*value*, unless nothing is known of it."""
    return None if type(value) is Partial and value.parts == (Hole.ANY,) else value


class Limits(NamedTuple):
    """Caps of the reader; past one of them the answer is unknown with the reason."""

    size: int = 100_000
    depth: int = 64
    steps: int = 20_000
    commands: int = 2_000
