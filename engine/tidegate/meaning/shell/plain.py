"""The short way for plain text: commands joined by pipes and lists, their words constant or nearly so.

What it says is what the long way says of the same text, which is a law (`tests/meaning/shell/test_shell_plain.py`);
it only says it sooner, and gives up where there is more to a text than it looks at.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ..effects import Effect
from ..scene import Scene
from ..values import Value, unknown
from .builtins.directories import beneath
from .builtins.table import BUILTINS
from .command import Limits, SimpleCommand, Word
from .parsing.parser import RESERVED, Parser
from .parsing.scanner import Grammar
from .parsing.syntax import RawWord, Redirect
from .running.order import known
from .running.redirections import Output
from .running.state import State
from .running.texts import Walker, unreadable
from .seams import Seams

LONGEST = 2_000
_END = r"(?=[ \t\n;&|]|\Z)"
_PLAIN = r"[A-Za-z0-9_./:@%+,=^!-]"
_SPELLED = _PLAIN + r"""++|\\[^\n\0\ufdd0]|'[^'\0\ufdd0]*+'|"[^"$`\\\0\ufdd0]*+"|\{\}"""
_EXPANDED = (
    _SPELLED + r"""|[]~*?[{}]|\$[A-Za-z0-9_@*#?!-]|"(?:[^"$`\\\0\ufdd0]|\\[^\n\0\ufdd0]|\$[A-Za-z0-9_@*#?!-])*+\""""
)
_TOKENS = re.compile(
    rf"([ \t]*+)(?:({_PLAIN}++){_END}"
    rf"|((?:{_SPELLED})(?:{_SPELLED}|\#)*+){_END}"
    rf"|((?:{_EXPANDED})(?:{_EXPANDED}|\#)*+){_END}"
    rf"|(2>&1{_END}|[12]?>>?[ ]?/dev/null{_END}|[012]?(?:>>?|<)[ \t]*+{_PLAIN}++{_END}|&&|\|\|?|;|\n|[\s\S]++))"
)
_UNSPELLED = re.compile(r"""'([^']*+)'|"([^"]*+)"|\\([\s\S])""")
_REDIRECT = re.compile(rf"([012]?)(>>?|<)[ \t]*+({_PLAIN}++)|2>&1")
_OPERATORS = frozenset(("&&", "||", "|", ";", "\n"))
_ELSEWHERE = frozenset(BUILTINS) - {"printf", "cd"} | RESERVED
_CAREFUL = frozenset(("printf", "cd", "echo"))
_word = tuple.__new__


class _Command(NamedTuple):
    """One command; words and redirections that have to be expanded are still text, with their place."""

    words: list[Word | tuple[str, int, int]]
    redirects: list[tuple[str, int, int]]
    span: tuple[int, int]
    silent: bool
    operator: str


class PlainReader:
    """Reads one text the short way. The machine of the long way is made only where something needs it."""

    __slots__ = ("_limits", "_machine", "_persistent", "_scene", "_seams", "_source", "_state", "effects")

    def __init__(self, scene: Scene, seams: Seams, limits: Limits, source: str, *, persistent: bool) -> None:
        """Stand before a text that a shell in *scene* runs."""
        self._scene = scene
        self._seams = seams
        self._limits = limits
        self._source = source
        self._persistent = persistent
        self._machine: Walker | None = None
        self._state: State | None = None
        self.effects: list[Effect] = []

    def read(self, text: str, *, sh: bool) -> bool:
        """Make the effects of *text*; false, and to be forgotten, where it is not plain.

        *sh* tells that the shell may be any POSIX shell.
        """
        commands = _commands(text)
        if commands is None or len(commands) > self._limits.commands or not self._is_same_everywhere(commands, sh=sh):
            return False
        cwd = self._scene.cwd if self._scene.cwd is not None else unknown("the working directory is not known")
        cwds: tuple[Value, ...] = (cwd,)
        stdin: Value | None = None
        for place, command in enumerate(commands):
            stdin, away = self._run(command, cwds, stdin, sh=sh)
            if command.operator != "|":
                stdin = None
            elif away:
                stdin = ""
            if place == 0 and command.words[0][0] == "cd":
                cwds = (beneath(cwd, str(command.words[1][0]), physical=False),)
        machine = self._machine
        if machine is not None and self._state is not None:
            machine.later(self._state)
            return not (sh and machine.bashism)
        return True

    def _run(
        self, command: _Command, cwds: tuple[Value, ...], stdin: Value | None, *, sh: bool
    ) -> tuple[Value | None, bool]:
        """Run one command; what it is known to print, and whether that goes elsewhere."""
        away = command.silent
        words: tuple[Word, ...] = tuple(command.words)  # type: ignore[arg-type] # unless some are text, see below
        if command.redirects or any(type(word) is not Word for word in words):
            machine, state = self._long(cwds, sh=sh)
            words = _expanded(command, machine, state)
            for redirect in command.redirects:
                streams = machine.redirect((_redirect(redirect),), state)
                stdin = streams.stdin if streams.moved else stdin
                away = away or streams.output is Output.AWAY
        simple = SimpleCommand(words, (), cwds, command.span, stdin)
        reading = self._seams.interpret(simple)
        source = self._source
        if source:
            self.effects.extend([effect._replace(source=source) for effect in reading.effects])
        else:
            self.effects.extend(reading.effects)
        if reading.nested and words[0].value not in BUILTINS:
            machine, state = self._long(cwds, sh=sh)
            machine.run_nested(reading.nested, simple, state)
        return known(reading.stdout), away

    def _long(self, cwds: tuple[Value, ...], *, sh: bool) -> tuple[Walker, State]:
        """The machine of the long way, and the state of its shell."""
        if self._machine is None or self._state is None:
            self._machine = Walker(self._scene, self._seams, self._limits, self._source, persistent=self._persistent)
            self._machine.effects = self.effects
            self._machine.sh = sh
            self._state = State(cwds)
            self._state.arguments = None
        self._state.cwds = cwds
        return self._machine, self._state

    def _is_same_everywhere(self, commands: list[_Command], *, sh: bool) -> bool:
        """Whether no command changes what those behind it do, and no shell reads one of them in its own way."""
        for place, command in enumerate(commands):
            words = command.words
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

    def _only_changes(self, commands: list[_Command]) -> bool:
        """Whether the `cd` that comes first is plain, and everything behind it runs only where it succeeded."""
        words = commands[0].words
        if len(words) != 2 or type(words[1]) is not Word or commands[0].operator != "&&":  # noqa: PLR2004 name, place
            return False
        if self._persistent or "CDPATH" in self._scene.environment or str(words[1][0])[:1] in ("", "-"):
            return False
        return not commands[0].redirects and all(command.operator in ("&&", "|") for command in commands[:-1])


def is_plain(text: str) -> bool:
    """Whether the short way looks at *text* at all."""
    return _commands(text) is not None


def _commands(text: str) -> list[_Command] | None:
    """The commands of *text*, or `None` where it is not plain."""
    tokens = _TOKENS.findall(text)
    if not tokens or not _is_known(tokens[-1][4]) or (not text.isascii() and unreadable(text, LONGEST)):
        return None
    commands: list[_Command] = []
    words: list[Word | tuple[str, int, int]] = []
    redirects: list[tuple[str, int, int]] = []
    start = end = at = 0
    silent, last = False, ""
    for blank, plain, spelled, expanded, other in tokens:
        begin = at + len(blank)
        if plain or spelled:
            word = plain or spelled
            at = end = begin + len(word)
            if not words:
                if word in _ELSEWHERE or "=" in word:
                    return None
                start = begin
            value = plain or _UNSPELLED.sub(r"\1\2\3", spelled)
            words.append(_word(Word, (value, (begin, at), False, False)))
        elif expanded:
            at = end = begin + len(expanded)
            if not words:
                return None
            words.append((expanded, begin, at))
        elif other in _OPERATORS:
            at = begin + len(other)
            if words:
                commands.append(_Command(words, redirects, (start, end), silent, other))
                words, redirects, silent, last = [], [], False, other
            elif other != "\n":
                return None
        elif not words or other[0] not in "012<>":
            return None
        else:
            at = end = begin + len(other)
            if not other.endswith(("/dev/null", ">&1")) or "<" in other:
                redirects.append((other, begin, at))
            elif other[0] != "2":
                silent = True
    if words:
        commands.append(_Command(words, redirects, (start, end), silent, ""))
    elif last in ("&&", "||", "|"):
        return None
    return commands or None


def _is_known(last: str) -> bool:
    """Whether the last token is none that swallowed what nothing else matched."""
    return last == "" or last in _OPERATORS or _REDIRECT.fullmatch(last) is not None


def _expanded(command: _Command, machine: Walker, state: State) -> tuple[Word, ...]:
    """The words of *command*, those that are still text as the long way expands them."""
    words: list[Word] = []
    for word in command.words:
        if isinstance(word, Word):
            words.append(word)
            continue
        text, start, _ = word
        parser = Parser(text, Grammar())
        parser.base = parser.limit = start
        words.extend(machine.words(parser.word(), state))
    return tuple(words)


def _redirect(written: tuple[str, int, int]) -> Redirect:
    """A redirection to a plain word."""
    text, start, end = written
    found = _REDIRECT.fullmatch(text)
    assert found is not None  # noqa: S101 that is how it was found
    fd, operator, target = found.groups()
    return Redirect(operator, int(fd) if fd else None, None, RawWord(target, (), end - len(target), end), start, end)
