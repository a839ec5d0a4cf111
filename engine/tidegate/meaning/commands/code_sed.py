"""sed scripts: the files they read and write, and the commands they run."""

from __future__ import annotations

import re

from ..effects import Effect
from ..scene import Scene
from ..shell.command import Nested, SimpleCommand
from ..values import unknown
from .code_effects import CodeEffects

_ADDRESS = re.compile(r"\s*(?:\d+|\$|~\d+|\+\d+|[,!~\s])")
_PLAIN = frozenset("=dDgGhHnNpPxzF")
_LABELS = frozenset("btT:")
_TEXTS = frozenset("aic")
_NUMBERS = frozenset("qQlL")
_STREAMS = frozenset({"/dev/stdout", "/dev/stderr", "/dev/stdin"})


class _NotRead(Exception):
    """The script is not one that is read."""


def read_sed(text: str, command: SimpleCommand, scene: Scene) -> list[Effect | Nested]:
    """Say what a sed script reads (`r`), writes (`w`, `s///w`) and runs (`e`, `s///e`)."""
    said = CodeEffects(command, scene, "sed")
    script = _Script(text, said)
    try:
        script.read()
    except _NotRead as error:
        said.unknown(f"the sed script is not read: {error}")
    return said.effects


class _Script:
    """Reads one script, command by command."""

    def __init__(self, text: str, said: CodeEffects) -> None:
        self._text = text
        self._at = 0
        self._said = said

    def read(self) -> None:
        while True:
            self._skip(" \t\n;")
            if self._at >= len(self._text):
                return
            if self._peek() == "#":
                self._line()
                continue
            self._addresses()
            self._command()

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _take(self) -> str:
        char = self._peek()
        self._at += 1
        return char

    def _skip(self, chars: str) -> None:
        while self._at < len(self._text) and self._text[self._at] in chars:
            self._at += 1

    def _line(self) -> str:
        """The rest of the line."""
        end = self._text.find("\n", self._at)
        end = len(self._text) if end < 0 else end
        line = self._text[self._at : end]
        self._at = end
        return line

    def _addresses(self) -> None:
        while True:
            match = _ADDRESS.match(self._text, self._at)
            if match is not None:
                self._at = match.end()
            elif self._peek() == "/":
                self._delimited(self._take())
                self._skip("IM")
            elif self._peek() == "\\":
                self._at += 1
                self._delimited(self._take())
                self._skip("IM")
            else:
                return

    def _delimited(self, delimiter: str) -> str:
        """Text up to *delimiter*; a bracket hides it and a backslash takes it as it is."""
        start = self._at
        bracket = False
        while self._at < len(self._text):
            char = self._take()
            if char == "\\" and not bracket:
                self._at += 1
            elif char == "[" and not bracket and delimiter != "[":
                bracket = True
                if self._peek() == "^":
                    self._at += 1
                if self._peek() == "]":
                    self._at += 1
            elif char == "]":
                bracket = False
            elif char == delimiter and not bracket:
                return self._text[start : self._at - 1]
        raise _NotRead("a delimiter is missing")

    def _replacement(self, delimiter: str) -> None:
        while self._at < len(self._text):
            char = self._take()
            if char == "\\":
                self._at += 1
            elif char == delimiter:
                return
        raise _NotRead("a delimiter is missing")

    def _command(self) -> None:
        char = self._take()
        if char in _PLAIN or char in "{}":
            return
        if char in _NUMBERS:
            self._skip(" 0123456789")
        elif char in _LABELS:
            label = self._line()
            self._at -= len(label.partition(";")[2]) + (";" in label)
        elif char in _TEXTS:
            self._inserted()
        elif char in ("r", "R"):
            self._file("read", self._line().lstrip())
        elif char in ("w", "W"):
            self._file("write", self._line().lstrip())
        elif char == "e":
            text = self._line().strip()
            self._said.shell(text or unknown("`sed` runs what it reads"))
        elif char == "s":
            self._substitute()
        elif char == "y":
            delimiter = self._take()
            self._replacement(delimiter)
            self._replacement(delimiter)
        elif char == "v":
            self._line()
        else:
            raise _NotRead(f"`{char}` is no command" if char else "it ends too early")

    def _inserted(self) -> None:
        """The text of `a`, `i` and `c`: the rest of the line, and the next while a backslash ends it."""
        while self._line().endswith("\\") and self._at < len(self._text):
            self._at += 1

    def _file(self, kind: str, name: str) -> None:
        if not name:
            raise _NotRead("a file name is missing")
        if name not in _STREAMS:
            self._said.path(kind, name)

    def _substitute(self) -> None:
        delimiter = self._take()
        if delimiter in ("", "\n", "\\"):
            raise _NotRead("a delimiter is missing")
        self._delimited(delimiter)
        self._replacement(delimiter)
        while self._peek() and self._peek() in "gpiImMe0123456789w":
            flag = self._take()
            if flag == "e":
                self._said.shell(unknown("`sed` runs what it makes of a line"))
            elif flag == "w":
                self._file("write", self._line().lstrip())
                return
