"""Simple commands: their words, their redirections, and the assignments before them."""

from __future__ import annotations

from ...values import Value, concat, unknown
from ..builtins.table import BUILTINS, SPECIAL
from ..command import Word
from ..parsing.syntax import Assignment, Literal, RawWord, Simple
from .call import Call
from .functions import Functions
from .held import Absence, Array, Either, Held, merge
from .machine import Exhausted
from .redirections import Output, Streams
from .sparing import spares
from .state import State, put_back

_UNTOUCHED = Streams()

_KEEPING = frozenset(("builtin", "command", "declare", "export", "local", "readonly", "typeset"))
"""Builtins behind which `x=1 export x` may leave the variable as it was assigned, and exported."""


class Calls(Functions):
    """Runs simple commands."""

    __slots__ = ()

    def simple(self, node: Simple, state: State) -> State | None:
        """Run a simple command."""
        self.commands -= 1
        if self.commands < 0:
            raise Exhausted(f"the text has more than {self.limits.commands} commands")
        self.spend()
        call = Call((), (), (node.start, node.end))
        if node.constant:
            call.words = node.words  # type: ignore[assignment] # that is what constant says
        else:
            self.expand(call, node, state)
        streams = self.redirect(node.redirects, state) if node.redirects else _UNTOUCHED
        if not call.words:
            self.assignments_only(node, state, streams)
            return None
        call.stdin = streams.stdin if streams.moved else state.stdin
        call.stdout = streams.output is Output.HERE and not state.elsewhere
        failed = self.directed(node, call, state)
        if not call.stdout and (streams.output is Output.UNSURE or state.elsewhere):
            self.print(unknown("standard output was moved"))
        if len(call.words) == 1 and call.words[0].value == "exec":
            self.redirected_for_good(streams, state)
        if call.stdin and not streams.moved and not spares(call):
            state.stdin = call.rest
        return failed

    def directed(self, node: Simple, call: Call, state: State) -> State | None:
        """Run *call*, whose output somebody may want to know."""
        if call.stdout:
            return self.with_assignments(node, call, state) if node.assignments else self.call(call, state)
        outer, self.sink = self.sink, None
        try:
            return self.with_assignments(node, call, state) if node.assignments else self.call(call, state)
        finally:
            self.sink = outer

    def redirected_for_good(self, streams: Streams, state: State) -> None:
        """What `exec` without a command leaves behind."""
        if streams.moved:
            state.stdin = streams.stdin
        if streams.output is not Output.HERE:
            state.elsewhere = True
        self.merged = self.merged or streams.merged

    def expand(self, call: Call, node: Simple, state: State) -> None:
        """Give *call* the words of *node* after expansion."""
        words: list[Word] = []
        for raw in node.words:
            if isinstance(raw, Word):
                words.append(raw)
            elif isinstance(raw, RawWord):
                self.take_fed()
                found = self.words(raw, state)
                fed = self.take_fed()
                if fed is not None and len(raw.parts) == 1:
                    call.code[len(words)] = fed
                words.extend(found)
            else:
                self.declare(raw, call, words, state)
        call.words = tuple(words)

    def declare(self, assignment: Assignment, call: Call, words: list[Word], state: State) -> None:
        """Add an assignment behind a builtin to *words*, and to the arguments of *call*."""
        if self.has_braces(assignment, state):
            words.extend(self.words(_whole(assignment), state))
            return
        options = [word.value for word in words if isinstance(word.value, str) and word.value[:1] == "-"]
        held = self.assigned(assignment, state, letters="".join(options))
        call.arguments[len(words)] = (assignment, held)
        words.append(Word(_as_text(assignment, held), (assignment.start, assignment.end)))

    def assignments_only(self, node: Simple, state: State, streams: Streams) -> None:
        """Run a command that has assignments and redirections but no words."""
        self.status = None if state.attributes or node.redirects else True
        for assignment in node.assignments:
            held = self.assigned(assignment, state)
            self.assign(assignment.name, held, state, (assignment.start, assignment.end))
            if assignment.name in state.exported:
                self.lasting(state, f"the exported variable `{assignment.name}`", (assignment.start, assignment.end))
        if streams.moved and not node.words:
            self.print(unknown("a file is read"))
        if node.words or any(isinstance(one.value, RawWord) and one.value.text is None for one in node.assignments):
            self.status = None

    def with_assignments(self, node: Simple, call: Call, state: State) -> State | None:
        """Run a command with the assignments before it, which are gone afterwards in most cases."""
        before: dict[str, Held | Either | None] = {}
        given: dict[str, Held | Either] = {}
        variables: list[tuple[str, Value]] = []
        lookup, exported = state.lookup, state.exported
        for assignment in node.assignments:
            name = assignment.name
            held = self.assigned(assignment, state)
            before.setdefault(name, state.variables.get(name))
            self.assign(name, held, state, (assignment.start, assignment.end))
            given[name] = state.variables.get(name, held)
            variables.append((name, unknown(f"`{name}` is an array") if isinstance(held, Array | Absence) else held))
        call.variables = tuple(variables)
        call.lookup = state.lookup
        command = call.words[0].value
        if command not in BUILTINS and command not in state.functions:
            for key, old in before.items():
                put_back(state, key, old)
            state.lookup, state.exported = lookup, exported
            call.lookup = call.lookup and lookup
            return self.call(call, state)
        failed = self.call(call, state)
        for key, old in before.items():
            self.ended(key, old, given[key], state, stays=command in _KEEPING or (self.sh and command in SPECIAL))
        state.lookup = lookup and state.lookup if "PATH" not in before else lookup
        return failed

    def ended(self, name: str, old: Held | Either | None, given: Held | Either, state: State, *, stays: bool) -> None:
        """Undo an assignment that was made for one command, unless that command changed it or may keep it."""
        now = state.variables.get(name)
        if now is given and not stays:
            put_back(state, name, old)
        elif now is not None:
            reason = f"`{name}` may have been assigned for one command only"
            kept = merge(Absence.INHERITED if old is None else old, now, reason)
            if stays:  # children may see it, or not
                self.export(name, state)
                kept = merge(kept, Absence.UNSET, reason)
            state.put(name, kept)


def _whole(assignment: Assignment) -> RawWord:
    """An assignment as the word that it is."""
    assert isinstance(assignment.value, RawWord)  # noqa: S101 the caller looked
    name = Literal(f"{assignment.name}{'+' if assignment.append else ''}=")
    return RawWord(None, (name, *assignment.value.parts), assignment.start, assignment.end)


def _as_text(assignment: Assignment, held: Held) -> Value:
    value: Value = unknown("an array is assigned") if isinstance(held, Array | Absence) else held
    return concat([f"{assignment.name}{'+' if assignment.append else ''}=", value])
