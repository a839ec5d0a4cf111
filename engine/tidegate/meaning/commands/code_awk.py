"""awk programs: what they run, write and read besides their operands, found in their tokens."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..effects import Effect
from ..scene import Scene
from ..shell.command import Nested, SimpleCommand
from ..values import Hole, Value, unknown
from .code_effects import CodeEffects
from .text import joined

_TOKEN = re.compile(
    r"""(?P<blank>[ \t\r]+|\\\n|\#[^\n]*)|(?P<string>"(?:[^"\\\n]|\\.)*")|(?P<name>[A-Za-z_]\w*)"""
    r"""|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"""
    r"""|(?P<operator>>>|\|&|\|\||&&|[<>=!]=|!~|\+\+|--|\*\*|[-+*/%^]=|.|\n)""",
    re.DOTALL,
)
_REGEX = re.compile(r"/(?:[^/\\\n\[]|\\.|\[\^?\]?(?:[^\]\\\n]|\\.)*\])*/")
_VALUE_ENDS = frozenset({")", "]", "$", "++", "--"})
_PRINT_ENDS = frozenset({";", "}", "\n"})
_TERM_ENDS = frozenset({";", "}", "\n", ")", "|", "|&", "&&", "||", "?", ":", ">", ">>", "<", ","})
_NUMERIC = re.compile(r"\\[0-7xu]")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t"}
_STREAMS = frozenset({"/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/null", "/dev/tty"})
_COMPUTED = "the awk program computes it"


class _Token(NamedTuple):
    kind: str
    text: str


def read_awk(text: str, command: SimpleCommand, scene: Scene) -> list[Effect | Nested]:
    """Say what an awk program runs (`system`, pipes), writes (`print > "f"`) and reads (`getline < "f"`)."""
    said = CodeEffects(command, scene, "awk")
    tokens = _tokens(text)
    if tokens is None:
        said.unknown("the awk program is not read")
        return said.effects
    printing, depth = False, 0
    for index, token in enumerate(tokens):
        if token.text in ("print", "printf") and token.kind == "name":
            printing, depth = True, 0
        elif token.kind == "operator" and token.text in _PRINT_ENDS:
            printing = False
        elif token.kind == "operator" and token.text in "()":
            depth += 1 if token.text == "(" else -1
        elif token.kind == "operator" and token.text in (">", ">>") and printing and depth <= 0:
            _write(said, _term(tokens, index + 1))
        else:
            _look(said, tokens, index, printing=printing)
    return said.effects


def _look(said: CodeEffects, tokens: list[_Token], index: int, *, printing: bool) -> None:
    token = tokens[index]
    if token.kind == "name" and token.text == "system":
        said.shell(_term(tokens, index + 1))
    elif token.kind == "operator" and token.text in ("|", "|&"):
        if _text_at(tokens, index + 1) == "getline":
            said.shell(_term_before(tokens, index))
        elif printing:
            _pipe(said, _term(tokens, index + 1), both=token.text == "|&")
        else:
            said.unknown("a pipe in the awk program is not read")
    elif token.kind == "name" and token.text == "getline":
        after = index + 1
        if after < len(tokens) and tokens[after].kind == "name":
            after += 1
        if _text_at(tokens, after) == "<":
            said.path("read", _term(tokens, after + 1))
    elif token.kind == "operator" and token.text == "@":
        said.unknown("the awk program loads or calls what it does not show")
    elif token.kind == "name" and token.text == "ARGV" and _is_assigned(tokens, index):
        said.unknown("the awk program changes what it reads")


def _pipe(said: CodeEffects, text: Value, *, both: bool) -> None:
    if both and isinstance(text, str) and text.startswith("/inet"):
        host = text.split("/")[4:5]
        said.host(host[0] if host else unknown(_COMPUTED))
    else:
        said.shell(text)


def _write(said: CodeEffects, text: Value) -> None:
    if text not in _STREAMS:
        said.path("write", text)


def _tokens(text: str) -> list[_Token] | None:
    """The tokens of a program, blanks and comments left out; `None` where it does not end well."""
    tokens: list[_Token] = []
    position = 0
    while position < len(text):
        if text[position] == "/" and not _after_value(tokens):
            regex = _REGEX.match(text, position)
            if regex is None:
                return None
            tokens.append(_Token("regex", regex[0]))
            position = regex.end()
            continue
        match = _TOKEN.match(text, position)
        if match is None or match[0] == '"':
            return None
        if match.lastgroup != "blank":
            tokens.append(_Token(match.lastgroup or "", match[0]))
        position = match.end()
    return tokens


def _after_value(tokens: list[_Token]) -> bool:
    """Whether a slash here divides, since a value stands before it."""
    if not tokens:
        return False
    last = tokens[-1]
    if last.kind == "name":
        return last.text not in ("print", "printf", "return", "in", "case", "getline")
    return last.kind in ("number", "string", "regex") or last.text in _VALUE_ENDS


def _text_at(tokens: list[_Token], index: int) -> str:
    return tokens[index].text if index < len(tokens) else ""


def _term(tokens: list[_Token], start: int) -> Value:
    """The text behind an operator or function: constants side by side, with a hole for anything computed."""
    pieces: list[Value | Hole] = []
    depth = 0
    index = start
    while index < len(tokens):
        token = tokens[index]
        if token.kind == "operator" and depth == 0 and token.text in _TERM_ENDS:
            break
        depth += {"(": 1, ")": -1}.get(token.text, 0) if token.kind == "operator" else 0
        if token.kind == "string":
            pieces.append(_constant(token.text))
        elif token.text not in "()":
            pieces.append(Hole.ANY)
        index += 1
        if depth == 0 and token.text == ")":
            break
    return joined(*pieces, reason=_COMPUTED) if pieces else unknown(_COMPUTED)


def _term_before(tokens: list[_Token], end: int) -> Value:
    """The constant text before a pipe into `getline`."""
    if end > 0 and tokens[end - 1].kind == "string":
        before = _text_at(tokens, end - 2) if end > 1 else ""
        if before in ("", "{", "(", ";", "\n", "&&", "||", "!", "while", "if"):
            return _constant(tokens[end - 1].text)
    return unknown(_COMPUTED)


def _constant(text: str) -> Value:
    """The text of a string; numeric escapes are not computed."""
    if _NUMERIC.search(text):
        return unknown("the awk program spells it by numbers")
    return _ESCAPED.sub(lambda escape: _ESCAPES.get(escape[1], escape[1]), text[1:-1])


def _is_assigned(tokens: list[_Token], index: int) -> bool:
    """Whether an element of an array stands left of an assignment."""
    depth = 0
    for position in range(index + 1, len(tokens)):
        text = tokens[position].text
        depth += {"[": 1, "]": -1}.get(text, 0)
        if depth == 0:
            return _text_at(tokens, position + 1) in ("=", "++", "--", "+=") or text == "="
    return False
