"""The short way for plain text: commands joined by pipes and lists, their words constant or nearly so.

What it says is what the long way says of the same text, which is a law (`tests/meaning/shell/test_shell_plain.py`);
it only says it sooner, and gives up where there is more to a text than it looks at.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ..effects import LOCAL, Effect, EffectKind, stamped
from ..scene import Scene
from ..values import Hole, Partial, Value, unknown
from .builtins.directories import beneath
from .builtins.table import BUILTINS
from .command import Limits, SimpleCommand, Word
from .parsing.parser import RESERVED, Parser
from .parsing.scanner import Grammar
from .running.fields import NOT_A_NAME
from .running.order import known
from .running.programs import passes_on
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
_DEVICE = re.compile(r"[<>][ \t]*+/dev/(?!null\Z)|<.*/dev/null")
_OPERATORS = frozenset(("&&", "||", "|", ";", "\n"))
_ELSEWHERE = frozenset(BUILTINS) - {"printf", "cd"} | RESERVED
_UNFINISHED = frozenset(("&&", "||", "|"))
_CAREFUL = frozenset(("printf", "cd", "echo"))
_GLOB = re.compile(r"[A-Za-z0-9_./:@%+,-]*+[*?][A-Za-z0-9_./:@%+,*?-]*+")
_STARS = re.compile(r"[*?]++|[^*?]++")
_HOME = re.compile(rf"~(/{_PLAIN}*+)?")
_DOUBLE = re.compile(r'"((?:[^"$`\\]|\\[^\n])*+)"')
_ESCAPE = re.compile(r'\\(["$`\\])')
_VARIABLE = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*+)|\"\$([A-Za-z_][A-Za-z0-9_]*+)\"")
_Text = tuple[str, int, int]
# The constructor of a named tuple costs four times as much as the tuple itself.
_new = tuple.__new__


class _Command(NamedTuple):
    """One command. Words that have to be expanded are still text, with their place; then it is not `constant`."""

    words: list[Word | _Text]
    redirects: list[_Text]
    span: tuple[int, int]
    silent: bool
    operator: str
    constant: bool


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
        for command in commands:
            printed, away = self._run(command, cwds, stdin, sh=sh)
            stdin = None
            if command.operator == "|":
                stdin = "" if away else known(printed)
            elif command.words[0][0] == "cd":
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
        words, redirects, span, away, operator, constant = command
        if not constant:
            words = self._expanded(words, cwds, sh=sh)  # type: ignore[assignment] # a list of words alone is one too
            for redirect in redirects:
                stdin, away = self._redirected(redirect, cwds, stdin, away)
        heard = operator == "|"
        simple = _new(SimpleCommand, (tuple(words), (), cwds, span, stdin, True, LOCAL, (), heard))
        reading = self._seams.interpret(simple)
        _, effects, nested, stdout = reading
        if self._source:
            self.effects += stamped(effects, self._source)
        else:
            self.effects += effects
        if nested and words[0][0] not in BUILTINS:
            machine, state = self._long(cwds, sh=sh)
            if heard and passes_on(reading):
                return machine.passed(simple, reading, state), away
            machine.run_nested(nested, simple, state)
        return stdout, away

    def _expanded(self, words: list[Word | _Text], cwds: tuple[Value, ...], *, sh: bool) -> list[Word]:
        """*words*, those that are still text as the long way expands them."""
        expanded: list[Word] = []
        for word in words:
            if isinstance(word, Word):
                expanded.append(word)
                continue
            text, start, end = word
            simple = self._simple_word(text, (start, end))
            if simple is not None:
                expanded.append(simple)
                continue
            machine, state = self._long(cwds, sh=sh)
            parser = Parser(text, Grammar())
            parser.base = parser.limit = start
            expanded.extend(machine.words(parser.word(), state))
        return expanded

    def _simple_word(self, text: str, span: tuple[int, int]) -> Word | None:
        """A glob, text in double quotes, what is at home, or a variable of the environment alone; else `None`."""
        if _GLOB.fullmatch(text):
            parts = tuple([piece if piece[0] not in "*?" else Hole.NAME for piece in _STARS.findall(text)])
            return Word(Partial(parts, NOT_A_NAME), span, many=True, glob=True)
        quoted = _DOUBLE.fullmatch(text)
        if quoted is not None:
            return _new(Word, (_ESCAPE.sub(r"\1", quoted[1]), span, False, False))
        home = self._scene.home
        if home is not None and _HOME.fullmatch(text):
            return _new(Word, (home + text[1:], span, False, False))
        found = _VARIABLE.fullmatch(text)
        name = found[1] or found[2] if found else ""
        if not name or name.isupper() or name in self._scene.environment or self._scene.complete_environment:
            return None
        return Word(unknown(f"the value of `${name}` is set by the environment"), span, many=text[0] == "$")

    def _redirected(
        self, written: _Text, cwds: tuple[Value, ...], stdin: Value | None, away: bool
    ) -> tuple[Value | None, bool]:
        """Open what a redirection to a plain word opens; standard input after it, and whether output goes elsewhere."""
        text, start, end = written
        found = _REDIRECT.fullmatch(text)
        assert found is not None  # noqa: S101 that is how it was found
        fd, operator, target = found.groups()
        path = self._seams.resolve(target, cwds, self._scene, follow=True, glob=False)
        kind: EffectKind = "read" if operator == "<" else "write"
        self.effects.append(Effect(kind, path, self._source, (start, end)))
        if operator == "<":
            return (None if fd in ("", "0") else stdin), away
        return stdin, away or fd in ("", "1")

    def _long(self, cwds: tuple[Value, ...], *, sh: bool) -> tuple[Walker, State]:
        """The machine of the long way, and the state of its shell."""
        if self._machine is None or self._state is None:
            self._machine = Walker(self._scene, self._seams, self._limits, self._source, persistent=self._persistent)
            self._machine.effects = self.effects
            self._machine.sh = sh
            self._state = State(cwds)
            if self._persistent or not self._scene.complete_environment:
                self._state.arguments = None
        self._state.cwds = cwds
        return self._machine, self._state

    def _is_same_everywhere(self, commands: list[_Command], *, sh: bool) -> bool:
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
    if not tokens or "\r" in text or not _is_known(tokens[-1][4]) or (not text.isascii() and unreadable(text, LONGEST)):
        return None
    commands: list[_Command] = []
    words: list[Word | _Text] = []
    redirects: list[_Text] = []
    start = end = at = 0
    silent, constant, last = False, True, ""
    for blank, plain, spelled, expanded, other in tokens:
        begin = at + len(blank)
        if plain or spelled:
            at = end = begin + len(plain or spelled)
            value = plain or _unspelled(spelled)
            if not words:
                if not _can_begin(value):
                    return None
                start = begin
            words.append(_new(Word, (value, (begin, at), False, False)))
        elif other in _OPERATORS:
            at = begin + len(other)
            if words:
                commands.append(_new(_Command, (words, redirects, (start, end), silent, other, constant)))
                words, redirects, silent, constant, last = [], [], False, True, other
            elif other != "\n":
                return None
        elif not words or _DEVICE.search(other):
            return None
        elif expanded:
            at = end = begin + len(expanded)
            words.append((expanded, begin, at))
            constant = False
        else:
            at = end = begin + len(other)
            silent = silent or _silences(other, redirects, begin, at)
            constant = constant and not redirects
    if words:
        commands.append(_new(_Command, (words, redirects, (start, end), silent, "", constant)))
        last = ""
    return commands if commands and last not in _UNFINISHED else None


def _unspelled(spelled: str) -> str:
    """The value of a word that is quoted or escaped."""
    quote = spelled[0]
    if quote == spelled[-1] and quote in "'\"" and spelled.count(quote) == 2:  # noqa: PLR2004 it opens and closes
        return spelled[1:-1]
    return _UNSPELLED.sub(r"\1\2\3", spelled)


def _can_begin(value: str) -> bool:
    """Whether a command whose first word comes to *value* is a program's, and no assignment; quotes hide no builtin."""
    return value not in _ELSEWHERE and "=" not in value


def _silences(written: str, redirects: list[_Text], start: int, end: int) -> bool:
    """Note a redirection, unless it opens nothing; whether it sends standard output nowhere."""
    if "<" in written or not written.endswith(("/dev/null", ">&1")):
        redirects.append((written, start, end))
        return False
    return written[0] != "2"


def _is_known(last: str) -> bool:
    """Whether the last token is none that swallowed what nothing else matched."""
    return last == "" or last in _OPERATORS or _REDIRECT.fullmatch(last) is not None
