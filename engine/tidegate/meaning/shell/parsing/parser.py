"""The parser of shell text: one command, simple or compound, on top of everything that it is made of."""

from __future__ import annotations

import re

from ..command import Word
from .compounds import CompoundParser
from .scanner import WORD_END
from .syntax import Assignment, Literal, Node, RawWord, Redirect, Simple
from .words import PLAIN

_KEYWORD = re.compile(
    r"(?:\(|(?:if|then|elif|else|fi|do|done|case|esac|while|until|for|select|function|coproc|\{|\}|\[\[)"
    + WORD_END
    + ")"
)
_OPENING = frozenset(["if", "while", "until", "for", "select", "case", "{", "[[", "("])
_CLOSING = frozenset(["then", "elif", "else", "fi", "do", "done", "esac", "}"])
_EXTENSIONS = frozenset(["select", "function", "coproc", "[["])
RESERVED = _OPENING | _CLOSING | _EXTENSIONS | {"!", "time"}
_NO_COMMAND = frozenset(("", ")", ";", "|", "\n"))
_WORD_ENDS = _NO_COMMAND | {"&", "("}
_REDIRECTS = frozenset("<>&{0123456789")
_word = tuple.__new__
_ARGUMENT = re.compile(
    r"[ \t]++(?:([A-Za-z0-9_./:@%+,=^-]++)|'([^'\ufdd0]*+)'|\"([^\"$`\\\ufdd0]*+)\")(?=[ \t\n;&|)]|\Z)"
)
_TAKING = frozenset(("alias", "declare", "export", "local", "readonly", "typeset", "eval", "let"))
_DECLARING = frozenset(["alias", "declare", "export", "local", "readonly", "typeset"])
_ASSIGNED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*+(?:\+?=|\[)")
_ARRAYS_ALLOWED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*+\+?=\(")


class Parser(CompoundParser):
    """Reads shell text from its start to its end."""

    __slots__ = ()

    def command(self) -> Node | None:
        """Read one command; nothing where none begins here."""
        char = self.blanks()
        if char in _NO_COMMAND or (char == "&" and not self.text.startswith("&>", self.pos)):
            return None
        found = PLAIN.match(self.text, self.pos)
        if found is not None and found[0] not in RESERVED and "=" not in found[0]:
            return self.simple(found[0])
        found = _KEYWORD.match(self.text, self.pos)
        if found is None:
            return self.simple()
        keyword = found[0]
        if keyword in _CLOSING:
            return None
        if keyword in _EXTENSIONS:
            self.grammar.bashisms = True
            if self.grammar.posix:
                return self.simple()
        self.pos = found.end()
        if keyword in _OPENING:
            return self.compound(keyword)
        return self.named_function() if keyword == "function" else self.coprocess()

    def simple(self, name: str = "") -> Node:
        """Read a simple command, or the definition of a function, whose name looks like one.

        *name* is the plain word that stands here, where it is known already.
        """
        start = end = self.pos
        self.grammar.commands -= 1
        if self.grammar.commands < 0:
            self.fail("the text has too many commands")
        assignments: list[Assignment] = []
        words: list[Word | RawWord | Assignment] = []
        redirects: list[Redirect] = []
        if name:
            self.pos = end = start + len(name)
            words.append(Word(name, self.span(start, end)))
        while True:
            if words and name not in _TAKING:
                end = self.plain_arguments(words, end)
            char = self.blanks()
            if end <= self.aliased <= self.pos:
                self.expand_alias()
                char = self.blanks()
            if char in _REDIRECTS and (redirect := self.redirect()) is not None:
                redirects.append(redirect)
            elif char in _WORD_ENDS:
                break
            elif not words and (assignment := self.assignment()) is not None:
                assignments.append(assignment)
            elif name in _TAKING and (argument := self.declared(name)) is not None:
                words.append(argument)
            else:
                word = self.argument_word() if words else self.first_word(alone=not assignments and not redirects)
                name = name if words else word.unquoted or ""
                words.append(word if word.text is None else Word(word.text, (word.start, word.end)))
            end = self.pos
        if char == "(":
            return self.function(name if len(words) == 1 and not assignments and not redirects else "", start)
        constant = not assignments and not redirects and all(type(word) is Word for word in words)
        return Simple(tuple(assignments), tuple(words), tuple(redirects), *self.span(start, end), constant)

    def plain_arguments(self, words: list[Word | RawWord | Assignment], end: int) -> int:
        """Read as many words as are plain or plainly quoted; return where the last of them ends."""
        if self.grammar.aliases:
            return end
        text, pos, scale, base, limit = self.text, self.pos, self.scale, self.base, self.limit
        while found := _ARGUMENT.match(text, pos):
            which = found.lastindex or 0
            start, pos = found.span(which)
            if which > 1:
                start, pos = start - 1, pos + 1
            words.append(_word(Word, (found[which], (start * scale + base, pos * scale + limit), False, False)))
            end = pos
        self.pos = pos
        return end

    def argument_word(self) -> RawWord:
        """Read a word of a simple command."""
        start = self.pos
        word = self.word()
        if word.parts:
            self.unglued(word)
        elif self.pos == start:
            self.fail("a syntax error")
        return word

    def first_word(self, *, alone: bool) -> RawWord:
        """Read the name of a command, which bash would read as something else if it were not split over two lines."""
        start = self.pos
        word = self.argument_word()
        if word.parts and "\\\n" in self.text[start : self.pos]:
            head = word.parts[0]
            if alone and word.unquoted in RESERVED:
                self.fail("a reserved word is split over two lines")
            if isinstance(head, Literal) and _ASSIGNED.match(head.text):
                self.fail("an assignment is split over two lines")
        return word

    def declared(self, command: str) -> Assignment | None:
        """Read an assignment behind a builtin that takes assignments."""
        if command in _DECLARING:
            return self.assignment(declared=True)
        if command in ("eval", "let") and _ARRAYS_ALLOWED.match(self.text, self.pos):
            return self.assignment(declared=True)
        return None

    def function(self, name: str, start: int) -> Node:
        """Read the rest of the definition of a function, the place being that of the parenthesis."""
        self.pos += 1
        if not name or self.blanks() != ")":
            self.fail("a parenthesis where no command can begin")
        self.pos += 1
        return self.function_body(name, start)
