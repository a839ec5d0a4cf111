"""Assignments: what they make their variables hold."""

from __future__ import annotations

from ...values import Value, concat, unknown
from ..parsing.syntax import ArrayLiteral, Assignment, Element, RawWord
from .held import Absence, Array, Held, number
from .machine import Span
from .redirections import Redirections
from .state import State

_UNKNOWN_SUM = "the number is not known"


class Assigning(Redirections):
    """Evaluates the right side of assignments."""

    __slots__ = ()

    def has_braces(self, assignment: Assignment, state: State) -> bool:
        """Whether braces make several words of an assignment behind a builtin, which are then words like others."""
        value = assignment.value
        if not isinstance(value, RawWord) or value.text is not None or assignment.subscript is not None:
            return False
        return len(self.without_braces(value, state)) > 1

    def assigned(self, assignment: Assignment, state: State, *, letters: str = "") -> Held:
        """What an assignment makes its variable hold, to which a declaration gives the attributes *letters* as well."""
        value = assignment.value
        letters += state.attributes.get(assignment.name, "")
        if isinstance(value, ArrayLiteral):
            return self.array(assignment, value, state, letters)
        text = self.scalar(value, state)
        if assignment.subscript is None and not assignment.append:
            return text
        if assignment.subscript is not None:
            key = self.scalar(assignment.subscript, state)
            return self.changed_element(assignment, key, text, state)
        before = self.value(assignment.name, state)
        if "i" in letters:
            return self.sum(
                "0" if isinstance(before, Absence) else before, text, state, (assignment.start, assignment.end)
            )
        if before is Absence.INHERITED:
            before = self.unset(assignment.name)
        return self.short(concat(["" if isinstance(before, Absence) else before, text]))

    def sum(self, before: Value, added: Value, state: State, span: Span) -> Value:
        """What an integer is after something is appended to it; both are evaluated, each on its own."""
        numbers = [self.evaluate(value, state, span) for value in (before, added)]
        return "+".join(map(str, numbers)) if all(isinstance(one, str) for one in numbers) else number(_UNKNOWN_SUM)

    def array(self, assignment: Assignment, literal: ArrayLiteral, state: State, letters: str) -> Held:
        """What an array literal stands for, after whatever it is appended to; *letters* are its attributes."""
        kept = self.kept(assignment, state) if assignment.append else []
        known = None if kept is None else dict(kept)
        associative = "A" in letters
        place = len(known or ())
        for element in literal.elements:
            if element.subscript is not None:
                key, value = self.subscripted(element, state, letters, again=assignment.append)
                if known is None or not isinstance(key, str) or not (associative or key.isdecimal()):
                    known = None
                    continue
                known[key] = value
                place = place if associative else int(key) + 1
                continue
            words = self.words(element.value, state)
            words = [word._replace(value=self.as_element(word.value, state, word.span, letters)) for word in words]
            if associative or any(word.many for word in words):
                known = None
            if known is not None:
                known.update((str(place + at), word.value) for at, word in enumerate(words))
                place += len(words)
        if known is None:
            return Array(None, associative)
        return Array(tuple(known.items() if associative else _in_order(known)), associative)

    def subscripted(self, element: Element, state: State, letters: str, *, again: bool) -> tuple[Value | None, Value]:
        """The subscript and the value of `[k]=v` in an array literal; the subscript is `None` where it is not known.

        Bash expands it once more where the array is appended to: then *again* is true.
        """
        assert element.subscript is not None  # noqa: S101 the caller looked
        span = (element.subscript.start, element.subscript.end)
        key = self.scalar(element.subscript, state)
        if "A" not in letters:
            key = self.evaluate(self.expand_text(key, state, span) if again else key, state, span)
        value = self.as_element(self.scalar(element.value, state), state, span, letters)
        return (None if element.append else key), value

    def as_element(self, value: Value, state: State, span: Span, letters: str) -> Value:
        """An element of an array with the attributes *letters*."""
        return self.evaluate(value, state, span) if "i" in letters else value

    def kept(self, assignment: Assignment, state: State) -> list[tuple[str, Value]] | None:
        """The elements that an array had before it is appended to, `None` where they are not known or have gaps."""
        before = state.variables.get(assignment.name)
        if before is Absence.UNSET:
            return []
        items = before.items if isinstance(before, Array) else (("0", before),) if isinstance(before, str) else None
        if items is None or any(key != str(at) for at, (key, _) in enumerate(items)):
            return None
        return list(items)

    def changed_element(self, assignment: Assignment, key: Value, text: Value, state: State) -> Held:
        """The array that an assignment to one element leaves."""
        letters = state.attributes.get(assignment.name, "")
        span = (assignment.start, assignment.end)
        if "A" not in letters:
            key = self.evaluate(key, state, span)
            if isinstance(key, str) and "$" in key:
                key = unknown("the subscript is not known")
        text = self.as_element(text, state, span, letters)
        before = state.variables.get(assignment.name)
        known = before.items if isinstance(before, Array) else () if before is Absence.UNSET else None
        if isinstance(before, str):
            known = (("0", before),)
        if known is None or not isinstance(key, str) or assignment.append:
            return Array(None, associative="A" in letters)
        items = {**dict(known), key: text}
        if "A" in letters:
            return Array(tuple(items.items()), associative=True)
        if not all(name.isdigit() for name in items):
            return Array(None)
        return Array(tuple(_in_order(items)))


def _in_order(items: dict[str, Value]) -> list[tuple[str, Value]]:
    return sorted(items.items(), key=lambda item: int(item[0]))
