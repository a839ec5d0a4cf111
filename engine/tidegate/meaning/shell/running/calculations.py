"""Text that the shell evaluates once more: arithmetic, subscripts, prompts."""

from __future__ import annotations

import re

from ...values import Hole, Partial, Value, unknown
from ..parsing.parser import Parser
from ..parsing.scanner import Unreadable
from ..parsing.syntax import RawWord
from .arithmetic import SOME_NUMBER, Evaluator, TooDeep
from .held import Absence, Array, Either, Held, is_numeric, merge, number
from .machine import Span
from .numbers import Invalid, Number
from .state import State
from .variables import Variables

_EXPANDED = re.compile(r"[$`\\]")
_OCTAL = re.compile(r"\\[0-7]")
_UNKNOWN_NUMBER = "the number is not known"


class Calculations(Variables):
    """Evaluates arithmetic, and expands text as if it stood in double quotes."""

    __slots__ = ()

    def evaluate(self, text: Value, state: State, span: Span) -> Value:
        """Evaluate *text* as arithmetic, and whatever code that runs."""
        self.spend()
        if isinstance(text, str) and text.isascii() and text.isdigit() and not text.startswith("0"):
            return text
        if not isinstance(text, str):
            if is_numeric(text):
                return text
            self.doubt(f"arithmetic evaluates a text that is not known: {text.reason}", span)
            state.doubt("arithmetic over a text that is not known may have assigned anything")
            return number(_UNKNOWN_NUMBER)
        self.spend(len(text) >> 4)
        try:
            result = Evaluator(text, _Cells(self, state, span)).value()
        except TooDeep:
            self.doubt("arithmetic is nested too deeply", span)
            return number(_UNKNOWN_NUMBER)
        except Invalid:
            return number("the arithmetic is not valid")
        return number(_UNKNOWN_NUMBER) if result is None else str(result)

    def arithmetic_text(self, raw: RawWord, state: State) -> Value:
        """The text of an arithmetic expression, in which numbers that are not known are marked."""
        pieces: list[str] = []
        for part in raw.parts:
            value = self.part_value(part, state)
            if isinstance(value, str):
                pieces.append(value)
            elif is_numeric(value):
                pieces.append(SOME_NUMBER)
            else:
                return self.with_rest(raw, state, value)
        return self.short("".join(pieces))

    def with_rest(self, raw: RawWord, state: State, value: Partial) -> Value:
        """Run what is left of an expression that cannot be evaluated."""
        self.joined_parts(raw.parts, state.fork())
        return unknown(value.reason)

    def expand_text(self, text: Value, state: State, span: Span) -> Value:
        """Expand *text* as if it stood in double quotes."""
        if not isinstance(text, str):
            if not is_numeric(text):
                self.doubt(f"a text that is not known is expanded as code: {text.reason}", span)
            return text
        if not _EXPANDED.search(text):
            return text
        self.spend(1 + (len(text) >> 4))
        parser = Parser(text, self.grammar, self.depth)
        parser.scale = 0
        parser.base, parser.limit = span
        try:
            raw = parser.body()
        except Unreadable as why:
            self.doubt(why.reason, span)
            return unknown(why.reason)
        return self.scalar(raw, state)

    def prompt(self, text: Value, state: State, span: Span) -> Value:
        """Expand *text* as a prompt, whose backslashes are decoded before."""
        if isinstance(text, str) and _OCTAL.search(text):
            self.doubt("a prompt has characters in octal, which may spell code", span)
        value = self.expand_text(text, state, span)
        return unknown("what a prompt becomes is not looked at") if "\\" in str(value) else value


class _Cells:
    """The variables of a state as arithmetic sees them."""

    __slots__ = ("_machine", "_span", "_state")

    def __init__(self, machine: Calculations, state: State, span: Span) -> None:
        self._machine = machine
        self._state = state
        self._span = span

    def read(self, name: str, subscript: str | None, depth: int) -> Number:
        """The number that a variable stands for, evaluating its text as an expression."""
        machine, state = self._machine, self._state
        machine.spend()
        if subscript is not None:
            machine.evaluate_subscript(subscript, state, self._span)
            return self._element(name, subscript, depth)
        several = state.variables.get(name)
        if isinstance(several, Either):
            return self._any_number(several, depth)
        value = machine.value(name, state)
        if isinstance(value, Absence):
            if value is Absence.INHERITED and machine.persistent:
                machine.doubt(f"arithmetic evaluates `{name}`, which an earlier command may have set", self._span)
            return 0 if value is Absence.UNSET else None
        return self._number(value, depth)

    def _any_number(self, several: Either, depth: int) -> Number:
        """The number that one of a few things stands for, all of which are evaluated."""
        numbers: set[Number] = set()
        for option in several.options:
            try:
                numbers.add(self._option(option, depth))
            except TooDeep:
                raise
            except Invalid:
                numbers.add(None)
        return numbers.pop() if len(numbers) == 1 else None

    def _option(self, option: Held, depth: int) -> Number:
        if isinstance(option, Absence):
            return None
        if isinstance(option, Array):
            return self._number(unknown("the elements are not looked at"), depth)
        return self._number(option, depth)

    def _element(self, name: str, subscript: str, depth: int) -> Number:
        held = self._machine.held(name, self._state)
        if isinstance(held, Array) and held.items is not None:
            known = dict(held.items).get(subscript.strip())
            if known is not None:
                return self._number(known, depth)
            for _, value in held.items:
                self._number(value, depth)
            return None
        if isinstance(held, Array | Partial):
            self._machine.doubt(f"arithmetic evaluates an element of `{name}` that is not known", self._span)
        elif isinstance(held, str):
            self._number(held, depth)
        return None

    def _number(self, value: Value, depth: int) -> Number:
        if not isinstance(value, str):
            if not is_numeric(value):
                self._machine.doubt(f"arithmetic evaluates a text that is not known: {value.reason}", self._span)
            return None
        return Evaluator(value, self, depth + 1).value()

    def write(self, name: str, subscript: str | None, result: Number, *, sure: bool) -> None:
        """Assign to a variable, or perhaps not where that is not *sure*."""
        machine, state = self._machine, self._state
        value: Held = number(_UNKNOWN_NUMBER) if result is None else str(result)
        if subscript is not None:
            machine.evaluate_subscript(subscript, state, self._span)
            value = Array(None)
        before = state.variables.get(name, Absence.INHERITED)
        machine.assign(name, value, state, self._span)
        if not sure:
            state.put(name, merge(before, value, f"`{name}` may not have been assigned"))


__all__ = ["Calculations", "Hole"]
