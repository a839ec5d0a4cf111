"""What commands are known to print, for pipes and substitutions; where it is not simple and exact, nothing is said."""

from __future__ import annotations

import base64
import binascii
import posixpath
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from ..effects import Operand
from ..shell.command import SimpleCommand
from ..values import Value
from .sorting import Sorted
from .text import blank_joined, joined, known_start

_LONGEST = 100_000
_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{1,2}|0?[0-7]{1,3}|u[0-9A-Fa-f]{1,4}|.)", re.DOTALL)
_NAMED = {
    "n": "\n",
    "t": "\t",
    "\\": "\\",
    '"': '"',
    "'": "'",
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "f": "\f",
    "r": "\r",
    "v": "\v",
}
_ECHO_OPTION = re.compile(r"-[neE]+")
_DIRECTIVE = re.compile(r"%(?:(?P<literal>%)|(?P<kind>[sd]))|(?P<other>%)")
_DECIMAL = re.compile(r"0|-?[1-9][0-9]{0,17}")
_SUBSTITUTION = re.compile(r"s([/#|,:!@])([\w \-/.=]*)\1([\w \-/.=]*)\1(g?)")
_LITERAL = re.compile(r"[\w \-/=]*")


class Printing(NamedTuple):
    """What there is to know of a command that prints: its options and operands, and what it reads."""

    found: Sorted
    operands: tuple[Operand, ...]
    stdin: Value | None


def printed(program: str, command: SimpleCommand, found: Sorted, operands: tuple[Operand, ...]) -> Value | None:
    """What the command prints, or `None` where that is not known."""
    printer = _PRINTERS.get(program)
    if printer is None or command.place.kind != "local":
        return None
    value = printer(Printing(found, operands, command.stdin))
    return value if not isinstance(value, str) or len(value) <= _LONGEST else None


def _echo(run: Printing) -> Value | None:
    """`echo` as bash has it; with backslashes in its text shells differ, unless `-e` says what is meant."""
    values = [operand[0] for operand in run.operands]
    if any(operand.many for operand in run.operands):
        return None
    letters = ""
    while values and _ECHO_OPTION.fullmatch(known_start(values[0])) and isinstance(values[0], str):
        letters += values[0][1:]
        values = values[1:]
    text = blank_joined(values)
    end = "" if "n" in letters else "\n"
    if isinstance(text, str) and "\\" in text:
        if "e" not in letters or "\\c" in text:
            return None
        return _unescaped(text) + end
    return joined(text, end)


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = match[1]
    if code[0] in "xu" and len(code) > 1:
        return chr(int(code[1:], 16))
    if code[0] in "01234567":
        return chr(int(code, 8) & 0xFF)
    return _NAMED.get(code, match[0])


def _printf(run: Printing) -> Value | None:
    texts = [operand.value for operand in run.operands]
    if any(operand.many for operand in run.operands) or not all(isinstance(text, str) for text in texts):
        return None
    words = [text for text in texts if isinstance(text, str)]
    if words[:1] == ["--"]:
        words = words[1:]
    if not words or words[0].startswith("-"):
        return None
    return _formatted(words[0], words[1:])


def _formatted(form: str, words: list[str]) -> str | None:
    """The format over all words, as often as it takes."""
    pieces = _DIRECTIVE.split(form)[:: _DIRECTIVE.groups + 1]
    directives = list(_DIRECTIVE.finditer(form))
    if any(each["other"] for each in directives):
        return None
    taking = sum(1 for each in directives if each["kind"])
    written: list[str] = []
    while True:
        left = iter(words)
        for piece, directive in zip(pieces, directives, strict=False):
            word = "%" if directive["literal"] else next(left, "0" if directive["kind"] == "d" else "")
            if directive["kind"] == "d" and not _DECIMAL.fullmatch(word):
                return None
            written += [_unescaped(piece), word]
        written.append(_unescaped(pieces[-1]))
        words = words[taking:] if taking else []
        if not words or len(written) > _LONGEST:
            return "".join(written)


def _cat(run: Printing) -> Value | None:
    if run.found.options or any(operand.value != "-" for operand in run.operands):
        return None
    return run.stdin


def _tee(run: Printing) -> Value | None:
    return run.stdin


def _base64(run: Printing) -> Value | None:
    text = _input(run)
    if text is None:
        return None
    try:
        if run.found.found("--decode") is not None or run.found.found("-D") is not None:
            return base64.b64decode("".join(text.split()), validate=True).decode()
        wrap = run.found.found("--wrap")
        encoded = base64.b64encode(text.encode()).decode()
        return encoded if wrap is not None and wrap.value == "0" else _wrapped(encoded)
    except (binascii.Error, ValueError):
        return None


def _wrapped(text: str) -> str:
    width = 76
    return "".join(f"{text[start : start + width]}\n" for start in range(0, len(text), width))


def _xxd(run: Printing) -> Value | None:
    text = _input(run)
    if text is None or run.found.found("-r") is None or run.found.found("-p") is None:
        return None
    try:
        return bytes.fromhex("".join(text.split())).decode()
    except ValueError:
        return None


def _rev(run: Printing) -> Value | None:
    text = _input(run)
    if text is None or run.found.options:
        return None
    return "\n".join(line[::-1] for line in text.split("\n"))


def _tac(run: Printing) -> Value | None:
    text = _input(run)
    if text is None or run.found.options or not text.endswith("\n"):
        return None
    return "".join(f"{line}\n" for line in reversed(text[:-1].split("\n")))


def _tr(run: Printing) -> Value | None:
    text = run.stdin
    sets = [_members(operand.value) for operand in run.operands]
    names = [found.name for found in run.found.options]
    if not isinstance(text, str) or not sets or any(each is None for each in sets):
        return None
    first, second = sets[0] or "", (sets[1] or "") if len(sets) > 1 else ""
    if names == ["--delete"] and len(sets) == 1:
        return "".join(char for char in text if char not in first)
    if names or not second or len(sets) != 2:  # noqa: PLR2004
        return None
    second = second.ljust(len(first), second[-1])
    return text.translate({ord(char): second[index] for index, char in reversed(list(enumerate(first)))})


def _members(value: Value) -> str | None:
    """The characters of a set of `tr`: ranges and simple escapes, no classes."""
    if not isinstance(value, str) or "[" in value:
        return None
    chars = _unescaped(value)
    members = ""
    index = 0
    while index < len(chars):
        if chars[index + 1 : index + 2] == "-" and index + 2 < len(chars):
            first, last = ord(chars[index]), ord(chars[index + 2])
            if last < first or last - first > 0xFF:  # noqa: PLR2004
                return None
            members += "".join(map(chr, range(first, last + 1)))
            index += 3
        else:
            members += chars[index]
            index += 1
    return members


def _cut(run: Printing) -> Value | None:
    text = _input(run)
    names = {found.name for found in run.found.options}
    if text is None or not names <= {"--characters", "--fields", "--delimiter"}:
        return None
    span = _span(run, "--characters") or _span(run, "--fields")
    if span is None:
        return None
    lines = text.removesuffix("\n").split("\n")
    if "--fields" not in names:
        return "".join(f"{line[slice(*span)]}\n" for line in lines)
    found = run.found.found("--delimiter")
    mark = found.value if found is not None else "\t"
    if not isinstance(mark, str) or len(mark) != 1:
        return None
    return "".join(f"{mark.join(line.split(mark)[slice(*span)]) if mark in line else line}\n" for line in lines)


def _span(run: Printing, name: str) -> tuple[int, int | None] | None:
    """One range of a list of `cut`: `3`, `3-`, `-3`, `2-3`."""
    found = run.found.found(name)
    match = (
        re.fullmatch(r"(\d+)?(-)?(\d+)?", found.value) if found is not None and isinstance(found.value, str) else None
    )
    if match is None or not (match[1] or match[3]):
        return None
    first = int(match[1] or 1)
    last = (int(match[3]) if match[3] else None) if match[2] else first
    return (first - 1, last) if first > 0 else None


def _head(run: Printing) -> Value | None:
    text = _input(run)
    names = [found.name for found in run.found.options]
    if text is None or names not in ([], ["--lines"], ["--bytes"]):
        return None
    found = run.found.options[0].value if names else "10"
    if not isinstance(found, str) or not found.isdecimal():
        return None
    return text[: int(found)] if names == ["--bytes"] and text.isascii() else _lines(text, slice(0, int(found)))


def _tail(run: Printing) -> Value | None:
    text = _input(run)
    names = [found.name for found in run.found.options]
    if text is None or names not in ([], ["--lines"]):
        return None
    found = run.found.options[0].value if names else "10"
    if not isinstance(found, str) or not found.lstrip("+").isdecimal():
        return None
    count = int(found.lstrip("+"))
    if found.startswith("+"):
        return _lines(text, slice(max(count - 1, 0), None))
    return _lines(text, slice(-count, None)) if count else ""


def _lines(text: str, which: slice) -> str:
    return "".join(text.splitlines(keepends=True)[which])


def _sed(run: Printing) -> Value | None:
    """One substitution of literal text."""
    text = run.stdin
    scripts = [found.value for found in run.found.options if found.name == "--expression"]
    words = [operand.value for operand in run.operands]
    if len(run.found.options) != len(scripts) or len(scripts) + len(words) != 1 or not isinstance(text, str):
        return None
    script = (scripts + words)[0]
    match = _SUBSTITUTION.fullmatch(script) if isinstance(script, str) else None
    if match is None or not match[2] or not _LITERAL.fullmatch(match[2]):
        return None
    count = -1 if match[4] else 1
    return "".join(line.replace(match[2], match[3], count) for line in text.splitlines(keepends=True))


def _basename(run: Printing) -> Value | None:
    texts = [operand.value for operand in run.operands]
    if run.found.options or len(texts) != 1 or not isinstance(texts[0], str) or not texts[0].strip("/"):
        return None
    return texts[0].rstrip("/").rpartition("/")[2] + "\n"


def _dirname(run: Printing) -> Value | None:
    texts = [operand.value for operand in run.operands]
    if run.found.options or len(texts) != 1 or not isinstance(texts[0], str):
        return None
    return (posixpath.dirname(texts[0].rstrip("/")) or ("/" if texts[0].startswith("/") else ".")) + "\n"


def _nothing(run: Printing) -> Value | None:
    del run
    return ""


def _input(run: Printing) -> str | None:
    """The known text that a filter reads, where it reads no file."""
    text = run.stdin
    if not isinstance(text, str) or len(run.operands) > 1 or any(operand.value != "-" for operand in run.operands):
        return None
    return text


_PRINTERS: Mapping[str, Callable[[Printing], Value | None]] = {
    "base64": _base64,
    "basename": _basename,
    "cat": _cat,
    "cut": _cut,
    "dirname": _dirname,
    "echo": _echo,
    "false": _nothing,
    "head": _head,
    "printf": _printf,
    "rev": _rev,
    "sed": _sed,
    "tac": _tac,
    "tail": _tail,
    "tee": _tee,
    "tr": _tr,
    "true": _nothing,
    "xxd": _xxd,
}
