"""Assignments, array literals and redirections."""

from __future__ import annotations

import re

from .heredocs import HeredocParser
from .syntax import ArrayLiteral, Assignment, Element, Heredoc, RawWord, Redirect

_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*+)(?:(\+?=)|(?=\[))")
_EQUALS = re.compile(r"\+?=")
_PATTERN = re.compile(r"[^ \t\n|&;()<>'\"`$\\\ufdd0]*+")
_REDIRECT = re.compile(
    r"(?:([0-9]++)|\{([A-Za-z_][A-Za-z0-9_]*+)\})?+(<<<|<<-|<<|<>|<&|>>|>&|>\||<(?!\()|>(?!\())|(&>>|&>)"
)
_GLUED = re.compile(r"[0-9]+|\{[^\s]*\}")
_LONGEST_FD = 9


class AssignmentParser(HeredocParser):
    """Reads assignments and redirections."""

    __slots__ = ()

    def assignment(self, *, declared: bool = False) -> Assignment | None:
        """Read `name=value`; nothing where something else stands here.

        Braces in the value are expanded only where it is *declared*, behind a builtin.
        """
        found = _ASSIGNMENT.match(self.text, self.pos)
        if found is None:
            return None
        operator, subscript = found[2], None
        if operator != "=":
            self.grammar.bashisms = True
            if self.grammar.posix:
                return None
        start, self.pos = self.pos, found.end()
        if operator is None:
            element = self.subscripted()
            if element is None:
                self.pos = start
                return None
            subscript, operator = element
        value = self.array() if self.text.startswith("(", self.pos) else self.word(assigned=not declared)
        return Assignment(found[1], subscript, operator == "+=", value, *self.span(start, self.pos))

    def subscripted(self) -> tuple[RawWord, str] | None:
        """Read `[subscript]=`; nothing, and back to the start, where the brackets are a plain pattern."""
        start = self.pos
        subscript = self.subscript()
        equals = _EQUALS.match(self.text, self.pos)
        if equals is not None:
            self.pos = equals.end()
            return subscript, equals[0]
        if not _PATTERN.fullmatch(self.text, start, self.pos):
            self.fail("brackets with more than plain text in them that are no subscript")
        self.pos = start
        return None

    def array(self) -> ArrayLiteral:
        """Read `(…)` behind an assignment."""
        self.bashism("an array")
        self.enter()
        self.pos += 1
        elements: list[Element] = []
        while (char := self.blanks()) != ")":
            if char == "\n":
                self.newline()
            elif char == "[" and (found := self.subscripted()) is not None:
                elements.append(Element(found[0], found[1] == "+=", self.word(assigned=True)))
            else:
                elements.append(Element(None, append=False, value=self.some_word("an array is not closed")))
        self.pos += 1
        self.depth -= 1
        return ArrayLiteral(tuple(elements))

    def some_word(self, otherwise: str) -> RawWord:
        """Read a word of at least one character."""
        start = self.pos
        word = self.word()
        if self.pos == start:
            self.fail(otherwise)
        return word

    def redirect(self) -> Redirect | None:
        """Read one redirection; nothing where something else stands here."""
        found = _REDIRECT.match(self.text, self.pos)
        if found is None:
            return None
        number, variable, operator, both = found.groups()
        if variable or both or (number and len(number) > 1):
            self.grammar.bashisms = True
            if self.grammar.posix:
                return None
        if number and len(number) > _LONGEST_FD:
            self.fail("the number of a file descriptor is too long")
        start, self.pos = self.pos, found.end()
        operator = operator or both
        if operator == "<<<":
            self.bashism("a here-string")
        self.whole()
        target: RawWord | Heredoc
        if operator in ("<<", "<<-"):
            target = self.open_heredoc(strip=operator == "<<-")
        else:
            self.blanks()
            target = self.some_word("a redirection has no target")
        fd = int(number) if number else None
        return Redirect(operator, fd, variable, target, *self.span(start, self.pos))

    def unglued(self, word: RawWord) -> None:
        """Make sure that *word*, which ends before `<` or `>`, is not the descriptor of a redirection."""
        if self.grammar.posix and len(word.unquoted or "") > 1:
            return
        if self.text[self.pos : self.pos + 1] in ("<", ">") and _GLUED.fullmatch(word.unquoted or ""):
            self.fail("the file descriptor of a redirection is not plain")
