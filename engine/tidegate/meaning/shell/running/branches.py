"""Branches, tests and definitions: compound commands besides loops."""

from __future__ import annotations

from ...values import unknown
from ..builtins.reading import name_tested
from ..parsing.syntax import (
    ArithmeticCommand,
    ArithmeticFor,
    Case,
    Condition,
    Coprocess,
    For,
    Function,
    If,
    Literal,
    Loop,
    Node,
    RawWord,
)
from .held import Array
from .loops import Loops
from .order import together
from .state import State

_ARITHMETIC = frozenset(("-eq", "-ne", "-lt", "-le", "-gt", "-ge"))


class Branches(Loops):
    """Runs every branch that there is, whatever chooses between them."""

    __slots__ = ()

    def compound(self, node: Node, state: State) -> State | None:
        """Run a branch, a loop, a test or a definition."""
        self.spend()
        self.deeper()
        outer = self.sink
        if outer is not None:
            self.sink = []
        try:
            self.branching(node, state)
        finally:
            printed, self.sink = self.sink, outer
        if printed:
            self.print(unknown("what is printed depends on which commands run"))
        self.depth -= 1
        self.status = None
        return None

    def branching(self, node: Node, state: State) -> None:
        """Run what may take one way or another."""
        match node:
            case If():
                self.conditional(node, state)
            case Loop():
                self.loop(node, state)
            case For():
                self.loop_over(node, state)
            case ArithmeticFor():
                self.arithmetic_for(node, state)
            case Case():
                self.choice(node, state)
            case Function():
                self.define(node, state)
            case Condition():
                self.condition(node, state)
            case ArithmeticCommand(expression):
                self.arithmetic(expression, state)
            case Coprocess(name, body):
                self.assign(name, Array(None), state, (0, 0))
                inner = self.subshell(state)
                inner.stdin = None  # whatever is written to its descriptor
                self.node(body, inner)

    def conditional(self, node: If, state: State) -> None:
        """Run every branch of `if`."""
        ends: list[State] = []
        for condition, body in node.clauses:
            failed = self.sequence(condition, state) or state.fork()
            self.settle(body, state)
            ends.append(state.fork())
            state.take(failed)
        if node.otherwise is not None:
            self.settle(node.otherwise, state)
        for end in ends:
            state.join(end)

    def choice(self, node: Case, state: State) -> None:
        """Run every clause of `case`."""
        self.scalar(node.word, state)
        ends = [state.fork()]
        through: State | None = None
        for clause in node.clauses:
            for pattern in clause.patterns:
                self.scalar(pattern, state)
            inner = state.fork()
            if through is not None:
                inner.join(through)
            self.settle(clause.body, inner)
            through = inner.fork() if clause.terminator != ";;" else None
            ends.append(inner)
        state.take(together(ends))

    def define(self, node: Function, state: State) -> None:
        """Define a function."""
        self.spend(1 + (len(state.functions) >> 4))
        state.functions = {**state.functions, node.name: (node.body,)}
        self.defined.append((node.body, state.fork(), len(self.history)))
        self.lasting(state, f"the function `{node.name}`", (node.start, node.end))

    def condition(self, node: Condition, state: State) -> None:
        """Run what the tests between `[[` and `]]` expand, and what they evaluate as arithmetic."""
        for test in node.tests:
            values = [self.scalar(word, state) for word in test.words]
            span = (test.words[0].start, test.words[0].end)
            if test.operator in _ARITHMETIC:
                for word, value in zip(test.words, values, strict=True):
                    text = value if word.text is not None else self.arithmetic_text(_as_expression(word), state)
                    self.evaluate(text, state, span)
            elif test.operator in ("-v", "-R"):
                name_tested(self, values[0], state, span)


def _as_expression(word: RawWord) -> RawWord:
    return word._replace(parts=word.parts or (Literal(word.text or ""),))
