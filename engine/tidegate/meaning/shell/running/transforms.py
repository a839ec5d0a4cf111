"""What `#`, `%`, `/`, `:`, `^` and `@` in `${…}` make of a value."""

from __future__ import annotations

import re

from ...values import Hole, Partial, Plain, Value, concat, unknown
from ..parsing.syntax import Literal, Parameter, Quoted, RawWord
from .calculations import Calculations
from .patterns import NotModelled, Token, replaced, tokens, without_prefix, without_suffix
from .state import State

_INTEGER = re.compile(r"[ \t]*([-+]?[0-9]{1,9})[ \t]*")


def cut_open(operator: str, pattern: list[Token], value: Partial) -> Value | None:
    """What `#` or `%` leaves of a text that is known at that end; `None` where that does not settle it."""
    front = operator[0] == "#"
    known = value.prefix if front else value.suffix
    literal = "".join(token for token in pattern if isinstance(token, str))
    if len(literal) == len(pattern):
        if known.startswith(literal) if front else known.endswith(literal):
            return _without(value, len(literal), front=front)
        fits = literal.startswith(known) if front else literal.endswith(known)
        return None if fits else value
    if operator == "%" and pattern == [".", None] and "." in known:
        return _without(value, len(known) - known.rindex("."), front=False)
    return None


def _without(value: Partial, count: int, *, front: bool) -> Value:
    """The text without *count* characters that are known to stand at one end."""
    if count == 0:
        return value
    parts = (value.prefix[count:], *value.parts[1:]) if front else (*value.parts[:-1], value.suffix[:-count])
    left = tuple(part for part in parts if part != "")
    kept = type(value) is Plain and not (front and isinstance(left[0], Hole))  # a dash may stand there now
    return Plain(left, value.reason) if kept else Partial(left, value.reason)


def untouched(known: str, pattern: list[Token]) -> str:
    """What of the *known* beginning of a text comes before anything that a pattern of plain text could match."""
    literal = [token.lower() for token in pattern if isinstance(token, str)]
    if len(literal) < len(pattern) or literal[0] in ("#", "%"):
        return ""
    folded = [char.lower() for char in known]  # one for each, as some characters are longer in lower case
    starts = (at for at in range(len(folded)) if folded[at : at + len(literal)] == literal[: len(folded) - at])
    return known[: next(starts, len(known))]


class Transforms(Calculations):
    """Cuts, replaces and converts known values."""

    __slots__ = ()

    def transformed(self, value: Value, part: Parameter, state: State) -> Value:
        """What the operator of *part* makes of *value*."""
        operator = part.operator
        if operator == "":
            return value
        if operator[0] in "#%":
            return self.cut(value, part, state)
        if operator[0] == "/":
            return self.substituted(value, part, state)
        if operator == ":":
            return self.substring(value, part, state)
        if operator == "@P":
            return self.prompt(value, state, (0, 0))
        if part.argument is not None and part.argument.parts:
            self.scalar(part.argument, state)
            return unknown(f"what `${{…{operator}…}}` makes of a value is not looked at")
        if isinstance(value, str) and value.isascii():
            if operator in ("^^", "@U"):
                return value.upper()
            if operator in (",,", "@L"):
                return value.lower()
            if operator in ("^", "@u"):
                return value[:1].upper() + value[1:]
            if operator == ",":
                return value[:1].lower() + value[1:]
        return unknown(f"what `${{…{operator}}}` makes of a value is not looked at")

    def cut(self, value: Value, part: Parameter, state: State) -> Value:
        """`${x#pattern}` and its kin."""
        operator = part.operator
        pattern = self.pattern(part.argument, state)
        if pattern is None:
            return unknown(f"the pattern behind `{operator}` is not looked at")
        if isinstance(value, str):
            cut = without_prefix if operator[0] == "#" else without_suffix
            try:
                return cut(pattern, value, longest=len(operator) > 1)
            except NotModelled:
                return unknown(f"the pattern behind `{operator}` is not looked at")
        if operator == "##" and pattern == [None, "/"]:
            return Partial((Hole.NAME,), value.reason)
        left = cut_open(operator, pattern, value)
        return unknown(value.reason) if left is None else left

    def pattern(self, raw: RawWord | None, state: State) -> list[Token] | None:
        """The pattern that *raw* stands for, `None` where it is not known or not modelled."""
        if raw is None:
            return []
        pieces: list[tuple[str, bool]] = []
        known = True
        for part in raw.parts or (Literal(raw.text or ""),):
            if isinstance(part, Literal) and part.text.startswith("~") and not pieces:
                known = False
            value = self.part_value(part, state)
            known = known and isinstance(value, str)
            quoted = isinstance(part, Quoted) or (not isinstance(part, Literal) and getattr(part, "quoted", True))
            pieces.append((value if isinstance(value, str) else "", quoted))
        try:
            return tokens(pieces) if known else None
        except NotModelled:
            return None

    def substituted(self, value: Value, part: Parameter, state: State) -> Value:
        """`${x/pattern/replacement}`."""
        operator, raw = part.operator, part.argument
        pattern = self.pattern(raw, state)
        replacement = self.scalar(part.second, state) if part.second is not None else ""
        tricky = replacement if isinstance(replacement, str) else "&"
        if isinstance(value, Partial) and pattern:
            kept = untouched(value.prefix, pattern)
            return concat([kept, unknown(f"what `{operator}` replaces is not looked at")])
        if pattern is None or not isinstance(value, str) or set(tricky) & set("&\\~"):
            return unknown(f"what `{operator}` replaces is not looked at")
        head = raw.parts[0].text[:1] if raw is not None and raw.parts and isinstance(raw.parts[0], Literal) else ""
        if operator == "/" and head in ("#", "%"):
            operator, pattern = "/" + head, pattern[1:]
        try:
            return replaced(pattern, value, tricky, operator)
        except NotModelled:
            return unknown(f"the pattern behind `{operator}` is not looked at")

    def substring(self, value: Value, part: Parameter, state: State) -> Value:
        """`${x:start:length}`."""
        start, length = self.bounds(part, state)
        if (
            start is None
            or (part.second is not None and length is None)
            or not isinstance(value, str)
            or not value.isascii()
        ):
            return unknown("a part of a value is not looked at")
        if start < 0:
            start += len(value)
        if start < 0 or start > len(value):
            return ""
        if length is None:
            return value[start:]
        end = start + length if length >= 0 else len(value) + length
        return value[start:end] if end >= start else ""

    def bounds(self, part: Parameter, state: State) -> tuple[int | None, int | None]:
        """The offset and the length of a substring where they are known."""
        found = []
        for raw in (part.argument, part.second):
            value = (
                self.evaluate(self.arithmetic_text(raw, state), state, (raw.start, raw.end)) if raw is not None else ""
            )
            integer = _INTEGER.fullmatch(value) if isinstance(value, str) else None
            found.append(int(integer[1]) if integer else None)
        return found[0], found[1]
