"""The parser of shell text: one command, simple or compound, on top of everything that it is made of."""

from __future__ import annotations

import re

from .compounds import CompoundParser
from .scanner import WORD_END
from .syntax import Assignment, Literal, Node, RawWord, Redirect, Simple

_KEYWORD = re.compile(
    r"(?:\(|(?:if|then|elif|else|fi|do|done|case|esac|while|until|for|select|function|coproc|\{|\}|\[\[)"
    + WORD_END
    + ")"
)
_OPENING = frozenset(["if", "while", "until", "for", "select", "case", "{", "[[", "("])
_CLOSING = frozenset(["then", "elif", "else", "fi", "do", "done", "esac", "}"])
_EXTENSIONS = frozenset(["select", "function", "coproc", "[["])
_RESERVED = _OPENING | _CLOSING | _EXTENSIONS | {"!", "time"}
_NO_COMMAND = frozenset(("", ")", ";", "|", "\n"))
_WORD_ENDS = _NO_COMMAND | {"&", "("}
_REDIRECTS = frozenset("<>&{0123456789")
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

    def simple(self) -> Node:
        """Read a simple command, or the definition of a function, whose name looks like one."""
        start = self.pos
        self.grammar.commands -= 1
        if self.grammar.commands < 0:
            self.fail("the text has too many commands")
        assignments: list[Assignment] = []
        words: list[RawWord | Assignment] = []
        redirects: list[Redirect] = []
        declaring = ""
        end = start
        while True:
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
            elif declaring and (argument := self.declared(declaring)) is not None:
                words.append(argument)
            else:
                word = self.argument_word() if words else self.first_word(alone=not assignments and not redirects)
                if not words:
                    declaring = word.unquoted or ""
                words.append(word)
            end = self.pos
        if char == "(":
            return self.function(words, start, alone=not assignments and not redirects)
        return Simple(tuple(assignments), tuple(words), tuple(redirects), *self.span(start, end))

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
            if alone and word.unquoted in _RESERVED:
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

    def function(self, words: list[RawWord | Assignment], start: int, *, alone: bool) -> Node:
        """Read the rest of the definition of a function, the place being that of the parenthesis."""
        name = words[0].unquoted if len(words) == 1 and isinstance(words[0], RawWord) else None
        if name is None or not alone:
            self.fail("a parenthesis where no command can begin")
        self.pos += 1
        if self.blanks() != ")":
            self.fail("a parenthesis where no command can begin")
        self.pos += 1
        return self.function_body(name, start)
