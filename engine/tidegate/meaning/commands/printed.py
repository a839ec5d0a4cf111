"""What commands are known to print, for pipes and substitutions; where it is not simple and exact, nothing is said."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping

from ..effects import Operand
from ..shell.command import SimpleCommand
from ..values import Value
from .printed_filters import FILTERS
from .printing import LONGEST, Printing, unescaped
from .sorting import Sorted
from .text import blank_joined, joined, known_start

_ECHO_OPTION = re.compile(r"-[neE]+")
_DIRECTIVE = re.compile(r"%(?:(?P<literal>%)|(?P<kind>[sd]))|(?P<other>%)")
_DECIMAL = re.compile(r"0|-?[1-9][0-9]{0,17}")


def printed(program: str, command: SimpleCommand, found: Sorted, operands: tuple[Operand, ...]) -> Value | None:
    """What the command prints, or `None` where that is not known."""
    printer = _PRINTERS.get(program)
    if printer is None or command.place.kind != "local":
        return None
    value = printer(Printing(found, operands, command.stdin))
    return value if not isinstance(value, str) or len(value) <= LONGEST else None


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
        return unescaped(text) + end
    return joined(text, end)


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
            written += [unescaped(piece), word]
        written.append(unescaped(pieces[-1]))
        words = words[taking:] if taking else []
        if not words or len(written) > LONGEST:
            return "".join(written)


def _cat(run: Printing) -> Value | None:
    if run.found.options or any(operand.value != "-" for operand in run.operands):
        return None
    return run.stdin


def _tee(run: Printing) -> Value | None:
    return run.stdin


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


_PRINTERS: Mapping[str, Callable[[Printing], Value | None]] = {
    **FILTERS,
    "basename": _basename,
    "cat": _cat,
    "dirname": _dirname,
    "echo": _echo,
    "false": _nothing,
    "printf": _printf,
    "tee": _tee,
    "true": _nothing,
}
