"""What stands between `[[` and `]]`."""

from __future__ import annotations

from .scripts import ScriptParser
from .syntax import Condition, Literal, Node, Part, Quoted, RawWord, Test

_UNARY = frozenset(f"-{letter}" for letter in "abcdefghknoprstuvwxzGLNORS")
_BINARY = frozenset(("=", "==", "!=", "=~", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"))
_PATTERNS = frozenset(("=", "==", "!="))


class ConditionParser(ScriptParser):
    """Reads conditional expressions."""

    __slots__ = ()

    def condition(self) -> Node:
        """Read up to `]]`, the place being behind `[[`.

        How the tests are joined does not matter to what could run, so that a flat list of them is enough.
        """
        tests: list[Test] = []
        open_ = 0
        while True:
            open_ += self.openings()
            tests.append(self.test())
            self.newlines()
            while open_ and self.text.startswith(")", self.pos):
                self.pos += 1
                open_ -= 1
                self.newlines()
            if self.text.startswith(("&&", "||"), self.pos):
                self.pos += 2
                continue
            if open_ or not self.text.startswith("]]", self.pos):
                self.fail("a syntax error between `[[` and `]]`")
            if self.word().text != "]]":
                self.fail("`]]` is not a word of its own")
            return Condition(tuple(tests))

    def openings(self) -> int:
        """Skip newlines, `!` and opening parentheses; count the latter."""
        count = 0
        while True:
            self.newlines()
            if self.text.startswith("(", self.pos):
                count += 1
                self.pos += 1
                if self.depth + count > self.grammar.depth:
                    self.fail(f"constructs are nested more than {self.grammar.depth} deep")
            elif self.text.startswith("!", self.pos) and self.text[self.pos + 1 : self.pos + 2] in " \t\n(":
                self.pos += 1
            else:
                return count

    def test(self) -> Test:
        """Read one test."""
        left = self.operand()
        operator = left.unquoted
        if operator == "]]":
            self.fail("a test is missing before `]]`")
        if operator in _UNARY:
            self.blanks()
            return Test(operator, (self.operand(),))
        char = self.blanks()
        if char in ("<", ">") and not self.text.startswith("(", self.pos + 1):
            self.pos += 1
            self.blanks()
            return Test(char, (left, self.operand()))
        if char in ("", "\n", "&", "|", ")") or self.text.startswith("]]", self.pos):
            return Test("", (left,))
        operator = self.word().unquoted
        if operator not in _BINARY:
            self.fail("an operator between `[[` and `]]` that bash 5.2 does not know")
        self.blanks()
        if operator == "=~":
            return Test(operator, (left, self.regex()))
        return Test(operator, (left, self.operand(pattern=operator in _PATTERNS)))

    def operand(self, *, pattern: bool = False) -> RawWord:
        """Read one operand of a test."""
        start = self.pos
        word = self.word(pattern=pattern)
        if self.pos == start:
            self.fail("an operand is missing between `[[` and `]]`")
        return word

    def regex(self) -> RawWord:
        """Read a regular expression, in which parentheses and `|` are text and blanks may stand in parentheses."""
        parts: list[Part] = []
        start, open_ = self.pos, 0
        while self.pos < self.end:
            char = self.text[self.pos]
            if char == "(":
                open_ += 1
            elif char == ")" and open_:
                open_ -= 1
            elif char == "|" or (open_ and char in " \t\n"):
                pass
            elif char in " \t\n&;<>)":
                break
            elif char in "$'\"\\`\ufdd0":
                self.piece(parts)
                continue
            parts.append(Literal(char))
            self.pos += 1
        if open_ or self.pos == start:
            self.fail("a regular expression between `[[` and `]]` is not closed")
        return RawWord(None, (Quoted(""), *parts), *self.span(start, self.pos))
