"""What the TOML parser refuses, in plain words and at the place where the author has to look."""

from __future__ import annotations

import re
from collections.abc import Callable

import tomli
from attrs import frozen

from ..errors import Finding
from ..shown import quote
from .document import Document
from .scan import MAX_DEPTH, Offsets, scan_prefix

_TOKEN = re.compile(r"[^\s,\]}=]+|\S")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_*/.-]*")
_INTEGER = re.compile(r"[+-]?[0-9_]{1000,}")

_WHY = "nothing of a file that is not valid TOML is loaded, as its rules could mean something else than they say"
_WHY_TWICE = "which of the two was meant to hold cannot be known"

Place = Callable[[str, int, Offsets], int]


def _here(_text: str, at: int, _offsets: Offsets) -> int:
    return at


def _backslash(text: str, at: int, _offsets: Offsets) -> int:
    return text.rfind("\\", 0, at)


def _opening_quote(_text: str, at: int, offsets: Offsets) -> int:
    return max(offsets.values.values(), default=at)


@frozen
class _Plain:
    """A refusal in plain words; `{found}` is what stands at the place."""

    what: str
    mend: str
    place: Place = _here


_UNCLOSED_STRING = _Plain(
    "this string has no closing quote", "close it on the same line, or write it between triple quotes", _opening_quote
)
_CONTROL = _Plain("a control character stands here unescaped", "remove it, or write it as an escape like `\\u001b`")

_REFUSALS: tuple[tuple[str, _Plain], ...] = (
    ("Invalid statement", _Plain(
        "{found} begins neither a key nor a table nor a comment",
        'begin the line with a key (`default = "deny"`), a table (`[[rule]]`) or `#`',
    )),
    ("Expected newline or end of document", _Plain(
        "{found} stands behind a complete value",
        "give each key its own line; text stands in quotes, integers have no leading zero, dates look like 2026-12-31",
    )),
    ("Expected '=' after a key", _Plain(
        "there is no `=` behind this key", "write `key = value`; a key with blanks or other signs stands in quotes"
    )),
    ("Expected ']]'", _Plain(
        "this header of an array of tables does not end with `]]`", "write it on one line, like `[[rule]]`"
    )),
    ("Expected ']'", _Plain(
        "this header of a table does not end with `]`",
        'write it on one line, like `[tools.read_file]`; a name with other signs stands in quotes: `[tools."read_*"]`',
    )),
    ("Invalid initial character for a key part", _Plain(
        "{found} cannot begin a key", "put a key with other signs than letters, digits, `-` and `_` in quotes"
    )),
    ("Unclosed array", _Plain(
        "{found} stands where an array goes on with `,` or ends with `]`", "write the missing `,` or `]`"
    )),
    ("Unclosed inline table", _Plain(
        "{found} stands where an inline table goes on with `,` or ends with `}}`", "write the missing `,` or `}}`"
    )),
    ("Unescaped '\\\\'", _Plain(
        "this backslash begins no escape",
        "double it, or put the string in single quotes, in which a backslash is only a backslash: `'\\d+'`",
        _backslash,
    )),
    ("Invalid hex value", _Plain(
        "this escape lacks hex digits", "write two of them behind `\\x`, four behind `\\u` and eight behind `\\U`",
        _backslash,
    )),
    ("Escaped character is not", _Plain(
        "this escape names no character",
        "write the character itself; surrogates (d800 to dfff) are only halves of one",
        _backslash,
    )),
    ("Unterminated string|Expected \"'+\"|(Illegal|Found invalid) character '\\\\n'", _UNCLOSED_STRING),
    ("Illegal character|Found invalid character", _CONTROL),
    ("Invalid date", _Plain("{found} is no date of the calendar", "write a date that exists, like 2026-12-31")),
)  # fmt: skip


def refused(file: str, text: str, error: tomli.TOMLDecodeError) -> Finding:
    """The finding for a text that is not valid TOML."""
    shown = Document(file, text, {})
    offsets = scan_prefix(text[: error.pos])
    if error.msg.startswith(("Cannot ", "Duplicate ")):
        return _twice(shown, offsets)
    if error.msg == "Invalid value":
        plain = _no_value(text, error.pos)
    else:
        fallback = _Plain("the text is not valid TOML here", f"TOML's parser says: {error.msg}")
        plain = next((plain for pattern, plain in _REFUSALS if re.match(pattern, error.msg)), fallback)
    at = plain.place(text, error.pos, offsets)
    what = plain.what.format(found=_found(text, at))
    return Finding(*shown.at(at), "toml-syntax", what, _WHY, plain.mend.replace("}}", "}"))


def too_deep(file: str, text: str) -> Finding:
    """The finding for a text whose tables and arrays are nested deeper than `MAX_DEPTH`."""
    return Finding(
        *Document(file, text, {}).at(scan_prefix(text).statement),
        "nesting-too-deep",
        f"tables and arrays are nested more than {MAX_DEPTH} deep",
        "no rule needs such depth, and what reads it could run out of stack",
        "nest less",
    )


def too_many_digits(file: str, text: str) -> Finding:
    """The finding for a text with an integer that is too long to be read."""
    offsets = sorted(scan_prefix(text).values.values())
    at = next((offset for offset in offsets if _INTEGER.match(text, offset)), 0)
    return Finding(
        *Document(file, text, {}).at(at),
        "toml-syntax",
        "this integer has thousands of digits",
        "reading it would take time that grows with the square of its length",
        "write a number that the rule can need",
    )


def _twice(shown: Document, offsets: Offsets) -> Finding:
    """The finding for a key that is written twice, or for one that adds to a table which is complete."""
    path, at = next((again for again in offsets.again if again[1] >= offsets.statement), ((), offsets.statement))
    if not path:
        what, mend = "this adds to a table that is complete", "write all keys of a table in one place"
        why = "an inline table ends with its brace, and a table with a header at the next header"
        return Finding(*shown.at(at), "duplicate-key", what, why, mend)
    name = quote(".".join(str(step) for step in path if isinstance(step, str)))
    what = f"{name} is already written at line {shown.at(offsets.keys[path]).line}"
    return Finding(*shown.at(at), "duplicate-key", what, _WHY_TWICE, "keep one of the two")


def _found(text: str, at: int) -> str:
    if at >= len(text):
        return "the end of the file"
    if text[at] == "\n":
        return "the end of the line"
    token = _TOKEN.match(text, at)
    return quote(token[0] if token else text[at], 40)


def _no_value(text: str, at: int) -> _Plain:
    word = _WORD.match(text, at)
    if word is None:
        return _Plain("{found} is no value", "write a value; text stands in quotes")
    if word[0].casefold() in {"true", "false"}:
        return _Plain("{found} is no value", f"write `{word[0].casefold()}`, in lower case")
    if word[0].casefold() in {"null", "none", "nil"}:
        return _Plain("{found} is no value", "leave the key out; TOML has no null")
    return _Plain("{found} is no value", f'write `"{word[0]}"`; text stands in quotes')
