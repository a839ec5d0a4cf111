"""Plain text taken apart: commands joined by pipes and lists, their words constant or nearly so."""

from __future__ import annotations

import re
from typing import NamedTuple

from .builtins.table import BUILTINS
from .command import Word
from .parsing.parser import RESERVED
from .running.texts import unreadable

LONGEST = 2_000
_END = r"(?=[ \t\n;&|]|\Z)"
LETTERS = r"[A-Za-z0-9_./:@%+,=^!-]"
_SPELLED = LETTERS + r"""++|\\[^\n\0\ufdd0]|'[^'\0\ufdd0]*+'|"[^"$`\\\0\ufdd0]*+"|\{\}"""
_EXPANDED = (
    _SPELLED + r"""|[]~*?[{}]|\$[A-Za-z0-9_@*#?!-]|"(?:[^"$`\\\0\ufdd0]|\\[^\n\0\ufdd0]|\$[A-Za-z0-9_@*#?!-])*+\""""
)
_TOKENS = re.compile(
    rf"([ \t]*+)(?:({LETTERS}++){_END}"
    rf"|((?:{_SPELLED})(?:{_SPELLED}|\#)*+){_END}"
    rf"|((?:{_EXPANDED})(?:{_EXPANDED}|\#)*+){_END}"
    rf"|(2>&1{_END}|[12]?>>?[ ]?/dev/null{_END}|[012]?(?:>>?|<)[ \t]*+{LETTERS}++{_END}|&&|\|\|?|;|\n|[\s\S]++))"
)
_UNSPELLED = re.compile(r"""'([^']*+)'|"([^"]*+)"|\\([\s\S])""")
REDIRECT = re.compile(rf"([012]?)(>>?|<)[ \t]*+({LETTERS}++)|2>&1")
_DEVICE = re.compile(r"[<>][ \t]*+/dev/(?!null\Z)|<.*/dev/null")
_OPERATORS = frozenset(("&&", "||", "|", ";", "\n"))
_ELSEWHERE = frozenset(BUILTINS) - {"printf", "cd"} | RESERVED
_UNFINISHED = frozenset(("&&", "||", "|"))
Text = tuple[str, int, int]
"""Text that is still to be expanded, and its place."""

# The constructor of a named tuple costs four times as much as the tuple itself.
_new = tuple.__new__


class PlainCommand(NamedTuple):
    """One command. Words that have to be expanded are still text, with their place; then it is not `constant`."""

    words: list[Word | Text]
    redirects: list[Text]
    span: tuple[int, int]
    silent: bool
    operator: str
    constant: bool


def plain_commands(text: str) -> list[PlainCommand] | None:
    """The commands of *text*, or `None` where it is not plain."""
    tokens = _TOKENS.findall(text)
    if not tokens or "\r" in text or not _is_known(tokens[-1][4]) or (not text.isascii() and unreadable(text, LONGEST)):
        return None
    commands: list[PlainCommand] = []
    words: list[Word | Text] = []
    redirects: list[Text] = []
    start = end = at = 0
    silent, constant, last = False, True, ""
    for blank, plain, spelled, expanded, other in tokens:
        begin = at + len(blank)
        if plain or spelled:
            value = plain or _unspelled(spelled)
            at = end = begin + len(plain or spelled)
            if not words:
                if not _can_begin(value):
                    return None
                start = begin
            words.append(_new(Word, (value, (begin, at), False, False)))
        elif other in _OPERATORS:
            at = begin + len(other)
            if words:
                commands.append(_new(PlainCommand, (words, redirects, (start, end), silent, other, constant)))
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
            silent = _silences(other, redirects, begin, at) or silent
            constant = constant and not redirects
    if words:
        commands.append(_new(PlainCommand, (words, redirects, (start, end), silent, "", constant)))
        last = ""
    return commands if commands and last not in _UNFINISHED else None


def _unspelled(spelled: str) -> str:
    """The value of a word that is quoted or escaped."""
    quote = spelled[0]
    if quote == spelled[-1] and quote in "'\"" and spelled.count(quote) == 2:  # noqa: PLR2004 it opens and closes
        return spelled[1:-1]
    if len(spelled) == 2 and quote == "\\":  # noqa: PLR2004 with what it escapes
        return spelled[1]
    return _UNSPELLED.sub(r"\1\2\3", spelled)


def _can_begin(value: str) -> bool:
    """Whether a command whose first word comes to *value* is a program's, and no assignment; quotes hide no builtin."""
    return value not in _ELSEWHERE and "=" not in value


def _silences(written: str, redirects: list[Text], start: int, end: int) -> bool:
    """Note a redirection, unless it opens nothing; whether it sends standard output nowhere."""
    if "<" in written or not written.endswith(("/dev/null", ">&1")):
        redirects.append((written, start, end))
        return False
    return written[0] != "2"


def _is_known(last: str) -> bool:
    """Whether the last token is none that swallowed what nothing else matched."""
    return last == "" or last in _OPERATORS or REDIRECT.fullmatch(last) is not None
