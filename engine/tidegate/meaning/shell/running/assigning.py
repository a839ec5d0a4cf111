"""Assignments: what they make their variables hold."""

from __future__ import annotations

from ...values import Value, concat, unknown
from ..parsing.syntax import ArrayLiteral, Assignment, RawWord
from .held import Absence, Array, Held
from .redirections import Redirections
from .state import State


class Assigning(Redirections):
    """Evaluates the right side of assignments."""

    __slots__ = ()

    def has_braces(self, assignment: Assignment, state: State) -> bool:
        """Whether braces make several words of an assignment behind a builtin, which are then words like others."""
        value = assignment.value
        if not isinstance(value, RawWord) or value.text is not None or assignment.subscript is not None:
            return False
        return len(self.without_braces(value, state)) > 1

    def assigned(self, assignment: Assignment, state: State, *, associative: bool = False) -> Held:
        """What an assignment makes its variable hold."""
        value = assignment.value
        if isinstance(value, ArrayLiteral):
            associative = associative or "A" in state.attributes.get(assignment.name, "")
            return self.array(assignment, value, state, associative=associative)
        text = self.scalar(value, state)
        if assignment.subscript is None and not assignment.append:
            return text
        if assignment.subscript is not None:
            key = self.scalar(assignment.subscript, state)
            return self.changed_element(assignment, key, text, state)
        before = self.value(assignment.name, state)
        if "i" in state.attributes.get(assignment.name, ""):
            return concat(["0" if isinstance(before, Absence) else before, "+", text])
        if before is Absence.INHERITED:
            before = self.unset(assignment.name)
        return self.short(concat(["" if isinstance(before, Absence) else before, text]))

    def array(self, assignment: Assignment, literal: ArrayLiteral, state: State, *, associative: bool) -> Held:
        """What an array literal stands for, after whatever it is appended to."""
        items = self.kept(assignment, state) if assignment.append else []
        for element in literal.elements:
            if element.subscript is not None:
                key = self.scalar(element.subscript, state)
                if not associative:
                    self.evaluate(key, state, (element.subscript.start, element.subscript.end))
                self.scalar(element.value, state)
                items = None
                continue
            words = self.words(element.value, state)
            if associative or any(word.many for word in words):
                items = None
            if items is not None:
                items.extend((str(len(items) + at), word.value) for at, word in enumerate(words))
        return Array(None if items is None else tuple(items), associative)

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
        return Array(tuple(sorted(items.items(), key=lambda item: int(item[0]))))
