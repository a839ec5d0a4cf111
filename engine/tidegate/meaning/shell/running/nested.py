"""What commands run in turn: command lines, shell text, and programs in other languages."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import evolve

from ...effects import LOCAL, Effect, Place
from ...values import Value, unknown
from ..command import Nested, SimpleCommand
from ..seams import Seams
from .branches import Branches
from .call import Call
from .held import Array
from .state import State

_HANDING_ON = frozenset(("command", "env", "exec", "find", "ionice", "nice", "nohup", "stdbuf", "timeout", "xargs"))
_SHELLS = frozenset(("bash", "dash", "sh"))
_PLAIN_OPTIONS = frozenset(("-", "--", "-c", "-e", "-ec", "-eu", "-euc", "-u", "-x", "-xc", "-ex", "-exc"))
_STARTUP = frozenset(("BASH_ENV", "ENV"))


class Nesting(Branches):
    """Goes on with whatever the reader of commands says is run in turn."""

    __slots__ = ()

    def run_nested(self, nested: Iterable[Nested], command: SimpleCommand, state: State) -> None:
        """Run what *command* runs in turn."""
        for one in nested:
            self.deeper()
            self.spend()
            outer = self.place, self.scene, self.persistent
            if one.place != LOCAL:
                self.place = one.place
                self.scene = evolve(
                    self.scene, cwd=None, home=None, files=None, environment={}, complete_environment=False, homes={}
                )
            self.nested(one, command, state)
            self.place, self.scene, self.persistent = outer
            self.depth -= 1

    def nested(self, nested: Nested, command: SimpleCommand, state: State) -> None:
        """Run one thing that a command runs in turn."""
        if nested.form == "code":
            self.code(nested, command, state)
        elif nested.form == "argv":
            if nested.words:
                self.argv(nested, command, state)
        elif nested.here:
            self.text(nested.text, state, nested.span)
        else:
            inner = self.fresh(nested, command, state)
            if nested.words:
                inner.name, inner.arguments = nested.words[0].value, nested.words[1:]
            self.handed_down(nested, inner)
            self.shell(nested.text, nested.language, inner, nested.span)

    def handed_down(self, nested: Nested, state: State) -> None:
        """What follows from the variables that a shell is started with."""
        for name, value in nested.variables:
            if name.startswith("BASH_FUNC_") or name in ("SHELLOPTS", "BASHOPTS"):
                self.doubt(f"`{name}` hands functions or options to the shell", nested.span)
            elif name.isupper():
                self.consequences(name, value, state, nested.span)

    def argv(self, nested: Nested, command: SimpleCommand, state: State) -> None:
        """Run a command line without a shell."""
        inner = self.fresh(nested, command, state)
        variables = nested.variables if nested.clear else (*command.variables, *nested.variables)
        call = Call(nested.words, _last_ones(variables), nested.span if nested.span != (0, 0) else command.span)
        call.stdin = nested.stdin
        call.among = "programs"
        call.lookup = command.lookup
        call.wrappers = (*command.wrappers, *((nested.wrapper,) if nested.wrapper else ()))
        inner.variables, inner.exported = {}, ()
        self.call(call, inner)

    def code(self, nested: Nested, command: SimpleCommand, state: State) -> None:
        """Read a program in another language."""
        command, said = in_code(nested, command, self.place, self.source, self.seams)
        for found in said:
            if isinstance(found, Effect):
                self.effects.append(found)
            else:
                self.run_nested((found,), command, state)

    def fresh(self, nested: Nested, command: SimpleCommand, state: State) -> State:
        """The state in which a program that *command* starts finds itself."""
        cwds = nested.cwds if nested.cwds is not None else command.cwds
        if nested.place != LOCAL and nested.cwds is None:
            cwds = (unknown("the directory in another place is not known"),)
        inner = State(cwds)
        inner.lasting = False
        inner.stdin = nested.stdin
        inner.lookup = state.lookup
        inner.inherits = state.inherits and not nested.clear and nested.place == LOCAL
        inner.unsure = state.unsure or not hands_on(nested.wrapper, command)
        if not nested.clear:
            self.inherit(inner, state)
        given = [] if nested.clear else _own(command, state)
        for name, value in (*given, *nested.variables):
            inner.put(name, value)
            self.export(name, inner)
        return inner

    def inherit(self, inner: State, state: State) -> None:
        """Hand what is exported in *state* down to *inner*."""
        for name in state.exported:
            if name.endswith("()"):
                bodies = state.functions.get(name[:-2])
                if bodies is not None:
                    inner.functions = {**inner.functions, name[:-2]: bodies}
                continue
            held = state.variables.get(name)
            if held is not None and not isinstance(held, Array):
                inner.put(name, held)
            inner.exported = (*inner.exported, name)


def in_code(
    nested: Nested, command: SimpleCommand, place: Place, source: str, seams: Seams
) -> tuple[SimpleCommand, list[Effect | Nested]]:
    """The program text that *command* runs as a command of its own, and what it does or runs in turn at *place*."""
    cwds = nested.cwds if nested.cwds is not None else command.cwds
    command = command._replace(cwds=cwds, stdin=nested.stdin, place=place, span=nested.span)
    return command, [
        found._replace(source=source, place=place, span=found.span or nested.span)
        if isinstance(found, Effect)
        else found
        for found in seams.read_code(nested.language, nested.text, command)
    ]


def hands_on(wrapper: str, command: SimpleCommand) -> bool:
    """Whether what *wrapper* runs starts with the variables of *command* and no others.

    `sudo`, `git`, `split` and many more set some of their own, and a shell reads start files under some options.
    """
    if command.words[0].value not in (wrapper, f"/bin/{wrapper}", f"/usr/bin/{wrapper}"):
        return False
    if wrapper not in _SHELLS:
        return wrapper in _HANDING_ON
    options = [word.value for word in command.words[1:] if not isinstance(word.value, str) or word.value[:1] in "-+"]
    return all(option in _PLAIN_OPTIONS for option in options) and _STARTUP.isdisjoint(dict(command.variables))


def _last_ones(variables: tuple[tuple[str, Value], ...]) -> tuple[tuple[str, Value], ...]:
    return tuple(dict(variables).items())


def _own(command: SimpleCommand, state: State) -> list[tuple[str, Value]]:
    """The variables of *command* that it does not merely have because they are exported."""
    exported = set(state.exported)
    names = [name for name, _ in command.variables]
    return [
        (name, value)
        for place, (name, value) in enumerate(command.variables)
        if name not in exported or name in names[:place]
    ]
