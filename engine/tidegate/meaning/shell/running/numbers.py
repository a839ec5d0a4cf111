"""The numbers of shell arithmetic: 64 bits, wrapping around, or not known."""

from __future__ import annotations

from collections.abc import Callable

_SIGN = 1 << 63
_BASES = range(2, 65)
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ@_"
_CASELESS = 36
_MOST_SHIFT = 63

Number = int | None
"""An integer of 64 bits, or `None` where it is not known."""


class Invalid(Exception):
    """The expression is none, or its evaluation fails."""


def parsed(token: str) -> int:
    """The number that *token* spells: decimal, octal, hexadecimal, or in a base before `#`."""
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
            number = wrapped(number * radix + value)
        return number
    if len(token) > 100:  # noqa: PLR2004 nobody means such a number
        raise Invalid
    if token[:2] in ("0x", "0X"):
        return wrapped(int(token, 16))
    if token.startswith("0"):
        if set(token) & {"8", "9"}:
            raise Invalid
        return wrapped(int(token, 8))
    return wrapped(int(token))


def wrapped(number: int) -> int:
    """*number* as 64 bits hold it."""
    return (number + _SIGN) % (2 * _SIGN) - _SIGN


def computed(operator: str, left: Number, right: Number) -> Number:
    """What a binary operator makes of two numbers."""
    if left is None or right is None:
        return None
    compute = _COMPUTE.get(operator)
    return wrapped(compute(left, right)) if compute is not None else _careful(operator, left, right)


def _careful(operator: str, left: int, right: int) -> Number:
    """The operators that are not defined for every number."""
    if operator == "**":
        if right < 0:
            raise Invalid
        return wrapped(pow(left, right, 2 * _SIGN))
    if operator in ("/", "%"):
        if right == 0:
            raise Invalid
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return wrapped(quotient if operator == "/" else left - quotient * right)
    if not 0 <= right <= _MOST_SHIFT:
        return None
    return wrapped(left << right if operator == "<<" else left >> right)


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
