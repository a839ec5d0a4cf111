"""Here-documents: opened by a redirection, read when its line has ended."""

from __future__ import annotations

import re

from .parameters import ParameterParser
from .quoting import delimiter
from .scanner import HOLE, Unreadable
from .syntax import Heredoc, RawWord, Unread
from .words import with_holes

_PHYSICAL = re.compile(r"[^\n]*+")
_LOGICAL = re.compile(r"(?:[^\\\n]++|\\[\s\S])*+\\?+")
_JOINED = re.compile(r"\\(?:\n|([\s\S]))")


class HeredocParser(ParameterParser):
    """Reads the delimiters and the bodies of here-documents."""

    __slots__ = ()

    def open_heredoc(self, *, strip: bool) -> Heredoc:
        """Read the delimiter that follows `<<` and remember that a body is due."""
        self.blanks()
        found = delimiter(self.text, self.pos)
        if found is None:
            self.fail("the delimiter of a here-document is not plain text")
        word, quoted, self.pos = found
        heredoc = Heredoc(word, quoted, strip)
        self.pending.append(heredoc)
        return heredoc

    def newline(self) -> None:
        """Step over a newline and over the here-documents that begin behind it."""
        self.pos += 1
        if self.pending:
            self.bodies()

    def bodies(self) -> None:
        """Read the bodies that are due, in the order in which they were opened."""
        for heredoc in self.pending:
            heredoc.body = self.heredoc_body(heredoc)
        self.pending.clear()

    def heredoc_body(self, heredoc: Heredoc) -> RawWord:
        """Read lines up to the delimiter; the end of the text ends a body as well, as it does in bash."""
        start = self.pos
        line_of = _PHYSICAL if heredoc.quoted else _LOGICAL
        lines: list[str] = []
        while self.pos < self.end:
            found = line_of.match(self.text, self.pos)
            assert found is not None  # noqa: S101 it matches the empty text
            line = self.compared(found[0], heredoc)
            if line == heredoc.delimiter:
                end, self.pos = self.pos, min(found.end() + 1, self.end)
                return self.content(heredoc, lines, start, end)
            if self.inside and not self.grammar.posix and line.startswith(heredoc.delimiter + ")"):
                if "\\\n" in found[0]:
                    self.fail("the end of a here-document is split over two lines")
                end, self.pos = self.pos, self.pos + found[0].index(heredoc.delimiter + ")") + len(heredoc.delimiter)
                self.grammar.bashisms = True
                return self.content(heredoc, lines, start, end)
            lines.append(line + "\n")
            self.pos = min(found.end() + 1, self.end)
        if lines and not self.text.endswith("\n"):
            lines[-1] = lines[-1][:-1]
        return self.content(heredoc, lines, start, self.end)

    def compared(self, raw: str, heredoc: Heredoc) -> str:
        """One line of a body as bash compares it with the delimiter."""
        if not heredoc.quoted and "\\\n" in raw:
            raw = _JOINED.sub(lambda found: found[0] if found[1] else "", raw)
        return raw.lstrip("\t") if heredoc.strip else raw

    def content(self, heredoc: Heredoc, lines: list[str], start: int, end: int) -> RawWord:
        """The body made of *lines*, which stand from *start* to *end*."""
        text = "".join(lines)
        span = self.span(start, end)
        if heredoc.quoted:
            return RawWord(None if HOLE in text else text, tuple(with_holes(text)), *span)
        self.enter()
        inner = self.inner(text, start, end, verbatim=text == self.text[start:end])
        self.depth -= 1
        try:
            return inner.body()
        except Unreadable as why:  # bash reads the expansions in a body when it runs the command, not before
            return RawWord(None, (Unread(why.reason),), *span)
