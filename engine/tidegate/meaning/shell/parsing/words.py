"""Words as they are written: quotes, substitutions, and where a word ends."""

from __future__ import annotations

import re

from .quoting import ansi_c
from .scanner import HOLE, Scanner
from .substitutions import SubstitutionParser
from .syntax import (
    Arithmetic,
    Extglob,
    Literal,
    Missing,
    Part,
    Quoted,
    RawWord,
    Variable,
)

PLAIN = re.compile(r"[A-Za-z0-9_./:@%+,=^-]++(?=[ \t\n;&|)]|\Z)")
CHUNK = re.compile(r"[^ \t\n|&;()<>'\"`$\\\ufdd0]++")
_QUOTED_CHUNK = re.compile(r'[^"$`\\\ufdd0]++')
_BODY_CHUNK = re.compile(r"[^$`\\\ufdd0]++")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*+|[0-9@*#?$!-]")
_EXTENDED_DOLLARS = frozenset("['\"")
_ANSI_BODY = re.compile(r"'((?:[^'\\]++|\\[\s\S])*+)'")
_ACTIVE = re.compile(r"[*?\[{]")
_TILDE = re.compile(r"(?:\A|[:=])~")
_BREAKS = frozenset(" \t\n|&;()<>")
_EXTGLOB = frozenset("?*+@!")
_NAME_GOES_ON = re.compile(r"(?:\\\n)++[A-Za-z0-9_]")


class WordParser(SubstitutionParser):
    """Reads words and the double-quoted text in them."""

    __slots__ = ()

    def word(self, *, pattern: bool = False, assigned: bool = False) -> RawWord:
        """Read one word, which may be empty where none stands here.

        With *pattern*, `@(…)` is a pattern whatever the shell's options; *assigned* words are neither globs nor
        brace expansions.
        """
        found = PLAIN.match(self.text, self.pos)
        if found is not None:
            start, self.pos = self.pos, found.end()
            return RawWord(found[0], (), *self.span(start, self.pos))
        return self.spelled_word(pattern=pattern, assigned=assigned)

    def spelled_word(self, *, pattern: bool, assigned: bool) -> RawWord:
        """Read one word that is more than plain text."""
        text, start = self.text, self.pos
        parts: list[Part] = []
        while self.pos < self.end:
            found = CHUNK.match(text, self.pos)
            if found is not None:
                self.pos = found.end()
                if (
                    text.startswith("(", self.pos)
                    and text[self.pos - 1] in _EXTGLOB
                    and (pattern or self.grammar.extglob)
                ):
                    _append(parts, found[0][:-1])
                    self.pos -= 1
                    parts.append(self.extglob())
                else:
                    _append(parts, found[0])
            elif not self.piece(parts):
                break
        return RawWord(_constant(parts, assigned=assigned), tuple(parts), *self.span(start, self.pos))

    def piece(self, parts: list[Part]) -> bool:
        """Read a quoted or expanded piece of a word into *parts*; false where the word ends."""
        char = self.text[self.pos]
        if char == "$":
            for part in self.dollar(quoted=False):
                _append(parts, part.text) if isinstance(part, Literal) else parts.append(part)
        elif char == '"':
            self.pos += 1
            self.double_quoted(parts)
        elif char == "'":
            start = self.pos
            parts.extend(with_holes(self.single_quoted(), self, start))
        elif char == "\\":
            self.escaped(parts)
        elif char == "`":
            parts.append(self.backticks(quoted=False))
        elif char == HOLE:
            parts.append(self.hole(self.pos))
            self.pos += 1
        elif char in "<>" and self.text.startswith("(", self.pos + 1):
            parts.append(self.process())
        else:
            return False
        return True

    def escaped(self, parts: list[Part]) -> None:
        """Read a backslash outside quotes with what it escapes; before a newline it is nothing at all."""
        char = self.text[self.pos + 1 : self.pos + 2]
        if char == HOLE:
            self.fail("a backslash before text that is not known")
        if char != "\n":
            parts.append(Quoted(char or "\\"))
        self.pos += 2 if char else 1

    def single_quoted(self) -> str:
        """Read `'…'` and return what stands in it."""
        close = self.text.find("'", self.pos + 1)
        if close < 0:
            self.fail("a single quote is not closed")
        body = self.text[self.pos + 1 : close]
        self.pos = close + 1
        return body

    def double_quoted(self, parts: list[Part]) -> None:
        """Read the rest of `"…"` into *parts*, all of them quoted."""
        text, before = self.text, len(parts)
        while True:
            found = _QUOTED_CHUNK.match(text, self.pos)
            if found is not None:
                self.pos = found.end()
                parts.append(Quoted(found[0]))
            if self.pos >= self.end:
                self.fail("a double quote is not closed")
            if text[self.pos] == '"':
                self.pos += 1
                if len(parts) == before:
                    parts.append(Quoted(""))
                return
            self.quoted_piece(parts)

    def quoted_piece(self, parts: list[Part], escapable: str = '$`"\\') -> None:
        """Read `$`, a backtick, a backslash or a hole inside quotes into *parts*."""
        char = self.text[self.pos]
        if char == "$":
            parts.extend(self.dollar(quoted=True))
        elif char == "`":
            parts.append(self.backticks(quoted=True))
        elif char == HOLE:
            parts.append(self.hole(self.pos)._replace(quoted=True))
            self.pos += 1
        else:
            escaped = self.text[self.pos + 1 : self.pos + 2]
            if escaped == HOLE:
                self.fail("a backslash before text that is not known")
            if escaped != "\n":
                parts.append(Quoted(escaped if escaped and escaped in escapable else "\\" + escaped))
            self.pos += 2 if escaped else 1

    def body(self) -> RawWord:
        """Read all of the text as that of a here-document: double quotes stand for themselves."""
        text = self.text
        parts: list[Part] = [Quoted("")]
        while self.pos < self.end:
            found = _BODY_CHUNK.match(text, self.pos)
            if found is None:
                self.quoted_piece(parts, "$`\\")
            else:
                self.pos = found.end()
                parts.append(Quoted(found[0]))
        return RawWord(_constant(parts, assigned=True), tuple(parts), *self.span(0, self.pos))

    def dollar(self, *, quoted: bool) -> list[Part]:
        """Read what begins with `$`."""
        found = _NAME.match(self.text, self.pos + 1)
        if found is not None:
            self.pos = found.end()
            if _NAME_GOES_ON.match(self.text, self.pos):
                self.fail("the name of a variable is split over two lines")
            return [Variable(found[0], quoted)]
        follows = self.text[self.pos + 1 : self.pos + 2]
        if follows == "{":
            return [self.parameter(quoted=quoted)]
        if follows != "(":
            return self.rare_dollar(follows, quoted=quoted)
        if self.text.startswith("(", self.pos + 2):
            return [self.double_parenthesis(quoted=quoted)]
        return [self.substitution(quoted=quoted)]

    def rare_dollar(self, follows: str, *, quoted: bool) -> list[Part]:
        """Read `$[…]`, `$'…'`, `$"…"` or a dollar that stands for itself; POSIX knows only the last."""
        self.pos += 1
        parts: list[Part] = [Quoted("$") if quoted else Literal("$")]
        if follows not in _EXTENDED_DOLLARS or (quoted and follows != "["):
            self.whole()
            return parts
        self.grammar.bashisms = True
        if self.grammar.posix:
            return parts
        if follows == "'":
            return [self.ansi_quoted()]
        self.pos += 1
        if follows == '"':
            self.double_quoted(parts := [])
            return parts
        expression = self.arithmetic("]")
        self.pos += 1
        return [Arithmetic(expression, quoted)]

    def ansi_quoted(self) -> Part:
        """Read the `'…'` of `$'…'`."""
        found = _ANSI_BODY.match(self.text, self.pos)
        if found is None:
            self.fail("`$'` is not closed")
        self.pos = found.end()
        value = ansi_c(found[1]) if HOLE not in found[1] else None
        return Missing(quoted=True) if value is None else Quoted(value)

    def extglob(self) -> Part:
        """Read `@(…)`, the place being that of its operator."""
        self.enter()
        operator = self.text[self.pos]
        self.pos += 2
        parts: list[Part] = []
        while not self.text.startswith(")", self.pos):
            if self.pos >= self.end:
                self.fail("a pattern in parentheses is not closed")
            char = self.text[self.pos]
            if char in _EXTGLOB and self.text.startswith("(", self.pos + 1):
                parts.append(self.extglob())
            elif char in _BREAKS and not (char in "<>" and self.text.startswith("(", self.pos + 1)):
                if char in "(&;<>":
                    self.fail("an operator in a pattern in parentheses")
                _append(parts, char)
                self.pos += 1
            elif not self.piece(parts):
                _append(parts, char)
                self.pos += 1
        self.pos += 1
        self.depth -= 1
        return Extglob(operator, tuple(parts))


def with_holes(text: str, scanner: Scanner | None = None, start: int = 0) -> list[Part]:
    """Quoted *text*, of which some stretches may not be known; with a *scanner* it stands there, from *start* on.

    These could as well end the quotes, which whoever put them into the text has to say.
    """
    if HOLE not in text:
        return [Quoted(text)]
    parts: list[Part] = []
    for place, piece in enumerate(text.split(HOLE)):
        if place and scanner is not None:
            parts.append(scanner.hole(start)._replace(quoted=True))
            start = scanner.text.index(HOLE, start) + 1
        elif place:
            parts.append(Missing(quoted=True))
        parts.append(Quoted(piece))
    return parts


def _append(parts: list[Part], text: str) -> None:
    if not text:
        return
    if parts and type(parts[-1]) is Literal:
        parts[-1] = Literal(parts[-1].text + text)
    else:
        parts.append(Literal(text))


def _constant(parts: list[Part], *, assigned: bool) -> str | None:
    """What *parts* stand for if nothing in them is ever expanded, else `None`."""
    pieces: list[str] = []
    for part in parts:
        if isinstance(part, Quoted) or (isinstance(part, Literal) and not _expanded(part.text, assigned=assigned)):
            pieces.append(part.text)
        else:
            return None
    return "".join(pieces)


def _expanded(text: str, *, assigned: bool) -> bool:
    """Whether unquoted *text* holds anything that could be expanded."""
    return _TILDE.search(text) is not None or (not assigned and _ACTIVE.search(text) is not None)
