"""Arithmetic as the shell evaluates it, where a variable may hold a whole expression."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol

SOME_NUMBER = "\ufdd1"
"""Stands in an expression for a number that is not known."""

DEEPEST = 24
_TOKEN = re.compile(
    r"[ \t\n]*+(?:(0[xX][0-9A-Fa-f]++|[0-9]++#[0-9A-Za-z@_]++|[0-9]++(?![0-9A-Za-z_]))|([A-Za-z_][A-Za-z0-9_]*+)|([0-9]*+\ufdd1[0-9\ufdd1]*+)"
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
_SIGN = 1 << 63
_BASES = range(2, 65)
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ@_"
_CASELESS = 36
_MOST_SHIFT = 63
_LARGEST_POWER = 64

Number = int | None
"""An integer of 64 bits, or `None` where it is not known."""


class Invalid(Exception):
    """The expression is none, or its evaluation fails."""


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

    __slots__ = ("_depth", "_kind", "_place", "_sure", "_text", "_token", "_variables")

    def __init__(self, text: str, variables: Variables, depth: int = 0) -> None:
        """Stand at the start of *text*."""
        self._text = text
        self._variables = variables
        self._depth = depth
        self._place = 0
        self._kind = 0
        self._token = ""
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
        self._token = found[self._kind]

    def _expression(self, least: int) -> Number:
        """An expression whose operators bind at least as tightly as *least*."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise TooDeep
        left = self._operand(least)
        while self._kind == _OPERATOR:
            operator = self._token
            power = _BINARY.get(operator, 0)
            if operator == "," and least <= 0:
                self._next()
                left = self._expression(1)
            elif operator == "?" and least <= _TERNARY:
                left = self._ternary(left)
            elif power and power >= least:
                self._next()
                right = self._guarded(operator, left, power if operator == "**" else power + 1)
                left = _computed(operator, left, right)
            else:
                break
        self._depth -= 1
        return left

    def _guarded(self, operator: str, left: Number, power: int) -> Number:
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
        if self._token != ":":
            raise Invalid
        self._next()
        no = self._expression(_TERNARY)
        self._sure = sure
        if condition is None:
            return yes if yes == no else None
        return yes if condition else no

    def _operand(self, least: int) -> Number:
        """A number, a variable, a parenthesis, or a unary operator with what it takes."""
        kind, token = self._kind, self._token
        self._next()
        if kind == _NUMBER:
            return _parsed(token)
        if kind == _UNKNOWN:
            return None
        if kind == _NAME:
            return self._variable(token, least)
        if token == "(":
            inside = self._expression(0)
            if self._token != ")":
                raise Invalid
            self._next()
            return inside
        if token in ("++", "--"):
            if self._kind == _NAME:
                return self._stepped(token)
            token = token[0]
        if token not in ("+", "-", "!", "~"):
            raise Invalid
        number = self._expression(_UNARY)
        if number is None:
            return None
        return _wrapped({"+": number, "-": -number, "!": int(not number), "~": ~number}[token])

    def _subscript(self) -> str | None:
        """The text between brackets behind a name."""
        if self._token != "[":
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
        operator = self._token if self._kind == _OPERATOR else ""
        if operator in _ASSIGNING and least <= _ASSIGNMENT:
            self._next()
            old = self._variables.read(name, subscript, self._depth) if operator != "=" else 0
            number = self._expression(_ASSIGNMENT)
            number = number if operator == "=" else _computed(operator[:-1], old, number)
            self._write(name, subscript, number)
            return number
        number = self._variables.read(name, subscript, self._depth)
        if operator in ("++", "--"):
            self._next()
            self._write(name, subscript, _computed(operator[0], number, 1))
        return number

    def _stepped(self, operator: str) -> Number:
        name = self._token
        self._next()
        subscript = self._subscript()
        number = _computed(operator[0], self._variables.read(name, subscript, self._depth), 1)
        self._write(name, subscript, number)
        return number

    def _write(self, name: str, subscript: str | None, number: Number) -> None:
        self._variables.write(name, subscript, number, sure=self._sure)


_NUMBER, _NAME, _UNKNOWN, _OPERATOR, _END = range(1, 6)
_BRACKET = re.compile(r"[][]")


def _parsed(token: str) -> int:
    if "#" in token:
        base, _, digits = token.partition("#")
        radix = int(base) if len(base) <= 2 else 0  # noqa: PLR2004 no base has three digits
        if radix not in _BASES or base.startswith("0"):
            raise Invalid
        digits = digits.lower() if radix <= _CASELESS else digits
        values = [_DIGITS.index(digit) for digit in digits]
        if any(value >= radix for value in values):
            raise Invalid
        number = 0
        for value in values:
            number = _wrapped(number * radix + value)
        return number
    if len(token) > 100:  # noqa: PLR2004 nobody means such a number
        raise Invalid
    if token[:2] in ("0x", "0X"):
        return _wrapped(int(token, 16))
    if token.startswith("0"):
        if set(token) & {"8", "9"}:
            raise Invalid
        return _wrapped(int(token, 8))
    return _wrapped(int(token))


def _wrapped(number: int) -> int:
    return (number + _SIGN) % (2 * _SIGN) - _SIGN


def _computed(operator: str, left: Number, right: Number) -> Number:
    if left is None or right is None:
        return None
    compute = _COMPUTE.get(operator)
    return _wrapped(compute(left, right)) if compute is not None else _careful(operator, left, right)


def _careful(operator: str, left: int, right: int) -> Number:
    """The operators that are not defined for every number."""
    if operator == "**":
        if right < 0:
            raise Invalid
        return _wrapped(pow(left, right, 2 * _SIGN))
    if operator in ("/", "%"):
        if right == 0:
            raise Invalid
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return _wrapped(quotient if operator == "/" else left - quotient * right)
    if not 0 <= right <= _MOST_SHIFT:
        return None
    return _wrapped(left << right if operator == "<<" else left >> right)


_COMPUTE: dict[str, Callable[[int, int], int]] = {
    "||": lambda left, right: int(bool(left or right)),
    "&&": lambda left, right: int(bool(left and right)),
    "|": lambda left, right: left | right,
    "^": lambda left, right: left ^ right,
    "&": lambda left, right: left & right,
    "==": lambda left, right: int(left == right),
    "!=": lambda left, right: int(left != right),
    "<": lambda left, right: int(left < right),
    "<=": lambda left, right: int(left <= right),
    ">": lambda left, right: int(left > right),
    ">=": lambda left, right: int(left >= right),
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
}
