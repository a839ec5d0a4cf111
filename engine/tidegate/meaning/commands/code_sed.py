"""sed scripts: the files they read and write, and the commands they run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

from ..effects import Effect
from ..scene import Scene
from ..shell.command import Nested, SimpleCommand
from ..values import Hole, Partial, unknown
from .code_effects import CodeEffects

_ADDRESS = re.compile(r"\s*(?:\d+|\$|~\d+|\+\d+|[,!~\s])")
_PLAIN = frozenset("=dDgGhHnNpPxzF")
_LABELS = frozenset("btT:")
_LABEL = re.compile(r"[ \t]*[^\s;]*")
_TEXTS = frozenset("aic")
_NUMBERS = frozenset("qQlL")
_STREAMS = frozenset({"/dev/stdout", "/dev/stderr", "/dev/stdin"})


_HOLE = "\ufdd0"
_MOST_READINGS = 16
_NAMES = frozenset({Hole.NAME, Hole.ENTRY, Hole.VISIBLE})


class _NotRead(Exception):
    """The script is not one that is read."""


class _Refused(Exception):
    """The script is none: `sed` refuses it before it reads a line, whatever stands in another `-e` behind it."""


def read_sed(text: str, command: SimpleCommand, scene: Scene) -> list[Effect | Nested]:
    """Say what a sed script reads (`r`), writes (`w`, `s///w`) and runs (`e`, `s///e`)."""
    said = CodeEffects(command, scene, "sed")
    script = _Script(text, said)
    try:
        script.read()
    except _NotRead as error:
        said.unknown(f"the sed script is not read: {error}")
    except _Refused:
        pass  # the files that it has named by then are open
    return said.effects


def only_edits(script: Partial, command: SimpleCommand, scene: Scene) -> bool:
    """Whether a script reads, writes and runs nothing besides, whatever stands in its holes.

    Digits are digits everywhere. Text without a slash stays what it is in a regular expression or a replacement
    between slashes; only a backslash at its end hides the slash behind it.
    """
    readings = list(_readings(script))
    return bool(readings) and all(_does_nothing(text, command, scene) for text in readings)


def _readings(script: Partial) -> Iterator[str]:
    """The script with marks in place of its holes, in each way in which it may have to be cut; none for too many."""
    choices: list[tuple[str, ...]] = []
    for part, behind in zip(script.parts, (*script.parts[1:], ""), strict=True):
        if isinstance(part, str):
            choices.append((part,))
        elif part is Hole.DIGITS:
            choices.append(("1",))
        elif part in _NAMES:
            hides = not isinstance(behind, str) or behind[:1] == "/"
            choices.append((_HOLE, f"{_HOLE}\\") if hides else (_HOLE,))
        else:
            return
    count = 2 ** sum(len(each) - 1 for each in choices)
    if count <= _MOST_READINGS and not any(isinstance(part, str) and _HOLE in part for part in script.parts):
        yield from map("".join, product(*choices))


def _does_nothing(text: str, command: SimpleCommand, scene: Scene) -> bool:
    said = CodeEffects(command, scene, "sed")
    script = _Script(text, said)
    try:
        script.read()
    except _NotRead:
        return False
    except _Refused:
        pass  # as far as it was read no hole could change that
    return not said.effects and script.kept == text.count(_HOLE, 0, script.at)


class _Script:
    """Reads one script, command by command, up to `at`; `kept` counts the holes that change nothing where they are."""

    def __init__(self, text: str, said: CodeEffects) -> None:
        self._text = text
        self.at = 0
        self._said = said
        self.kept = 0
        self._loose = False

    def read(self) -> None:
        while True:
            self._skip(" \t\n;")
            if self.at >= len(self._text):
                return
            if self._peek() == "#":
                self._line()
                continue
            self._addresses()
            self._command()

    def _peek(self) -> str:
        return self._text[self.at : self.at + 1]

    def _take(self) -> str:
        char = self._peek()
        self.at += 1
        return char

    def _skip(self, chars: str) -> None:
        while self.at < len(self._text) and self._text[self.at] in chars:
            self.at += 1

    def _line(self) -> str:
        """The rest of the line."""
        end = self._text.find("\n", self.at)
        end = len(self._text) if end < 0 else end
        line = self._text[self.at : end]
        self.at = end
        return line

    def _addresses(self) -> None:
        while True:
            match = _ADDRESS.match(self._text, self.at)
            if match is not None:
                self.at = match.end()
            elif self._peek() == "/":
                self._delimited(self._take())
                self._skip("IM")
            elif self._peek() == "\\":
                self.at += 1
                self._delimited(self._take())
                self._skip("IM")
            else:
                return

    def _delimited(self, delimiter: str) -> str:
        """Text up to *delimiter*; a bracket hides it and a backslash takes it as it is."""
        start = self.at
        bracket = False
        while self.at < len(self._text):
            char = self._take()
            if char == "\\" and not bracket:
                self.at += 1
            elif char == "[" and not bracket and delimiter != "[":
                bracket = True
                if self._peek() == "^":
                    self.at += 1
                if self._peek() == "]":
                    self.at += 1
            elif char == "]":
                bracket = False
            elif char == delimiter and not bracket:
                self._keep(start, delimiter)
                return self._text[start : self.at - 1]
        raise self._unfinished(start, delimiter)

    def _replacement(self, delimiter: str) -> None:
        start = self.at
        while self.at < len(self._text):
            char = self._take()
            if char == "\\":
                self.at += 1
            elif char == delimiter:
                self._keep(start, delimiter)
                return
        raise self._unfinished(start, delimiter)

    def _keep(self, start: int, delimiter: str) -> None:
        if delimiter == "/":
            self.kept += self._text.count(_HOLE, start, self.at)

    def _unfinished(self, start: int, delimiter: str) -> Exception:
        """What a script is whose delimiter is missing: one that goes on in another `-e`, or none."""
        self._keep(start, delimiter)
        return _NotRead("a delimiter is missing") if self._loose or self._text.endswith("\\") else _Refused()

    def _command(self) -> None:
        char = self._take()
        if char in _PLAIN or char in "{}":
            return
        if char in _NUMBERS:
            self._skip(" 0123456789")
        elif char in _LABELS:
            label = self._line()
            word = _LABEL.match(label)
            assert word is not None  # noqa: S101 it may be empty
            self._loose = self._loose or word.end() < len(label.rstrip())
            self.at -= len(label) - word.end()  # others take the rest of the line for the label, and do less
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
        elif not char.isascii() and char != _HOLE and not self._loose:
            raise _Refused
        else:
            raise _NotRead(f"`{char}` is no command" if char else "it ends too early")

    def _inserted(self) -> None:
        """The text of `a`, `i` and `c`: the rest of the line, and the next while a backslash ends it."""
        while self._line().endswith("\\") and self.at < len(self._text):
            self.at += 1

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
