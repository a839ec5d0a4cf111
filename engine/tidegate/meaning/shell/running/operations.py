"""What the operators of `${…}` make of a value."""

from __future__ import annotations

import re

from ...values import Hole, Partial, Value, concat, unknown
from ..command import Word
from ..parsing.syntax import Parameter, Quoted, RawWord, Variable
from .held import Absence, Array, generalise, is_numeric
from .machine import Split
from .state import State
from .transforms import Transforms

_REFERENCE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*+|[0-9]++|[@*#?$!-]")
_SUBSCRIPTED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*+\[(.*)\]", re.DOTALL)


class Operations(Transforms):
    """Evaluates parameter expansions."""

    __slots__ = ()

    def several(self, part: Variable | Parameter, state: State) -> list[Word] | None:
        """The words of `$@` or of all elements of an array, `None` where *part* is one text."""
        operator = part.operator if isinstance(part, Parameter) else ""
        if operator == "length":
            return None
        if operator == "names":
            return [Word(unknown("the names of variables are not listed"), (0, 0), many=True)]
        words = self.listed(part, state)
        if words is None or not operator:
            return words
        assert isinstance(part, Parameter)  # noqa: S101 it has an operator
        if operator == ":":
            return self.sliced(words, part, state)
        if operator[-1:] in ("-", "=", "?", "+"):
            self.scalar(part.argument, state) if part.argument is not None else None
            return [Word(unknown("a default for a list is not looked at"), (0, 0), many=True)]
        return [word._replace(value=self.transformed(word.value, part, state)) for word in words]

    def listed(self, part: Variable | Parameter, state: State) -> list[Word] | None:
        """The words of `$@` or of an array before any operator."""
        unknown_many = [Word(unknown("the elements are not known"), (0, 0), many=True)]
        if part.name == "@" or (part.name == "*" and not part.quoted):
            if isinstance(part, Parameter) and part.indirect:
                return unknown_many
            return list(state.arguments) if state.arguments is not None else unknown_many
        subscript = part.subscript if isinstance(part, Parameter) else None
        if subscript is None or not isinstance(part, Parameter):
            return None
        every = _constant(subscript)
        if every not in ("@", "*") or (every == "*" and part.quoted):
            return None
        if part.indirect:
            return unknown_many
        held = self.held(part.name, state)
        if isinstance(held, Array):
            # The elements of an associative array come in an order of bash's own.
            if held.items is None or (held.associative and len(held.items) > 1):
                return unknown_many
            return [Word(value, (0, 0)) for _, value in held.items]
        if held is Absence.INHERITED or isinstance(held, Partial):
            return unknown_many
        return [] if isinstance(held, Absence) else [Word(held, (0, 0))]

    def sliced(self, words: list[Word], part: Parameter, state: State) -> list[Word]:
        """`${@:2:3}` or `${a[@]:2}`."""
        start, length = self.bounds(part, state)
        if part.name in "@*":
            words = [Word(state.name, (0, 0)), *words]
        if (
            start is None
            or any(word.many for word in words)
            or (part.second is not None and (length is None or length < 0))
        ):
            return [Word(unknown("a part of a list is not looked at"), (0, 0), many=True)]
        if start < 0:
            start = max(start + len(words), len(words) if -start > len(words) else 0)
        return words[start:] if length is None else words[start : start + length]

    def subject(self, part: Parameter, state: State) -> Value | Absence:
        """The value of the parameter that *part* names, before its operator."""
        span = (part.subscript.start, part.subscript.end) if part.subscript is not None else (0, 0)
        value = self.element(part, state) if part.subscript is not None else self.value(part.name, state)
        if not part.indirect:
            return value
        if isinstance(value, str):
            if _REFERENCE.fullmatch(value):
                return self.value(value, state)
            found = _SUBSCRIPTED.fullmatch(value)
            if found is not None:
                self.evaluate_subscript(found[1], state, span)
            return unknown(f"what `${{!{part.name}}}` refers to is not looked at")
        if isinstance(value, Absence):
            return unknown(f"what `${{!{part.name}}}` refers to is set by the environment")
        self.doubt(f"`${{!{part.name}}}` reads a variable whose name is not known; a subscript in it would run", span)
        return unknown(f"what `${{!{part.name}}}` refers to is not known")

    def element(self, part: Parameter, state: State) -> Value | Absence:
        """One element of an array."""
        assert part.subscript is not None  # noqa: S101 the caller looked
        span = (part.subscript.start, part.subscript.end)
        words = self.listed(part, state) if not part.indirect else None
        constant = _constant(part.subscript)
        if words is not None or constant in ("@", "*"):
            words = self.listed(part._replace(quoted=False), state) or []
            return self.glued(words, state, every=constant or "@")
        held = self.held(part.name, state)
        key = self.scalar(part.subscript, state)
        if isinstance(held, Array) and held.associative:
            known = held.items
        else:
            key = self.evaluate(self.arithmetic_text(part.subscript, state) if constant is None else key, state, span)
            known = held.items if isinstance(held, Array) else (("0", held),) if isinstance(held, str) else None
        if held is Absence.INHERITED:
            return Absence.INHERITED
        if known is None or not isinstance(key, str) or key.startswith("-"):
            return unknown(f"the elements of `{part.name}` are not known")
        return dict(known).get(key, Absence.UNSET)

    def glued(self, words: list[Word], state: State, *, every: str) -> Value:
        """All *words* in one text, with a blank between them for `@`, and the first character of `IFS` for `*`."""
        separators = self.separators(state) if every == "*" else " "
        if separators is None or any(word.many for word in words):
            return unknown("the elements are not known")
        return concat([piece for word in words for piece in (separators[:1], word.value)][1:])

    def default(self, part: Parameter, state: State) -> tuple[Value, RawWord | None]:
        """`${x:-word}` and its kin: the value, or the word that is to be expanded instead."""
        argument = part.argument
        assert argument is not None  # noqa: S101 these operators have one
        value = self.subject(part, state)
        if value is Absence.INHERITED:
            reason = f"the value of `${part.name}` is set by the environment"
            if self.splittable and part.subscript is None and not part.indirect:
                raise Split(part.name, (Absence.UNSET, unknown(reason)))
            value = unknown(reason)
        missing = _is_missing(value, part)
        known: Value = "" if isinstance(value, Absence) else value
        kind = part.operator[-1]
        if missing is True and kind == "-":
            return "", argument
        if missing is False and kind == "+":
            return "", argument
        given = self.scalar(argument, state)
        if kind == "=" and missing is not False:
            chosen = given if missing else generalise((known, given), f"`${part.name}` may be empty")
            self.assign(part.name, chosen, state, (argument.start, argument.end))
            return chosen, None
        if missing is None:
            return generalise((known if kind != "+" else "", given), f"`${part.name}` may be empty"), None
        return ("" if kind == "+" or missing else known), None

    def parameter_value(self, part: Parameter, state: State) -> Value:
        """The value of `${…}`, in one piece."""
        self.spend()
        operator = part.operator
        if operator == "length":
            return self.length(part, state)
        words = self.several(part, state)
        if words is not None:
            constant = _constant(part.subscript) if part.subscript is not None else part.name
            return self.glued(words, state, every=constant or "@")
        if operator[-1:] in ("-", "=", "?", "+") and operator:
            value, argument = self.default(part, state)
            return value if argument is None else self.scalar(argument, state)
        found = self.subject(part, state)
        if found is Absence.INHERITED:
            found = unknown(f"the value of `${part.name}` is set by the environment")
        if found is Absence.UNSET and operator[:1] == "/":
            self.transformed("", part, state)
            return ""
        return self.short(self.transformed("" if isinstance(found, Absence) else found, part, state))

    def length(self, part: Parameter, state: State) -> Value:
        """`${#x}`."""
        words = self.listed(part._replace(operator=""), state)
        if words is not None:
            if any(word.many for word in words):
                return Partial((Hole.DIGITS,), "the number of elements is not known")
            return str(len(words))
        value = self.subject(part, state)
        if value is Absence.UNSET:
            return "0"
        if isinstance(value, str) and value.isascii():
            return str(len(value))
        return Partial((Hole.DIGITS,), f"the length of `${part.name}` is not known")


def _constant(raw: RawWord) -> str | None:
    """The text of a word that holds nothing but text."""
    if raw.text is not None:
        return raw.text
    if all(isinstance(part, Quoted) for part in raw.parts):
        return "".join(part.text for part in raw.parts if isinstance(part, Quoted))
    return None


def _is_missing(value: Value | Absence, part: Parameter) -> bool | None:
    """Whether `${x:-word}` takes the word, `None` where that is not known."""
    if value is Absence.UNSET:
        return True
    named = part.subscript is None and not part.indirect and (part.name[0].isalpha() or part.name[0] == "_")
    empty = _maybe_empty(value)
    if not named and empty is None:  # an argument or an element of which nothing is known may not be there
        return None
    return empty if part.operator.startswith(":") else False


def _maybe_empty(value: Value | Absence) -> bool | None:
    """Whether *value* is empty, `None` where that is not known."""
    if isinstance(value, str):
        return value == ""
    if isinstance(value, Absence):
        return True
    return (
        False
        if is_numeric(value) or any(part is Hole.DIGITS or (isinstance(part, str) and part) for part in value.parts)
        else None
    )
