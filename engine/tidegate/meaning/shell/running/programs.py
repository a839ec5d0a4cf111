"""Programs and builtins: asked what they do, and followed into what they run."""

from __future__ import annotations

from ...effects import stamped
from ...listings import merged
from ...values import Hole, Value, unknown
from ..builtins.table import BASH_ONLY, BUILTINS, SILENT, is_silent
from ..command import Nested, Reading, SimpleCommand, Word
from .assigning import Assigning
from .call import Call
from .held import Absence, Array, Either, blurred
from .names import SHELLS
from .state import State

RUNS_TEXT = frozenset(("eval", ".", "source", "command", "builtin", "exec", "jobs"))
"""Builtins that run text or a command of their own, and print what that prints."""


TELLING = frozenset(("echo", "printf"))
"""Programs that succeed where it is known what they print."""
_PASSING = frozenset(("env", "ionice", "nice", "stdbuf", "sudo", "timeout", "xargs"))


_FINDING = frozenset((
    "-print", "-print0", "-printf", "-ls", "-fprint", "-fprint0", "-fprintf", "-fls", "-delete", "-D",
))  # fmt: skip
"""What makes `find` print something itself, although it runs something; where it deletes it prints nothing."""


class Programs(Assigning):
    """Runs a command whose name means a builtin or a program."""

    __slots__ = ()

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
            call.read_as = reading.invocation
            if reading.nested and self.sink is not None and passes_on(reading):
                self.print(self.passed(command, reading, state) or unknown(f"what `{name}` prints is not known"))
                return None
            self.say(call, name, reading)
            if reading.nested or call.code:
                self.in_turn(call, reading, command, state)
            return None
        if call.among == "programs":
            state = self.subshell(state)
        if name not in RUNS_TEXT:
            self.status = SILENT.get(name)
            if not is_silent(call):
                self.say(call, name, reading)
        return builtin(self, call, state)

    def in_turn(self, call: Call, reading: Reading, command: SimpleCommand, state: State) -> None:
        """Run what a program runs in turn; how often it does so, and so what that prints, is not known."""
        outer, self.sink = self.sink, None
        self.run_nested(reading.nested, command, state)
        if call.code and str(call.words[0].value).rpartition("/")[2] in SHELLS:
            self.run_fed(call, command, state)
        self.sink = outer

    def passed(self, command: SimpleCommand, reading: Reading, state: State) -> Value | None:
        """Run what a program runs in turn, and return what that prints where it is a list of names."""
        outer, self.sink = self.sink, []
        self.run_nested(reading.nested, command, state)
        printed, self.sink = self.sink, outer
        return merged(printed or [])

    def run_fed(self, call: Call, command: SimpleCommand, state: State) -> None:
        """Run what a shell is given to read by a process substitution."""
        for place, text in call.code.items():
            language = str(call.words[0].value).rpartition("/")[2]
            nested = Nested("shell", call.words[place:], text, language, span=call.words[place].span)
            self.run_nested((nested,), command, state)

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
        if printed is not None and call.stdout and name in TELLING:
            self.status = True
        if self.sink is not None:
            self.print(unknown(f"what `{name}` prints is not known") if printed is None else printed)

    def interpreted(self, call: Call, state: State, *, lookup: bool) -> tuple[SimpleCommand, Reading]:
        """Ask what a command does, and take over its effects."""
        command = self.asked(call, state, lookup=lookup)
        reading = self.seams.interpret(command)
        self.take_over(reading)
        return command, reading

    def asked(self, call: Call, state: State, *, lookup: bool) -> SimpleCommand:
        """The command as it is asked about, with everything that it inherits."""
        variables = call.variables
        if state.exported:
            variables = (*self.exports(state), *variables)
        heard = self.sink is not None or call.words[0].value in TELLING
        return SimpleCommand(
            call.words,
            variables,
            state.cwds,
            call.span,
            call.stdin,
            lookup,
            self.place,
            call.wrappers,
            heard,
            self.source,
        )

    def take_over(self, reading: Reading) -> None:
        """Make the effects of a command one's own."""
        self.effects += stamped(reading.effects, self.source)

    def exports(self, state: State) -> list[tuple[str, Value]]:
        """The variables that children inherit, as far as the text made them so."""
        found: list[tuple[str, Value]] = []
        for name in state.exported:
            if name.endswith("()"):
                continue
            held = state.variables.get(name, Absence.INHERITED)
            if isinstance(held, Either):
                held = blurred(held.options, f"the value of `{name}` depends on which commands ran")
            if held is Absence.INHERITED:
                held = self.inherited(name, state)
            if held is Absence.INHERITED:
                found.append((name, self.unset(name)))
            elif not isinstance(held, Array | Absence):
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
        if len(call.words) > 1 and _may_vanish(head):
            other = state.fork()
            outer, self.sink = self.sink, None
            self.call(call.without(1), other)
            self.sink = outer
            state.join(other)
        if isinstance(head.value, str) or "/" not in head.value.prefix:
            state.doubt("a command whose name is not known may have changed it")
        return None


def passes_on(reading: Reading) -> bool:
    """Whether a program prints what it runs in turn prints, and nothing else, however often it runs that."""
    by = reading.invocation
    if by.program == "find":
        return _FINDING.isdisjoint(option.name for option in by.options)
    return by.program in _PASSING and all(option.name != "--max-procs" for option in by.options)


def _may_vanish(word: Word) -> bool:
    """Whether a word may turn out to be no word at all."""
    if not word.many or word.glob or isinstance(word.value, str):
        return False
    return all(isinstance(part, Hole) and part is not Hole.DIGITS for part in word.value.parts)
