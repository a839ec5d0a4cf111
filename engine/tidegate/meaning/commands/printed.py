"""What commands are known to print, for pipes and substitutions; where it is not simple and exact, nothing is said."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping

from ..effects import Operand
from ..shell.command import SimpleCommand
from ..values import Value
from .printed_facts import PRINT_FACTS
from .printed_filters import FILTERS, LINES, some_lines
from .printed_names import PRINT_NAMES
from .printing import LONGEST, Printing, unescaped, whole
from .sorting import Sorted
from .text import blank_joined, joined, known_start, last_component

_ECHO_OPTION = re.compile(r"-[neE]+")
_DIRECTIVE = re.compile(r"%(?:(?P<literal>%)|(?P<kind>[sbd]))|(?P<other>%)")
_BUILTIN = frozenset({"echo", "false", "printf", "pwd", "true"})
_UNLIKE = re.compile(r"\\(?![0abfnrtv\\])")
"""An escape for `%b` that shells read in different ways, or none."""

_DECIMAL = re.compile(r"0|-?[1-9][0-9]{0,17}")


def printed(program: str, command: SimpleCommand, found: Sorted, operands: tuple[Operand, ...]) -> Value | None:
    """What the command prints, or `None` where that is not known."""
    if program == "pwd" and (command.wrappers or command.words[0].value != program):
        return None  # which tells where links lead
    if command.place.kind != "local" or not (program in _BUILTIN or _is_trusted(program, command)):
        return None
    lines = some_lines(program, Printing(found, operands, command.stdin)) if program in LINES else None
    printer = _PRINTERS.get(program)
    if printer is None or lines is not None:
        return lines
    value = printer(Printing(found, operands, command.stdin, command.cwds))
    return value if not isinstance(value, str) or len(value) <= LONGEST else None


def _is_trusted(program: str, command: SimpleCommand) -> bool:
    """Whether the name surely means the program of the system."""
    path = command.words[0].value
    return command.lookup and (path == program or path in (f"/bin/{program}", f"/usr/bin/{program}"))


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
        return whole(unescaped(text, zero=True) + end)
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
            if directive["kind"] == "b":
                if _UNLIKE.search(word):
                    return None
                word = unescaped(word, zero=True)
            written += [unescaped(piece), word]
        written.append(unescaped(pieces[-1]))
        words = words[taking:] if taking else []
        if not words or len(written) > LONGEST:
            return whole("".join(written))


def _cat(run: Printing) -> Value | None:
    if run.found.options or any(operand.value != "-" for operand in run.operands):
        return None
    return run.stdin


def _tee(run: Printing) -> Value | None:
    return run.stdin


def _basename(run: Printing) -> Value | None:
    texts = [operand.value for operand in run.operands]
    if run.found.options or any(operand.many for operand in run.operands) or len(texts) not in (1, 2):
        return None
    end = texts[1] if len(texts) > 1 else ""
    if not isinstance(end, str) or (isinstance(texts[0], str) and not texts[0].strip("/")):
        return None
    name = last_component(texts[0])
    if isinstance(name, str):
        return (name.removesuffix(end) if name != end else name) + "\n"
    if end and not (name.suffix.endswith(end) and len(name.parts) > 1):
        return None
    return (
        joined(*name.parts[:-1], name.suffix.removesuffix(end), "\n", reason=name.reason) if end else joined(name, "\n")
    )


def _dirname(run: Printing) -> Value | None:
    texts = [operand.value for operand in run.operands]
    if run.found.options or len(texts) != 1 or not isinstance(texts[0], str):
        return None
    return (posixpath.dirname(texts[0].rstrip("/")) or ("/" if texts[0].startswith("/") else ".")) + "\n"


def _pwd(run: Printing) -> Value | None:
    """The folder that the shell is in, where it is known and no link is to be followed."""
    where = run.cwds[0] if len(run.cwds) == 1 and not run.found.options and not run.operands else None
    return f"{where}\n" if isinstance(where, str) else None


def _nothing(run: Printing) -> Value | None:
    del run
    return ""


_PRINTERS: Mapping[str, Callable[[Printing], Value | None]] = {
    **FILTERS,
    **PRINT_FACTS,
    **PRINT_NAMES,
    "basename": _basename,
    "cat": _cat,
    "dirname": _dirname,
    "echo": _echo,
    "false": _nothing,
    "printf": _printf,
    "pwd": _pwd,
    "tee": _tee,
    "true": _nothing,
}
PRINTING = frozenset({*_PRINTERS, *LINES})
"""The programs of which something is known."""
