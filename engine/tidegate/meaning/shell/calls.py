"""Simple commands: their words, their variables, and who runs them."""

from __future__ import annotations

from ..values import Value, concat, unknown
from .command import Reading, SimpleCommand, Word
from .held import Absence, Array, Either, Held, blurred, merge
from .machine import Call, Exhausted
from .redirections import Output, Redirections, Streams
from .state import State
from .stateful import BASH_ONLY, BUILTINS, SILENT, SPECIAL, is_silent
from .syntax import ArrayLiteral, Assignment, Literal, Node, RawWord, Simple

MOST_ACTIVE = 4
_RUNS_TEXT = frozenset(("eval", ".", "source", "command", "builtin", "exec"))
_READS = _RUNS_TEXT | {"read", "mapfile", "readarray"}


class Calls(Redirections):
    """Runs simple commands."""

    __slots__ = ()

    def simple(self, node: Simple, state: State) -> State | None:
        """Run a simple command."""
        self.commands -= 1
        if self.commands < 0:
            raise Exhausted(f"the text has more than {self.limits.commands} commands")
        self.spend()
        call = self.expanded(node, state)
        streams = self.redirect(node.redirects, state) if node.redirects else _UNTOUCHED
        if not call.words:
            self.assignments_only(node, state, streams)
            return None
        call.stdin = streams.stdin if streams.moved else state.stdin
        call.stdout = streams.output is Output.HERE and not state.elsewhere
        outer = self.sink
        if not call.stdout:
            self.sink = None
        try:
            failed = self.with_assignments(node, call, state) if node.assignments else self.call(call, state)
        finally:
            self.sink = outer
        if not call.stdout and (streams.output is Output.UNSURE or state.elsewhere):
            self.print(unknown("standard output was moved"))
        if call.words[0].value == "exec" and len(call.words) == 1:
            self.redirected_for_good(streams, state)
        if not streams.moved and call.stdin is not None and call.words[0].value not in _SPARING:
            state.stdin = call.rest
        return failed

    def redirected_for_good(self, streams: Streams, state: State) -> None:
        """What `exec` without a command leaves behind."""
        if streams.moved:
            state.stdin = streams.stdin
        if streams.output is not Output.HERE:
            state.elsewhere = True
        self.merged = self.merged or streams.merged

    def expanded(self, node: Simple, state: State) -> Call:
        """The words of a command after expansion."""
        words: list[Word] = []
        call = Call((), (), (node.start, node.end))
        for raw in node.words:
            if isinstance(raw, RawWord):
                if raw.text is not None:
                    words.append(Word(raw.text, (raw.start, raw.end)))
                    continue
                self.take_fed()
                found = self.words(raw, state)
                fed = self.take_fed()
                if fed is not None and len(raw.parts) == 1:
                    call.code[len(words)] = fed
                words.extend(found)
            else:
                declared = any(
                    isinstance(word.value, str) and word.value[:1] == "-" and "A" in word.value for word in words
                )
                if self.has_braces(raw, state):
                    words.extend(self.words(_whole(raw), state))
                    continue
                held = self.assigned(raw, state, associative=declared)
                call.arguments[len(words)] = (raw, held)
                words.append(Word(_as_text(raw, held), (raw.start, raw.end)))
        call.words = tuple(words)
        return call

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
            given[name] = state.variables[name] if name in state.variables else held
            variables.append((name, unknown(f"`{name}` is an array") if isinstance(held, Array | Absence) else held))
        call.variables = tuple(variables)
        call.lookup = state.lookup
        command = call.words[0].value
        if command not in BUILTINS and command not in state.functions:
            for key in before:
                _put_back(state, key, before[key])
            state.lookup, state.exported = lookup, exported
            call.lookup = call.lookup and lookup
            return self.call(call, state)
        failed = self.call(call, state)
        for key, old in before.items():
            self.ended(key, old, given[key], state, stays=self.sh and command in SPECIAL)
        state.lookup = lookup and state.lookup if "PATH" not in before else lookup
        return failed

    def ended(self, name: str, old: Held | Either | None, given: Held | Either, state: State, *, stays: bool) -> None:
        """Undo an assignment that was made for one command, unless that command changed it or may keep it."""
        now = state.variables.get(name)
        if now is given and not stays:
            _put_back(state, name, old)
        elif now is not None:
            reason = f"`{name}` may have been assigned for one command only"
            state.put(name, merge(Absence.INHERITED if old is None else old, now, reason))

    def call(self, call: Call, state: State) -> State | None:
        """Run a command whose words are known as far as they can be."""
        head = call.words[0]
        name = head.value
        if not isinstance(name, str) or head.many:
            return self.dynamic(call, state)
        bodies = state.functions.get(name) if state.functions and call.among == "functions" else None
        if bodies is not None:
            return self.shadowed(call, bodies, state)
        return self.program(call, state)

    def program(self, call: Call, state: State) -> State | None:
        """Run a builtin or a program."""
        name = call.words[0].value
        assert isinstance(name, str)  # noqa: S101 the caller looked
        if state.hashed and name in state.hashed:
            return self.hashed(call, name, state)
        command, reading = self.interpreted(call, state, lookup=call.lookup and state.lookup)
        self.status = None
        if name in BASH_ONLY:
            self.bashism = True
        builtin = BUILTINS.get(name) if not (self.posix and name in BASH_ONLY) else None
        if builtin is None:
            self.say(call, name, reading)
            self.run_nested(reading.nested, command, state)
            return None
        if call.among == "programs":
            state = self.subshell(state)
        if name not in _RUNS_TEXT:
            self.status = SILENT.get(name)
            if not is_silent(call):
                self.say(call, name, reading)
        return builtin(self, call, state)

    def hashed(self, call: Call, name: str, state: State) -> State | None:
        """Run the program to which `hash -p` led a name."""
        path = state.hashed[name]
        inner = call.without(0)
        value = unknown(f"what `{name}` stands for depends on which commands ran") if path is None else path
        inner.words = (call.words[0]._replace(value=value), *call.words[1:])
        inner.among = "programs"
        inner.lookup = False
        return self.call(inner, state)

    def say(self, call: Call, name: str, reading: Reading) -> None:
        """Note what a command prints, and whether it can be taken to succeed."""
        printed = reading.stdout
        if name == "echo" and any("\\" in word.value for word in call.words[1:] if isinstance(word.value, str)):
            self.bashism = True
            printed = None if self.sh else printed
        if printed is not None and call.stdout and name in ("echo", "printf"):
            self.status = True
        self.print(unknown(f"what `{name}` prints is not known") if printed is None else printed)

    def interpreted(self, call: Call, state: State, *, lookup: bool) -> tuple[SimpleCommand, Reading]:
        """Ask what a command does, and take over its effects."""
        variables = call.variables
        if state.exported:
            variables = (*self.exports(state), *variables)
        command = SimpleCommand(
            call.words, variables, state.cwds, call.span, call.stdin, lookup, self.place, call.wrappers
        )
        reading = self.seams.interpret(command)
        if self.source:
            source = self.source
            self.effects.extend([effect._replace(source=source) for effect in reading.effects])
        else:
            self.effects.extend(reading.effects)
        return command, reading

    def exports(self, state: State) -> list[tuple[str, Value]]:
        """The variables that children inherit, as far as the text made them so."""
        found: list[tuple[str, Value]] = []
        for name in state.exported:
            held = state.variables.get(name, Absence.INHERITED)
            if isinstance(held, Either):
                held = blurred(held.options, f"the value of `{name}` depends on which commands ran")
            if held is Absence.INHERITED:
                held = self.inherited(name, state)
            if held is Absence.INHERITED:
                found.append((name, self.unset(name)))
            elif not isinstance(held, Array | Absence) and not name.endswith("()"):
                found.append((name, held))
        return found

    def dynamic(self, call: Call, state: State) -> State | None:
        """Run a command whose name is not known; where the name may be nothing, what follows may be the name."""
        head = call.words[0]
        reason = head.value.reason if not isinstance(head.value, str) else "it may be several words"
        self.doubt(f"the name of a command is not known: {reason}", head.span)
        command, reading = self.interpreted(call, state, lookup=False)
        self.run_nested(reading.nested, command, state)
        self.print(unknown("what a command prints whose name is not known"))
        self.status = None
        if head.many and len(call.words) > 1 and not head.glob:
            other = state.fork()
            outer, self.sink = self.sink, None
            self.call(call.without(1), other)
            self.sink = outer
            state.join(other)
        if isinstance(head.value, str) or "/" not in head.value.prefix:
            state.doubt("a command whose name is not known may have changed it")
        return None

    def shadowed(self, call: Call, bodies: tuple[Node | None, ...], state: State) -> State | None:
        """Run a command whose name is that of a function, for certain or perhaps."""
        self.interpreted(call, state, lookup=False)
        ends: list[State] = []
        outer = self.sink
        if len(bodies) > 1 and outer is not None:
            self.print(unknown("what is printed depends on which function is meant"))
            self.sink = None
        for body in bodies:
            inner = state.fork()
            if body is None:
                failed = self.program(call, inner)
                ends.extend([inner] if failed is None else [inner, failed])
            else:
                self.run_function(body, call, inner)
                ends.append(inner)
        self.sink = outer
        state.take(ends[0])
        for end in ends[1:]:
            state.join(end)
        return None

    def run_function(self, body: Node, call: Call, state: State) -> None:
        """Run the body of a function with the words of *call*."""
        active = [entry for entry in self.active if entry[0] is body]
        words = call.words[1:]
        if any(entry[1] == words and entry[2].same(state) for entry in active):
            state.doubt("a function calls itself")
            return
        if len(active) >= MOST_ACTIVE:
            self.doubt(f"the function `{call.words[0].value}` calls itself with ever new values", call.span)
            state.doubt("a function calls itself")
            return
        outer = (state.arguments, state.frame, self.returns, self.loops, state.stdin)
        self.active.append((body, words, state.fork()))
        self.ran[id(body)] = body
        self.returns, self.loops = [], []
        state.arguments, state.frame, state.stdin = words, {}, call.stdin
        self.deeper()
        failed = self.node(body, state)
        self.depth -= 1
        for end in [*self.returns, *([failed] if failed is not None else ())]:
            state.join(end)
        for name, held in (state.frame or {}).items():
            _put_back(state, name, held)
        state.arguments, state.frame, self.returns, self.loops, state.stdin = outer
        self.active.pop()


def _put_back(state: State, name: str, held: Held | Either | None) -> None:
    if held is None or held is Absence.INHERITED:
        state.drop(name)
    else:
        state.put(name, held)


def _whole(assignment: Assignment) -> RawWord:
    """An assignment as the word that it is."""
    assert isinstance(assignment.value, RawWord)  # noqa: S101 the caller looked
    name = Literal(f"{assignment.name}{'+' if assignment.append else ''}=")
    return RawWord(None, (name, *assignment.value.parts), assignment.start, assignment.end)


def _as_text(assignment: Assignment, held: Held) -> Value:
    value: Value = unknown("an array is assigned") if isinstance(held, Array | Absence) else held
    return concat([f"{assignment.name}{'+' if assignment.append else ''}=", value])


_UNTOUCHED = Streams()
_SPARING = frozenset(name for name in BUILTINS if name not in _READS) | {"echo", "printf", "pwd", "test", "["}
