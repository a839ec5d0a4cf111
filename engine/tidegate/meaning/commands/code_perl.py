"""Perl that only computes: every word of it is one of a list, everything else is unknown."""

from __future__ import annotations

import re

from ..effects import Effect
from ..scene import Scene
from ..shell.command import Nested, SimpleCommand
from .code_effects import CodeEffects

_BLANK = re.compile(r"\s+|#[^\n]*")
_REFUSED = re.compile(r"[ \t\n]*(?:[^\x00-\x7f\w\s]|\.[A-Za-z_])")
"""How no program begins: perl refuses the whole before any of it runs."""

_WORD = re.compile(r"[A-Za-z_]\w*")
_VARIABLE = re.compile(r"\$#?[A-Za-z_]\w*|[@%][A-Za-z_]\w*|\$(?:\d+|[_&.,/\\;|!0])|\$#?\$|@_")
_NUMBER = re.compile(r"\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?|0x[0-9a-fA-F]+")
_INPUT = re.compile(r"<(?:STDIN)?>")
_TEST = re.compile(r"-[edfrwxszl]\b")
_OPERATOR = re.compile(r"[-+*/%.=!~<>?:,;()\[\]{}&|^]")
_QUOTING = frozenset({"s", "tr", "y", "m", "qr", "q", "qq", "qw"})
_BEFORE_REGEX = frozenset(
    "if unless elsif and or not split grep map x return while until foreach for print push join".split()  # noqa: SIM905
)
"""Words behind which a slash begins a pattern; behind any other word it is refused, as it may divide."""

_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
_WORDS = frozenset(
    [
        "print",
        "printf",
        "say",
        "if",
        "unless",
        "elsif",
        "else",
        "and",
        "or",
        "not",
        "xor",
        "chomp",
        "chop",
        "split",
        "join",
        "push",
        "pop",
        "shift",
        "unshift",
        "sort",
        "keys",
        "values",
        "map",
        "grep",
        "each",
        "length",
        "substr",
        "index",
        "rindex",
        "lc",
        "uc",
        "lcfirst",
        "ucfirst",
        "scalar",
        "localtime",
        "gmtime",
        "time",
        "reverse",
        "foreach",
        "for",
        "while",
        "until",
        "my",
        "our",
        "local",
        "eof",
        "BEGIN",
        "END",
        "STDIN",
        "STDOUT",
        "STDERR",
        "ARGV",
        "sprintf",
        "int",
        "abs",
        "sqrt",
        "defined",
        "exists",
        "delete",
        "undef",
        "last",
        "next",
        "redo",
        "x",
        "eq",
        "ne",
        "lt",
        "gt",
        "le",
        "ge",
        "cmp",
        "ord",
        "chr",
        "hex",
        "oct",
        "pos",
        "quotemeta",
        "wantarray",
        "return",
        "exit",
        "die",
        "warn",
        "rand",
        "srand",
        "stat",
        "lstat",
    ]
)
_CODE = re.compile(r"[@$]\{|@\w|\(\?\??\{|\$\w+\s*->|\$\w*::")
_TEXT_CODE = re.compile(r"[@$]\{|@\w|\$\w+\s*->|\$\w*::")


class _NotRead(Exception):
    """The program is not one that only computes."""


def read_perl(text: str, command: SimpleCommand, scene: Scene) -> list[Effect | Nested]:
    """Say nothing of a program that only computes and prints, and that anything else is unknown."""
    if _REFUSED.match(text):
        return []
    try:
        _Program(text).read()
    except _NotRead as error:
        said = CodeEffects(command, scene, "perl")
        said.unknown(f"the perl code is not understood: {error}")
        return said.effects
    return []


class _Program:
    """Reads one program, token by token."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._operand = False
        self._function = False

    def read(self) -> None:
        if "<" in self._text and "ARGV" in self._text:
            raise _NotRead("what it reads may be changed")
        while self._at < len(self._text):
            if (blank := _BLANK.match(self._text, self._at)) is not None:
                self._at = blank.end()
            else:
                self._token()

    def _token(self) -> None:
        char = self._text[self._at]
        function, self._function = self._function, False
        if (word := _WORD.match(self._text, self._at)) is not None:
            self._word(word)
        elif char in "\"'":
            self._at += 1
            self._quoted(char, code=_TEXT_CODE if char == '"' else None)
            self._operand = True
        elif char == "/" and not self._operand:
            if function:
                raise _NotRead("a slash may divide or begin a pattern")
            self._at += 1
            self._pattern("/")
        else:
            self._plain()

    def _plain(self) -> None:
        for kind, ends in ((_VARIABLE, True), (_NUMBER, True), (_INPUT, True), (_TEST, False), (_OPERATOR, False)):
            if kind is _INPUT and self._operand:
                continue
            match = kind.match(self._text, self._at)
            if match is not None and not (kind is _OPERATOR and self._is_code(match.end())):
                self._at = match.end()
                self._operand = ends or match[0] in ")]}"
                return
        raise _NotRead(f"`{self._text[self._at]}`")

    def _is_code(self, end: int) -> bool:
        """Whether an operator makes a call or follows a reference (`&f`, `->`, `<$f>`)."""
        char, behind = self._text[self._at], self._text[end : end + 1]
        if char == "&" and behind != "&" and self._text[self._at - 1 : self._at] != "&":
            return True
        return (char == "-" and behind == ">") or (char == "<" and not self._operand)

    def _word(self, word: re.Match[str]) -> None:
        name = word[0]
        behind = self._text[word.end() : word.end() + 2]
        if self._text[word.start() - 1 : word.start()] == "{" and behind[:1] == "}":
            self._at = word.end()
            self._operand = True
        elif (
            name in _QUOTING and behind[:1] and not behind[:1].isspace() and behind[:1] not in ",;=)" and behind != "=>"
        ):
            self._at = word.end() + 1
            self._quote_like(name, behind[0])
        elif name in _WORDS and not behind.startswith("::"):
            self._at = word.end()
            self._operand = name in ("time", "wantarray", "STDIN", "STDOUT", "STDERR")
            self._function = name not in _BEFORE_REGEX
        elif behind == "=>":
            self._at = word.end()
            self._operand = True
        else:
            raise _NotRead(f"`{name}`")

    def _quote_like(self, name: str, opening: str) -> None:
        if name in ("m", "qr"):
            self._pattern(opening)
        elif name == "s":
            self._quoted(opening, code=_CODE)
            self._second(opening, code=_TEXT_CODE)
            if "e" in self._flags():
                raise _NotRead("a replacement is run as code")
        elif name in ("tr", "y"):
            self._quoted(opening, code=None)
            self._second(opening, code=None)
            self._flags()
        else:
            self._quoted(opening, code=_TEXT_CODE if name == "qq" else None)
        self._operand = True

    def _pattern(self, opening: str) -> None:
        self._quoted(opening, code=_CODE)
        self._flags()
        self._operand = True

    def _second(self, opening: str, code: re.Pattern[str] | None) -> None:
        """The second half of a quote; behind a bracket it has brackets of its own."""
        if opening in _CLOSING:
            while self._text[self._at : self._at + 1].isspace():
                self._at += 1
            opening = self._text[self._at : self._at + 1]
            self._at += 1
        self._quoted(opening, code=code)

    def _quoted(self, opening: str, code: re.Pattern[str] | None) -> None:
        """Text up to the closing mark; *code* finds what would be run in it."""
        closing = _CLOSING.get(opening, opening)
        start, depth = self._at, 1
        while self._at < len(self._text):
            char = self._text[self._at]
            self._at += 1
            if char == "\\":
                self._at += 1
            elif char == closing:
                depth -= 1
                if depth == 0:
                    inside = self._text[start : self._at - 1]
                    if code is not None and code.search(inside):
                        raise _NotRead("code stands inside of a text")
                    return
            elif char == opening:
                depth += 1
        raise _NotRead("a text has no end")

    def _flags(self) -> str:
        match = re.compile(r"[a-z]*").match(self._text, self._at)
        flags = match[0] if match is not None else ""
        self._at += len(flags)
        return flags
