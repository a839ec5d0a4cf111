"""Substitutions: `$(…)`, backticks, `<(…)`, and `$((…))`, which only looks like one or the other."""

from __future__ import annotations

import re

from .scanner import Scanner
from .syntax import Arithmetic, Part, Process, Sequence, Substitution

_PARENTHESIS = re.compile(r"[()]|\\[\s\S]|'[^']*+'?|\"(?:[^\"\\]++|\\[\s\S])*+\"?")
_ANY_PARENTHESIS = re.compile(r"[()]")
_BACKTICKS = re.compile(r"`((?:[^`\\]++|\\[\s\S])*+)`")
_UNESCAPED = re.compile(r"\\([\\`$])")
_UNESCAPED_IN_QUOTES = re.compile(r"\\([\\`$\"])")


class SubstitutionParser(Scanner):
    """Reads commands that stand inside words."""

    __slots__ = ()

    def substitution(self, *, quoted: bool) -> Part:
        """Read `$(…)`."""
        self.pos += 2
        self.whole()
        return Substitution(self.parenthesised(), quoted)

    def process(self) -> Part:
        """Read `<(…)` or `>(…)`."""
        self.bashism("process substitution")
        direction = self.text[self.pos]
        self.pos += 2
        self.whole()
        return Process(direction, self.parenthesised())

    def parenthesised(self) -> Sequence:
        """Read commands up to the parenthesis that closes a substitution, and step over that."""
        self.enter()
        outer, self.pending = self.pending, []
        self.inside += 1
        body = self.sequence()
        if self.blanks() != ")":
            self.fail("a substitution is not closed" if self.pos >= self.end else "a syntax error in a substitution")
        if self.pending:
            self.fail("a here-document goes on behind its substitution")
        self.pos += 1
        self.inside -= 1
        self.pending = outer
        self.depth -= 1
        return body

    def double_parenthesis(self, *, quoted: bool) -> Part:
        """Read `$((…))`, or the substitution of a subshell that merely looks like it."""
        start = self.pos
        self.pos += 3
        expression = self.arithmetic(")")
        self.pos += 1
        self.whole()
        if self.text.startswith(")", self.pos):
            self.pos += 1
            if not balanced(self.text[start + 3 : self.pos - 2]):
                self.fail("quotes leave it open whether `$((` begins arithmetic or a subshell")
            return Arithmetic(expression, quoted)
        self.arithmetic(")")
        body = self.text[start + 2 : self.pos]
        self.pos += 1
        return Substitution(self.again(body, start + 2, verbatim=True), quoted)

    def again(self, text: str, start: int, *, verbatim: bool) -> Sequence:
        """Read *text*, which ends here, as commands; only so often, since it was read before."""
        self.grammar.spare -= len(text)
        if self.grammar.spare < 0:
            self.fail("too much text has to be read twice")
        self.enter()
        body = self.inner(text, start, self.pos, verbatim=verbatim).script()
        self.depth -= 1
        return body

    def backticks(self, *, quoted: bool) -> Part:
        """Read a substitution in backticks."""
        found = _BACKTICKS.match(self.text, self.pos)
        if found is None:
            self.fail("a backtick is not closed")
        start, self.pos = self.pos + 1, found.end()
        text = found[1]
        if "\\" in text:
            text = (_UNESCAPED_IN_QUOTES if quoted else _UNESCAPED).sub(r"\1", text)
        return Substitution(self.again(text, start, verbatim=text == found[1]), quoted)


def balanced(text: str) -> bool:
    """Whether bash, which looks for the end of *text* once more when it runs the command, finds it in the same place.

    It counts parentheses, in quotes or not, in more than one way; so they have to match in each.
    Source: bash 5.2, `chk_arithsub`, `extract_delimited_string` and `skip_matched_pair`.
    """
    return all(_level(pattern, text) for pattern in (_PARENTHESIS, _ANY_PARENTHESIS))


def _level(pattern: re.Pattern[str], text: str) -> bool:
    """Whether the parentheses in *text* match, of which *pattern* finds those that count."""
    level = 0
    for found in pattern.finditer(text):
        level += {"(": 1, ")": -1}.get(found[0], 0)
        if level < 0:
            return False
    return level == 0
