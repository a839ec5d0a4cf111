"""What the shell reader hands on: simple commands with evaluated words.

`walk.py` makes these from shell text, `meaning/commands` says what they do. The two meet here only.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from ..effects import LOCAL, Effect, Invocation, Place
from ..values import Value


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


class Limits(NamedTuple):
    """Caps of the reader; past one of them the answer is unknown with the reason."""

    size: int = 100_000
    depth: int = 64
    steps: int = 20_000
    commands: int = 2_000
