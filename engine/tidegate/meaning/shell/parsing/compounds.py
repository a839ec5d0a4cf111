"""Compound commands: everything that begins with a reserved word or a parenthesis."""

from __future__ import annotations

import re

from .conditions import ConditionParser
from .scanner import WORD_END
from .syntax import (
    ArithmeticCommand,
    ArithmeticFor,
    Case,
    Clause,
    Coprocess,
    For,
    Function,
    Group,
    If,
    Loop,
    Node,
    RawWord,
    Redirect,
    Redirected,
    Sequence,
    Simple,
    Subshell,
)

_KEYWORD = re.compile(r"(?:[a-z]++|\{|\})" + WORD_END)
_COMPOUND = re.compile(r"(?:\(|(?:if|while|until|for|case|select|\{|\[\[)" + WORD_END + ")")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*+(?=(?:\\\n)*+(?:[ \t\n;]|\Z))")
_FUNCTION_NAME = re.compile(r"[^ \t\n|&;()<>'\"`$\\\ufdd0]++")
_NO_PARAMETERS = re.compile(r"\((?:[ \t]++|\\\n)*+\)")
_TERMINATOR = re.compile(r";;&|;;|;&")


class CompoundParser(ConditionParser):
    """Reads compound commands, the place being behind their first reserved word."""

    __slots__ = ()

    def compound(self, keyword: str) -> Node:
        """Read the compound command that *keyword* begins, with its redirections."""
        self.enter()
        match keyword:
            case "if":
                node: Node = self.conditional()
            case "while" | "until":
                node = Loop(self.block("do"), self.block("done"), keyword == "until")
            case "for" | "select":
                node = self.loop_over(select=keyword == "select")
            case "case":
                node = self.choice()
            case "{":
                node = Group(self.block("}"))
            case "[[":
                node = self.condition()
            case _:
                node = self.parenthesis()
        self.depth -= 1
        return self.redirected(node)

    def redirected(self, node: Node) -> Node:
        """Read the redirections behind *node*."""
        redirects: list[Redirect] = []
        while self.blanks() and (redirect := self.redirect()) is not None:
            redirects.append(redirect)
        return Redirected(node, tuple(redirects)) if redirects else node

    def keyword(self) -> str:
        """Step over a reserved word and return it; empty where none stands here."""
        self.blanks()
        found = _KEYWORD.match(self.text, self.pos)
        if found is None:
            return ""
        self.pos = found.end()
        return found[0]

    def at(self, keyword: str) -> bool:
        """Whether *keyword* stands here; step over it if so."""
        if not self.text.startswith(keyword, self.pos):
            return False
        found = _KEYWORD.match(self.text, self.pos)
        if found is None or found[0] != keyword:
            return False
        self.pos = found.end()
        return True

    def expect(self, *keywords: str) -> str:
        """Step over one of *keywords* and return it."""
        found = self.keyword()
        if found not in keywords:
            self.fail(f"`{keywords[0]}` is missing")
        return found

    def commands(self) -> Sequence:
        """Read at least one command."""
        body = self.sequence()
        if not body.items:
            self.fail("a command is missing")
        return body

    def block(self, *ends: str) -> Sequence:
        """Read commands and step over the one of *ends* that follows them."""
        body = self.commands()
        self.expect(*ends)
        return body

    def conditional(self) -> Node:
        """Read the rest of `if`."""
        clauses: list[tuple[Sequence, Sequence]] = []
        while True:
            condition = self.block("then")
            body = self.commands()
            clauses.append((condition, body))
            end = self.expect("fi", "elif", "else")
            if end == "fi":
                return If(tuple(clauses), None)
            if end == "else":
                return If(tuple(clauses), self.block("fi"))

    def parenthesis(self) -> Node:
        """Read the rest of a subshell or of `((…))`."""
        self.whole()
        if self.text.startswith("(", self.pos):
            self.grammar.bashisms = True
            start = self.pos
            if not self.grammar.posix and (node := self.arithmetic_command()) is not None:
                return node
            self.grammar.spare -= self.pos - start
            if self.grammar.spare < 0:
                self.fail("too much text has to be read twice")
            self.pos = start
        body = self.commands()
        if self.blanks() != ")":
            self.fail("a subshell is not closed")
        self.pos += 1
        return Subshell(body)

    def arithmetic_command(self) -> Node | None:
        """Read the rest of `((…))`; nothing where it turns out to be a subshell in a subshell."""
        self.pos += 1
        expression = self.arithmetic(")")
        self.pos += 1
        self.whole()
        if not self.text.startswith(")", self.pos):
            return None
        self.pos += 1
        return ArithmeticCommand(expression)

    def loop_over(self, *, select: bool) -> Node:
        """Read the rest of `for` or `select`."""
        if self.blanks() == "(" and not select:
            return self.arithmetic_for()
        found = _NAME.match(self.text, self.pos)
        if found is None:
            self.fail("a loop over something that is not the name of a variable")
        self.pos = found.end()
        self.newlines()
        words = None
        if self.at("in"):
            words = self.loop_words()
        elif self.text.startswith(";", self.pos):
            self.pos += 1
        return For(found[0], words, self.loop_body(), select)

    def loop_words(self) -> tuple[RawWord, ...]:
        """Read the words of a loop and the end of their list."""
        words: list[RawWord] = []
        while (char := self.blanks()) not in (";", "\n", ""):
            words.append(self.some_word("a syntax error in the words of a loop"))
        if char == ";":
            self.pos += 1
            self.whole()
        return tuple(words)

    def loop_body(self) -> Sequence:
        """Read `do … done` or `{ … }`."""
        self.newlines()
        begin = self.expect("do", "{")
        if begin == "{":
            self.bashism("a loop in braces")
        return self.block("done" if begin == "do" else "}")

    def arithmetic_for(self) -> Node:
        """Read the rest of `for ((…; …; …))`."""
        self.bashism("`for ((`")
        if not self.text.startswith("((", self.pos):
            self.fail("a syntax error behind `for`")
        self.pos += 2
        header = []
        for close in ";;)":
            header.append(self.arithmetic(close))
            self.pos += 1
        if not self.text.startswith(")", self.pos):
            self.fail("`for ((` is not closed")
        self.pos += 1
        if self.blanks() == ";":
            self.pos += 1
        return ArithmeticFor(tuple(header), self.loop_body())

    def choice(self) -> Node:
        """Read the rest of `case`."""
        self.blanks()
        word = self.some_word("`case` has no word")
        self.newlines()
        self.expect("in")
        clauses: list[Clause] = []
        self.newlines()
        while not self.at("esac"):
            clauses.append(self.clause())
            self.newlines()
        return Case(word, tuple(clauses))

    def clause(self) -> Clause:
        """Read one clause of `case` with its terminator."""
        if self.text.startswith("(", self.pos):
            self.pos += 1
        patterns: list[RawWord] = []
        while True:
            self.blanks()
            start = self.pos
            patterns.append(self.word())
            if self.pos == start:
                self.fail("a pattern is missing in `case`")
            end = self.blanks()
            if end not in ("|", ")"):
                self.fail("a syntax error in the patterns of `case`")
            self.pos += 1
            if end == ")":
                break
        body = self.sequence()
        found = _TERMINATOR.match(self.text, self.pos)
        if found is None:
            here = self.pos
            if not self.at("esac"):
                self.fail("a clause of `case` is not closed")
            self.pos = here
            return Clause(tuple(patterns), body, ";;")
        self.pos = found.end()
        if found[0] != ";;":
            self.bashism(f"`{found[0]}`")
        return Clause(tuple(patterns), body, found[0])

    def named_function(self) -> Node:
        """Read the rest of `function name`."""
        start = self.pos
        self.blanks()
        found = _FUNCTION_NAME.match(self.text, self.pos)
        if found is None:
            self.fail("the name of a function is not plain text")
        self.pos = found.end()
        self.blanks()
        empty = _NO_PARAMETERS.match(self.text, self.pos)
        if empty is not None:
            self.pos = empty.end()
        return self.function_body(found[0], start)

    def function_body(self, name: str, start: int) -> Node:
        """Read the body of the function *name*, whose definition begins at *start*."""
        self.enter()
        self.newlines()
        body = self.command()
        inner = body.body if type(body) is Redirected else body
        if body is None or (not self.grammar.posix and isinstance(inner, Simple | Function | Coprocess)):
            self.fail("the body of a function is no compound command")
        self.depth -= 1
        return Function(name, body, *self.span(start, self.pos))

    def coprocess(self) -> Node:
        """Read the rest of `coproc`."""
        self.enter()
        self.blanks()
        start, name = self.pos, "COPROC"
        if not _COMPOUND.match(self.text, self.pos):
            found = _FUNCTION_NAME.match(self.text, self.pos)
            if found is not None:
                self.pos = found.end()
                self.blanks()
            if found is not None and _COMPOUND.match(self.text, self.pos):
                name = found[0]
            else:
                self.pos = start
        body = self.command()
        if body is None:
            self.fail("a command is missing behind `coproc`")
        # Bash 5.2 prints what it read of a substitution and reads that again, and then the name is the program.
        if self.inside and type(body.body if type(body) is Redirected else body) is Simple:
            self.fail("a coprocess without a name in a substitution may run a program called `COPROC`")
        self.depth -= 1
        return Coprocess(name, body)
