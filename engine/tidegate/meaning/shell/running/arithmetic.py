"""Arithmetic as the shell evaluates it, where a variable may hold a whole expression."""

from __future__ import annotations

import re
from typing import Protocol

from .numbers import Invalid, Number, computed, parsed, wrapped

SOME_NUMBER = "\ufdd1"
"""Stands in an expression for a number that is not known."""

DEEPEST = 24
_TOKEN = re.compile(
    r"[ \t\n]*+(?:(0[xX][0-9A-Fa-f]++|[0-9]++#[0-9A-Za-z@_]++|[0-9]++(?![0-9A-Za-z_]))"
    r"|([A-Za-z_][A-Za-z0-9_]*+)|([0-9]*+\ufdd1[0-9\ufdd1]*+)"
    r"|(<<=|>>=|\*\*|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+*/%<>&|^!~?:=,()[\]])|(\Z))"
)
_BINARY: dict[str, int] = {
    "||": 4, "&&": 5, "|": 6, "^": 7, "&": 8, "==": 9, "!=": 9, "<": 10, "<=": 10, ">": 10, ">=": 10,
    "<<": 11, ">>": 11, "+": 12, "-": 12, "*": 13, "/": 13, "%": 13, "**": 14,
}  # fmt: skip
_ASSIGNING = frozenset(("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="))
_TERNARY = 3
_ASSIGNMENT = 2
_UNARY = 15


class TooDeep(Invalid):
    """The expression is nested more deeply than anybody looks."""


class Variables(Protocol):
    """What an expression reads and writes."""

    def read(self, name: str, subscript: str | None, depth: int) -> Number:
        """The number that a variable stands for, evaluating its text as an expression."""

    def write(self, name: str, subscript: str | None, number: Number, *, sure: bool) -> None:
        """Assign to a variable, or perhaps not where that is not *sure*."""


class Evaluator:
    """Evaluates one expression, every part of it, whichever way its conditions go.

    Source: bash 5.2, `expr.c`; the Bash manual, section "Shell Arithmetic".
    """

    __slots__ = ("_depth", "_kind", "_place", "_sure", "_symbol", "_text", "_variables")

    def __init__(self, text: str, variables: Variables, depth: int = 0) -> None:
        """Stand at the start of *text*."""
        self._text = text
        self._variables = variables
        self._depth = depth
        self._place = 0
        self._kind = 0
        self._symbol = ""
        self._sure = True

    def value(self) -> Number:
        """The number that the expression stands for; nothing at all is 0.

        Raises:
            Invalid: It is no expression, or is nested more than 24 deep (`TooDeep`).
        """
        self._next()
        if self._kind == _END:
            return 0
        result = self._expression(0)
        if self._kind != _END:
            raise Invalid
        return result

    def _next(self) -> None:
        found = _TOKEN.match(self._text, self._place)
        if found is None or found.lastindex is None:
            raise Invalid
        self._place = found.end()
        self._kind = found.lastindex
        self._symbol = found[self._kind]

    def _expression(self, least: int) -> Number:
        """An expression whose operators bind at least as tightly as *least*."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise TooDeep
        left = self._operand(least)
        while self._kind == _OPERATOR:
            operator = self._symbol
            power = _BINARY.get(operator, 0)
            if operator == "," and least <= 0:
                self._next()
                left = self._expression(1)
            elif operator == "?" and least <= _TERNARY:
                left = self._ternary(left)
            elif power and power >= least:
                self._next()
                right = self._guarded(operator, power if operator == "**" else power + 1)
                left = computed(operator, left, right)
            else:
                break
        self._depth -= 1
        return left

    def _guarded(self, operator: str, power: int) -> Number:
        """The right side of an operator, which need not be evaluated behind `&&` and `||`."""
        sure = self._sure
        self._sure = sure and operator not in ("&&", "||")
        right = self._expression(power)
        self._sure = sure
        return right

    def _ternary(self, condition: Number) -> Number:
        sure, self._sure = self._sure, False
        self._next()
        yes = self._expression(0)
        if self._symbol != ":":
            raise Invalid
        self._next()
        no = self._expression(_TERNARY)
        self._sure = sure
        if condition is None:
            return yes if yes == no else None
        return yes if condition else no

    def _operand(self, least: int) -> Number:
        """A number, a variable, a parenthesis, or a unary operator with what it takes."""
        kind, text = self._kind, self._symbol
        self._next()
        if kind == _NUMBER:
            return parsed(text)
        if kind == _UNKNOWN:
            return None
        if kind == _NAME:
            return self._variable(text, least)
        if text == "(":
            inside = self._expression(0)
            if self._symbol != ")":
                raise Invalid
            self._next()
            return inside
        if text in ("++", "--"):
            if self._kind == _NAME:
                return self._stepped(text)
            text = text[0]
        if text not in ("+", "-", "!", "~"):
            raise Invalid
        number = self._expression(_UNARY)
        if number is None:
            return None
        return wrapped({"+": number, "-": -number, "!": int(not number), "~": ~number}[text])

    def _subscript(self) -> str | None:
        """The text between brackets behind a name."""
        if self._symbol != "[":
            return None
        start, open_ = self._place, 1
        while open_:
            bracket = _BRACKET.search(self._text, self._place)
            if bracket is None:
                raise Invalid
            open_ += 1 if bracket[0] == "[" else -1
            self._place = bracket.end()
        inside = self._text[start : self._place - 1]
        self._next()
        return inside

    def _variable(self, name: str, least: int) -> Number:
        subscript = self._subscript()
        operator = self._symbol if self._kind == _OPERATOR else ""
        if operator in _ASSIGNING and least <= _ASSIGNMENT:
            self._next()
            old = self._variables.read(name, subscript, self._depth) if operator != "=" else 0
            number = self._expression(_ASSIGNMENT)
            number = number if operator == "=" else computed(operator[:-1], old, number)
            self._write(name, subscript, number)
            return number
        number = self._variables.read(name, subscript, self._depth)
        if operator in ("++", "--"):
            self._next()
            self._write(name, subscript, computed(operator[0], number, 1))
        return number

    def _stepped(self, operator: str) -> Number:
        name = self._symbol
        self._next()
        subscript = self._subscript()
        number = computed(operator[0], self._variables.read(name, subscript, self._depth), 1)
        self._write(name, subscript, number)
        return number

    def _write(self, name: str, subscript: str | None, number: Number) -> None:
        self._variables.write(name, subscript, number, sure=self._sure)


_NUMBER, _NAME, _UNKNOWN, _OPERATOR, _END = range(1, 6)
_BRACKET = re.compile(r"[][]")
