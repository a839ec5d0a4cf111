"""What stands between `${` and `}`, between `$((` and `))`, and in the brackets of an array."""

from __future__ import annotations

import re

from .scanner import HOLE
from .substitutions import balanced
from .syntax import Literal, Missing, Parameter, Part, Quoted, RawWord, Variable
from .words import WordParser

_SUBJECT = re.compile(
    r"\$\{(?:(#)(?=[}:=+%/^,~]|[-?#][^}])"  # `$#` itself, with or without an operator
    r"|(!)(?:([A-Za-z_][A-Za-z0-9_]*+|[0-9]++|[@*#])|(?=[}:=?+%/^~-]))"
    r"|(#)?([A-Za-z_][A-Za-z0-9_]*+|[0-9]++|[@*#?$!-]))"
)
_OPERATOR = re.compile(r":?[-=?+]|##?|%%?|//?|\^\^?|,,?|~~?|@[A-Za-z](?=\})|[@*](?=\})|:")
_POSIX_OPERATORS = frozenset(("", "length", "-", "=", "?", "+", ":-", ":=", ":?", ":+", "#", "##", "%", "%%"))
_DEFAULTS = frozenset("-=?+")
_ARGUMENT_CHUNK = re.compile(r"[^}/:'\"`$\\<>\ufdd0]++")
_ARITHMETIC_CHUNK = re.compile(r"[^][(){}:;?'\"`$\\\ufdd0]++")
_OPENERS = {"(": ")", "[": "]", "{": "}"}


class ParameterParser(WordParser):
    """Reads parameter expansions with their operators, and arithmetic."""

    __slots__ = ()

    def parameter(self, *, quoted: bool) -> Part:
        """Read `${…}`."""
        found = _SUBJECT.match(self.text, self.pos)
        if found is None:
            self.fail("`${` without a name that bash 5.2 knows")
        self.pos = found.end()
        self.enter()
        own, mark, referring, length, name = found.groups()
        name = name or referring or own or mark
        subscript = self.subscript() if self.text.startswith("[", self.pos) else None
        if length:
            part: Part = Parameter(name, quoted, "length", subscript=subscript)
        elif subscript is None and not referring and self.text.startswith("}", self.pos):
            part = Variable(name, quoted, braced=True)
        else:
            part = self.operation(name, subscript, quoted=quoted, indirect=referring is not None)
        if not self.text.startswith("}", self.pos):
            self.fail("`${` with an operator that bash 5.2 does not know")
        self.pos += 1
        self.depth -= 1
        return part

    def subscript(self) -> RawWord:
        """Read `[…]` behind the name of an array."""
        self.grammar.bashisms = True
        self.pos += 1
        start = self.pos
        inside = self.arithmetic("]")
        if not balanced(self.text[start : self.pos]):
            self.fail("quotes leave it open where a subscript ends")
        self.pos += 1
        return inside

    def operation(self, name: str, subscript: RawWord | None, *, quoted: bool, indirect: bool) -> Part:
        """Read the operator of an expansion with what it takes, up to the closing brace."""
        found = _OPERATOR.match(self.text, self.pos)
        operator = found[0] if found else ""
        self.pos += len(operator)
        foreign = subscript is not None
        if indirect or operator not in _POSIX_OPERATORS:
            self.grammar.bashisms = foreign = True
        argument = second = None
        if operator in ("@", "*") and indirect:
            operator, indirect = "names", False
        elif operator in ("@", "*"):
            self.fail("`${` with an operator that bash 5.2 does not know")
        elif operator == ":":
            argument = self.arithmetic(":}")
            if self.text.startswith(":", self.pos):
                self.pos += 1
                second = self.arithmetic("}")
        elif operator.startswith("/"):
            argument = self.argument(operator, quoted=quoted, stop="/}", slash=operator == "//")
            if self.text.startswith("/", self.pos):
                self.pos += 1
                second = self.argument(operator, quoted=quoted)
        elif operator and operator[0] != "@":
            self.grammar.defaults |= operator[-1] in _DEFAULTS
            argument = self.argument(operator, quoted=quoted)
        if foreign and self.grammar.posix:  # a POSIX shell stops here, but only when it runs the command
            return Missing(quoted=True)
        return Parameter(name, quoted, operator, argument, second, subscript, indirect)

    def argument(self, operator: str, *, quoted: bool, stop: str = "}", slash: bool = False) -> RawWord:
        """Read the word behind an operator up to one of *stop*; it may begin with a *slash*.

        In double quotes, single quotes are ordinary characters behind `-`, `=`, `?` and `+` (yet a brace
        between two of them does not close), and quotes behind the operators that take a pattern.
        Source: bash 5.2, `parse_matched_pair` and `extract_dollar_brace_string`.
        """
        text, start = self.text, self.pos
        parts: list[Part] = []
        text_only = quoted and operator[-1] in _DEFAULTS
        plain = Quoted if text_only else Literal
        if slash and text.startswith("/", self.pos):
            self.pos += 1
            parts.append(Literal("/"))
        while self.pos < self.end and (char := text[self.pos]) not in stop:
            found = _ARGUMENT_CHUNK.match(text, self.pos)
            if found is not None:
                self.pos = found.end()
                parts.append(plain(found[0]))
            elif char in "}/:" or (char in "<>" and (quoted or not text.startswith("(", self.pos + 1))):
                self.pos += 1
                parts.append(plain(char))
            elif char == "'" and text_only:
                self.quotes_in_quotes(parts)
            elif char in "<>":
                self.fail("a process substitution in the argument of an expansion")
            elif quoted and not text_only and char == "`":
                parts.extend((self.backticks(quoted=True), Missing(quoted=True)))
            elif text_only and char in "$`\\\ufdd0":
                self.quoted_piece(parts, '$`"\\}')
            else:
                self.piece(parts)
        return self.raw(parts, start)

    def quotes_in_quotes(self, parts: list[Part]) -> None:
        """Read `'…'` as text of the double quotes around it, whose expansions bash does make."""
        start = self.pos
        body = self.single_quoted()
        if self.grammar.posix or "}" in body:
            self.grammar.bashisms = True
        if self.grammar.posix and "}" in body:
            self.fail("single quotes in double quotes hide a brace")
        inner = self.inner(body, start + 1, self.pos - 1, verbatim=True)
        parts.append(Quoted("'"))
        while inner.pos < inner.end:
            inner.text_in_quotes(parts)
        parts.append(Quoted("'"))

    def text_in_quotes(self, parts: list[Part]) -> None:
        """Read one piece of double-quoted text in which a double quote has no place."""
        if self.text[self.pos] == '"':
            self.fail("a double quote between single quotes between double quotes")
        found = _IN_QUOTES.match(self.text, self.pos)
        if found is None:
            self.quoted_piece(parts)
        else:
            self.pos = found.end()
            parts.append(Quoted(found[0]))

    def arithmetic(self, close: str) -> RawWord:
        """Read an arithmetic expression up to one of the characters in *close*, and stop before that.

        It is expanded as double-quoted text is, and single quotes in it hide parentheses but no expansions.
        """
        text, start = self.text, self.pos
        parts: list[Part] = [Quoted("")]
        open_: list[str] = []
        self.enter()
        while True:
            found = _ARITHMETIC_CHUNK.match(text, self.pos)
            if found is not None:
                self.pos = found.end()
                parts.append(Quoted(found[0]))
            if self.pos >= self.end:
                self.fail(f"an expression is not closed by `{close[-1]}`")
            char = text[self.pos]
            if not open_ and char in close:
                break
            if not self.nested(char, open_, ":" in close):
                self.arithmetic_piece(parts, char)
                continue
            self.pos += 1
            parts.append(Quoted(char))
        self.depth -= 1
        return self.raw(parts, start)

    def nested(self, char: str, open_: list[str], ternary: bool) -> bool:
        """Keep count of the brackets that are open in *open_*; false where *char* is none of theirs."""
        if char in _OPENERS:
            open_.append(_OPENERS[char])
        elif char == "?" and ternary:
            open_.append(":")
        elif open_ and char == open_[-1]:
            open_.pop()
        elif char in ")]}" and open_:
            self.fail("brackets in an expression do not match")
        return char in "()[]{}:;?"

    def arithmetic_piece(self, parts: list[Part], char: str) -> None:
        """Read a quote or an expansion in an arithmetic expression."""
        if char == '"':
            self.pos += 1
            self.double_quoted(parts)
        elif char == "'":
            self.quotes_in_quotes(parts)
        elif char == HOLE:
            self.pos += 1
            parts.append(Missing(quoted=True))
        else:
            self.quoted_piece(parts)


_IN_QUOTES = re.compile(r'[^"$`\\\ufdd0]++')
