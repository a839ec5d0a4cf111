"""What there is to know of a command that prints."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..effects import Operand
from ..values import Value
from .sorting import Sorted

LONGEST = 100_000
_LAST_ASCII = 0x7F
_ESCAPED = 0xDC00
"""Where `surrogateescape` puts bytes."""
_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{1,2}|[0-7]{1,3}|u[0-9A-Fa-f]{1,4}|.)", re.DOTALL)
_ZERO_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{1,2}|0[0-7]{0,3}|u[0-9A-Fa-f]{1,4}|[^1-7'\"?])", re.DOTALL)
_NAMED = {
    "n": "\n",
    "t": "\t",
    "\\": "\\",
    '"': '"',
    "'": "'",
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "f": "\f",
    "r": "\r",
    "v": "\v",
}


class Printing(NamedTuple):
    """What there is to know of a command that prints: its options, operands and directories, and what it reads."""

    found: Sorted
    operands: tuple[Operand, ...]
    stdin: Value | None
    cwds: tuple[Value, ...] = ()


def unescaped(text: str, *, zero: bool = False) -> str:
    """The text with its backslash escapes replaced, as `printf` does; with *zero* as `echo -e` does.

    A byte that an escape makes is a lone surrogate where it is not ASCII: `whole` makes characters of such bytes.
    """
    return (_ZERO_ESCAPE if zero else _ESCAPE).sub(_escape, text)


def whole(text: str) -> str | None:
    """The text with the bytes that escapes made put together, or `None` where they are no UTF-8."""
    if text.isascii():
        return text
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8")
    except UnicodeError:
        return None


def _escape(match: re.Match[str]) -> str:
    code = match[1]
    if code[0] == "u" and len(code) > 1:
        return chr(int(code[1:], 16))
    if code[0] == "x" and len(code) > 1:
        return _byte(int(code[1:], 16))
    if code[0] in "01234567":
        return _byte(int(code, 8) & 0xFF)
    return _NAMED.get(code, match[0])


def _byte(value: int) -> str:
    return chr(value) if value <= _LAST_ASCII else chr(_ESCAPED + value)


def lines_of(text: str, which: slice) -> str:
    """Some of the lines of a text, with their ends."""
    return "".join(with_ends(text)[which])


def with_ends(text: str) -> list[str]:
    """The lines of a text with their ends; only a newline ends one."""
    return re.findall(r"[^\n]*\n|[^\n]+\Z", text)


def input_text(run: Printing) -> str | None:
    """The known text that a filter reads, where it reads no file."""
    text = run.stdin
    if not isinstance(text, str) or len(run.operands) > 1 or any(operand.value != "-" for operand in run.operands):
        return None
    return text
