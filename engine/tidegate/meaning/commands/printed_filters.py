"""What filters are known to print of a known text."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping

from ..values import Listing, Value
from .printing import Printing, input_text, lines_of, unescaped, with_ends

_SUBSTITUTION = re.compile(r"s([/#|,:!@])([\w \-/.=]*)\1([\w \-/.=]*)\1(g?)")
_LITERAL = re.compile(r"[\w \-/=]*")


def _base64(run: Printing) -> Value | None:
    text = input_text(run)
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
    text = input_text(run)
    if text is None or run.found.found("-r") is None or run.found.found("-p") is None:
        return None
    try:
        return bytes.fromhex("".join(text.split())).decode()
    except ValueError:
        return None


def _rev(run: Printing) -> Value | None:
    text = input_text(run)
    if text is None or run.found.options or not text.isascii():  # the locale says what a character is
        return None
    return "\n".join(line[::-1] for line in text.split("\n"))


def _tac(run: Printing) -> Value | None:
    text = input_text(run)
    if text is None or run.found.options or not text.endswith("\n"):
        return None
    return "".join(f"{line}\n" for line in reversed(text[:-1].split("\n")))


def _tr(run: Printing) -> Value | None:
    text = run.stdin
    sets = [_members(operand.value) for operand in run.operands]
    names = [found.name for found in run.found.options]
    if isinstance(text, Listing) and text.end == "\n" and not names and sets == ["\n", "\0"]:
        return Listing(text.names, "\n\0", text.trees, text.reason)
    if not isinstance(text, str) or not sets or any(each is None for each in sets):
        return None
    first, second = sets[0] or "", (sets[1] or "") if len(sets) > 1 else ""
    if names == ["--delete"] and len(sets) == 1:
        return "".join(char for char in text if char not in first)
    if names or not second or len(sets) != 2:  # noqa: PLR2004
        return None
    second = second.ljust(len(first), second[-1])
    return text.translate({ord(char): second[index] for index, char in enumerate(first)})


def _members(value: Value) -> str | None:
    """The characters of a set of `tr`: ranges and simple escapes, no classes."""
    if not isinstance(value, str) or "[" in value:
        return None
    chars = unescaped(value)
    if not chars.isascii():  # it looks at bytes
        return None
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
    text = input_text(run)
    names = {found.name for found in run.found.options}
    if text is None or not names <= {"--characters", "--fields", "--delimiter"}:
        return None
    span = _span(run, "--characters") or _span(run, "--fields")
    if span is None:
        return None
    lines = text.removesuffix("\n").split("\n") if text else []
    if "--fields" not in names and not text.isascii():  # its characters are bytes
        return None
    if "--fields" not in names:
        return "".join(f"{line[slice(*span)]}\n" for line in lines)
    found = run.found.found("--delimiter")
    mark = found.value if found is not None else "\t"
    if not isinstance(mark, str) or len(mark) != 1 or not mark.isascii():
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
    text = input_text(run)
    names = [found.name for found in run.found.options]
    if text is None or names not in ([], ["--lines"], ["--bytes"]):
        return None
    found = run.found.options[0].value if names else "10"
    if not isinstance(found, str) or not found.isdecimal():
        return None
    if names == ["--bytes"]:
        return text[: int(found)] if text.isascii() else None
    return lines_of(text, slice(0, int(found)))


def _tail(run: Printing) -> Value | None:
    text = input_text(run)
    names = [found.name for found in run.found.options]
    if text is None or names not in ([], ["--lines"]):
        return None
    found = run.found.options[0].value if names else "10"
    if not isinstance(found, str) or not found.lstrip("+").isdecimal():
        return None
    count = int(found.lstrip("+"))
    if found.startswith("+"):
        return lines_of(text, slice(max(count - 1, 0), None))
    return lines_of(text, slice(-count, None)) if count else ""


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
    return "".join(line.replace(match[2], match[3], count) for line in with_ends(text))


_SELECTING = re.compile(
    r"\s*(?:(?:NR|FNR|NF)\s*[<>=!]=?\s*\d+|!?/[\w .-]*/|!?\w+\[\$0\]\+\+)?\s*(?:\{\s*print(?:\s+\$0)?\s*;?\s*\})?\s*"
)
"""A program of `awk` that prints lines as they are."""

_SORTING: Mapping[str, tuple[int, frozenset[str]]] = {
    "awk": (1, frozenset({"--field-separator"})),
    "grep": (
        1,
        frozenset({
            "--invert-match", "--ignore-case", "--no-ignore-case", "--extended-regexp", "--fixed-strings", "-y",
            "--basic-regexp", "--perl-regexp", "--word-regexp", "--line-regexp", "--no-messages", "--regexp", "--text",
            "--line-buffered", "--max-count", "--no-filename", "--file",
        }),
    ),
    "head": (0, frozenset({"--lines"})),
    "shuf": (0, frozenset({"--head-count", "--repeat"})),
    "sort": (
        0,
        frozenset({
            "--ignore-leading-blanks", "--dictionary-order", "--ignore-case", "--general-numeric-sort", "--reverse",
            "--human-numeric-sort", "--numeric-sort", "--random-sort", "--version-sort", "--key", "--unique",
            "--field-separator", "--stable", "--sort", "--parallel", "--month-sort", "--ignore-nonprinting",
        }),
    ),
    "tac": (0, frozenset()),
    "tail": (0, frozenset({"--lines"})),
    "uniq": (0, frozenset({"--ignore-case", "--unique", "--repeated"})),
}  # fmt: skip


def some_lines(program: str, run: Printing) -> Value | None:
    """What `grep`, `sort` and their kin print where they read a list of names, or nothing at all."""
    text = run.stdin
    free, options = LINES[program]
    if text != "" and (not isinstance(text, Listing) or text.end != "\n"):
        return None
    given = {found.name for found in run.found.options}
    if given & {"--regexp", "--file"}:
        free = 0
    operands = [operand.value for operand in run.operands if operand.value != "-"]
    plain = given <= options and all(found.spec is not None and found.exact for found in run.found.options)
    if program == "awk" and not (operands and isinstance(operands[0], str) and _SELECTING.fullmatch(operands[0])):
        return None
    return text if plain and run.found.complete and len(operands) <= free else None


LINES: Mapping[str, tuple[int, frozenset[str]]] = {**_SORTING, "egrep": _SORTING["grep"], "fgrep": _SORTING["grep"]}
"""What prints some of the lines that it reads: how many operands are no files, and the options that change no line."""

FILTERS: Mapping[str, Callable[[Printing], Value | None]] = {
    "base64": _base64,
    "cut": _cut,
    "head": _head,
    "rev": _rev,
    "sed": _sed,
    "tac": _tac,
    "tail": _tail,
    "tr": _tr,
    "xxd": _xxd,
}
