"""The short way for plain text: commands joined by pipes and lists, their words constant or nearly so.

What it says is what the long way says of the same text, which is a law (`tests/meaning/shell/test_shell_plain.py`);
it only says it sooner, and gives up where there is more to a text than it looks at.
"""

from __future__ import annotations

from ..effects import LOCAL, Effect, EffectKind, stamped
from ..listings import merged
from ..scene import Scene
from ..values import Value, unknown
from .builtins.directories import beneath
from .builtins.table import BUILTINS
from .command import Fed, Feed, Limits, Nested, Reading, SimpleCommand, Word
from .parsing.parser import Parser
from .parsing.scanner import Grammar
from .plain_text import REDIRECT, PlainCommand, Text, plain_commands
from .plain_words import simple_word
from .running.machine import Exhausted
from .running.nested import hands_on, in_code
from .running.programs import TELLING, passes_on
from .running.state import State
from .running.texts import Walker
from .seams import Seams

_CAREFUL = frozenset(("printf", "cd", "echo"))
_STEPS = 8
"""As many steps as one thing that runs in turn takes on the long way, at most."""

# The constructor of a named tuple costs four times as much as the tuple itself.
_new = tuple.__new__


class PlainReader:
    """Reads one text the short way. The machine of the long way is made only where something needs it."""

    __slots__ = (
        "_depth", "_left", "_limits", "_machine", "_persistent", "_scene", "_seams", "_sh", "_source", "_state",
        "effects",
    )  # fmt: skip

    def __init__(self, scene: Scene, seams: Seams, limits: Limits, source: str, *, persistent: bool) -> None:
        """Stand before a text that a shell in *scene* runs."""
        self._scene = scene
        self._seams = seams
        self._limits = limits
        self._source = source
        self._persistent = persistent
        self._sh = False
        self._depth = 0
        self._left = limits.steps // _STEPS
        self._machine: Walker | None = None
        self._state: State | None = None
        self.effects: list[Effect] = []

    def read(self, text: str, *, sh: bool) -> bool:
        """Make the effects of *text*; false, and to be forgotten, where it is not plain.

        *sh* tells that the shell may be any POSIX shell.
        """
        commands = plain_commands(text)
        if commands is None or len(commands) > self._limits.commands or not self._is_same_everywhere(commands, sh=sh):
            return False
        self._sh = sh
        cwd = self._scene.cwd if self._scene.cwd is not None else unknown("the working directory is not known")
        cwds: tuple[Value, ...] = (cwd,)
        first: Value | None = "" if self._scene.complete_environment and not self._persistent else None
        stdin: Value | Feed | None = first
        for words, redirects, span, silent, operator, constant in commands:
            away = silent
            if not constant:
                words = self._expanded(words, cwds)  # type: ignore[assignment] # noqa: PLW2901 words alone
                for redirect in redirects:
                    stdin, away = self._redirected(redirect, cwds, stdin, away)
            simple = SimpleCommand if stdin is None else Fed
            more = (stdin, True, LOCAL, (), operator == "|", self._source)
            printed = self._run(_new(simple, (tuple(words), (), cwds, span, *more)))
            stdin = first
            if operator == "|":
                stdin = "" if away else printed
            elif words[0][0] == "cd":
                cwds = (beneath(cwd, str(words[1][0]), physical=False),)
        machine = self._machine
        if machine is not None and self._state is not None:
            machine.later(self._state)
            return not (sh and machine.bashism)
        return True

    def _run(self, command: SimpleCommand) -> Value | Feed | None:
        """Run one command, and what it runs in turn; what it prints."""
        reading = self._seams.interpret(command)
        _, effects, nested, stdout = reading
        self.effects += stamped(effects, self._source)
        if nested and command[0][0][0] not in BUILTINS:
            return self._in_turn(command, reading)
        return stdout

    def _in_turn(self, command: SimpleCommand, reading: Reading) -> Value | Feed | None:
        """Run what *command* runs in turn; what all of it prints."""
        _, _, nested, stdout = reading
        passed = command.heard and passes_on(reading)
        if passed and not all(self._is_plain_line(one, command) for one in nested):
            machine, state = self._long(command.cwds)
            return machine.passed(command, reading, state)
        printed = [self._next(one, command, heard=passed) for one in nested]
        return Feed(_merged, printed) if passed else stdout

    def _next(self, nested: Nested, command: SimpleCommand, *, heard: bool) -> Value | Feed | None:
        """Run one thing that *command* runs in turn, as `Nesting` does; what it prints, if it is a command line."""
        self._left -= 1
        if self._left < 0 or self._depth >= self._limits.depth:
            raise Exhausted("the long way says so")
        self._depth += 1
        printed: Value | Feed | None = None
        if self._is_plain_line(nested, command):
            printed = self._run(self._line(nested, command, heard=heard))
        elif nested.form == "code" and nested.place == LOCAL:
            command, found = in_code(nested, command, LOCAL, self._source, self._seams)
            for each in found:
                if isinstance(each, Effect):
                    self.effects.append(each)
                else:
                    self._next(each, command, heard=False)
        else:
            machine, state = self._long(command.cwds)
            machine.depth = self._depth - 1
            machine.run_nested((nested,), command, state)
        self._depth -= 1
        return printed

    def _is_plain_line(self, nested: Nested, command: SimpleCommand) -> bool:
        """Whether *nested* is a program with its words, which nothing that came before can change."""
        if nested.form != "argv" or not nested.words or nested.place != LOCAL or nested.clear:
            return False
        name, _, many, _ = nested.words[0]
        if many or not isinstance(name, str) or nested.variables or command.variables:
            return False
        if self._scene.complete_environment and not hands_on(nested.wrapper, command):
            return False  # whoever sets variables of its own makes those unsure that are not set here
        return name not in BUILTINS and not (self._sh and name == "echo")

    def _line(self, nested: Nested, command: SimpleCommand, *, heard: bool) -> SimpleCommand:
        """The command that a plain line is."""
        cwds = nested.cwds if nested.cwds is not None else command.cwds
        span = nested.span if nested.span != (0, 0) else command.span
        wrappers = (*command.wrappers, nested.wrapper) if nested.wrapper else command.wrappers
        heard = heard or nested.words[0][0] in TELLING
        more = (nested.stdin, command.lookup, command.place, wrappers, heard, self._source)
        return _new(SimpleCommand, (nested.words, (), cwds, span, *more))

    def _expanded(self, words: list[Word | Text], cwds: tuple[Value, ...]) -> list[Word]:
        """*words*, those that are still text as the long way expands them."""
        expanded: list[Word] = []
        for word in words:
            if isinstance(word, Word):
                expanded.append(word)
                continue
            text, start, end = word
            simple = simple_word(text, (start, end), self._scene)
            if simple is not None:
                expanded.append(simple)
                continue
            machine, state = self._long(cwds)
            parser = Parser(text, Grammar())
            parser.base = parser.limit = start
            expanded.extend(machine.words(parser.word(), state))
        return expanded

    def _redirected(
        self, written: Text, cwds: tuple[Value, ...], stdin: Value | Feed | None, away: bool
    ) -> tuple[Value | Feed | None, bool]:
        """Open what a redirection to a plain word opens; standard input after it, and whether output goes elsewhere."""
        text, start, end = written
        found = REDIRECT.fullmatch(text)
        assert found is not None  # noqa: S101 that is how it was found
        fd, operator, target = found.groups()
        path = self._seams.resolve(target, cwds, self._scene, follow=True, glob=False)
        kind: EffectKind = "read" if operator == "<" else "write"
        self.effects.append(Effect(kind, path, self._source, (start, end)))
        if operator == "<":
            return (None if fd in ("", "0") else stdin), away
        return stdin, away or fd in ("", "1")

    def _long(self, cwds: tuple[Value, ...]) -> tuple[Walker, State]:
        """The machine of the long way, and the state of its shell."""
        if self._machine is None or self._state is None:
            self._machine = Walker(self._scene, self._seams, self._limits, self._source, persistent=self._persistent)
            self._machine.effects = self.effects
            self._machine.sh = self._sh
            self._state = State(cwds)
            if self._persistent or not self._scene.complete_environment:
                self._state.arguments = None
            else:
                self._state.stdin = ""
        self._state.cwds = cwds
        return self._machine, self._state

    def _is_same_everywhere(self, commands: list[PlainCommand], *, sh: bool) -> bool:
        """Whether no command changes what those behind it do, and no shell reads one of them in its own way."""
        for place, command in enumerate(commands):
            words = command[0]
            name = words[0][0]
            if name not in _CAREFUL:
                continue
            if name == "printf" and (len(words) == 1 or type(words[1]) is not Word or str(words[1][0])[:1] == "-"):
                return False
            if name == "cd" and (place or not self._only_changes(commands)):
                return False
            if sh and name == "echo" and any("\\" in str(word[0]) for word in words):
                return False
        return True

    def _only_changes(self, commands: list[PlainCommand]) -> bool:
        """Whether the `cd` that comes first is plain, and everything behind it runs only where it succeeded."""
        words = commands[0].words
        if len(words) != 2 or type(words[1]) is not Word or commands[0].operator != "&&":  # noqa: PLR2004 name, place
            return False
        if self._persistent or "CDPATH" in self._scene.environment or str(words[1][0])[:1] in ("", "-"):
            return False
        return not commands[0].redirects and all(command.operator in ("&&", "|") for command in commands[:-1])


def is_plain(text: str) -> bool:
    """Whether the short way looks at *text* at all."""
    return plain_commands(text) is not None


def _merged(printed: list[Value | Feed | None]) -> Value | None:
    """What several commands print, in any order and number, where that is names alone."""
    texts = [each.text() if isinstance(each, Feed) else each for each in printed]
    return None if None in texts else merged([text for text in texts if text])
