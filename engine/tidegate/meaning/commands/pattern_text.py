"""The text of a command pattern, word by word: quoted text is literal, the rest may have wildcards."""

from __future__ import annotations

import re
from typing import NamedTuple

_SPECIAL = frozenset("*?[]{}\\,~")
_OPERATORS = frozenset(";|&<>()`\n")
_VARIABLE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=")


class PatternError(Exception):
    """A command pattern is none.

    Attributes:
        offset: Where in the text, in code points from 0.
        what: The fact, lower case, without a full stop.
        why: Why it is refused.
        mend: What to write instead.
    """

    def __init__(self, offset: int, what: str, why: str, mend: str) -> None:
        super().__init__(f"{what}: {mend}")
        self.offset = offset
        self.what = what
        self.why = why
        self.mend = mend


class PatternWord(NamedTuple):
    """One word of a pattern.

    `glob` is the word as a glob, in which a backslash stands before each literal special character; `plain` is
    the text that it stands for, `None` where it has a wildcard. `quoted` tells that some of it stood in quotes.
    """

    glob: str
    plain: str | None
    offset: int
    quoted: bool = False

    @property
    def variable(self) -> tuple[str, str] | None:
        """The name and the glob of the value, where the word is `NAME=VALUE`."""
        match = _VARIABLE.match(self.glob)
        return (match[1], self.glob[match.end() :]) if match else None


def read_words(text: str) -> list[PatternWord]:
    """Split a pattern into words.

    Raises:
        PatternError: A quote is never closed, or an operator of the shell stands outside of quotes.
    """
    words: list[PatternWord] = []
    position = 0
    while True:
        while position < len(text) and text[position] in " \t":
            position += 1
        if position == len(text):
            return words
        reader = _Reader(text, position)
        words.append(reader.read())
        position = reader.position


class _Reader:
    """Reads one word."""

    def __init__(self, text: str, position: int) -> None:
        self.text = text
        self.start = self.position = position
        self.glob: list[str] = []
        self.plain: list[str] = []
        self.wild = self.quoted = False

    def read(self) -> PatternWord:
        while self.position < len(self.text) and self.text[self.position] not in " \t":
            char = self.text[self.position]
            if char in "'\"":
                self._quoted(char)
            elif char == "\\":
                self._escaped()
            else:
                self._bare(char)
        plain = None if self.wild else "".join(self.plain)
        return PatternWord("".join(self.glob), plain, self.start, self.quoted)

    def _bare(self, char: str) -> None:
        if char in _OPERATORS or (char == "$" and self.text[self.position + 1 : self.position + 2] not in ("", " ")):
            raise PatternError(
                self.position,
                f"`{char if char != chr(10) else 'a line break'}` is not part of one command",
                "a pattern names one simple command and is never run by a shell",
                "write one pattern per command, and quote what is meant as text",
            )
        self.wild = self.wild or char in "*?["
        self.glob.append(char)
        self.plain.append(char)
        self.position += 1

    def _escaped(self) -> None:
        if self.position + 1 == len(self.text):
            raise PatternError(self.position, "a backslash escapes nothing", "the pattern ends in it", "write `\\\\`")
        self._literal(self.text[self.position + 1])
        self.position += 2

    def _quoted(self, quote: str) -> None:
        end = self.text.find(quote, self.position + 1)
        while quote == '"' and end > 0 and self.text[end - 1] == "\\":
            end = self.text.find(quote, end + 1)
        if end < 0:
            raise PatternError(self.position, "a quote is never closed", "its end is not known", f"add `{quote}`")
        inside = self.text[self.position + 1 : end]
        for char in re.sub(r'\\(["\\])', r"\1", inside) if quote == '"' else inside:
            self._literal(char)
        self.quoted = True
        self.position = end + 1

    def _literal(self, char: str) -> None:
        self.glob.append(f"\\{char}" if char in _SPECIAL else char)
        self.plain.append(char)
