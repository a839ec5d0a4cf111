"""Bytes to a document: encoding, size, TOML, depth. Whatever the bytes, the result is a document or a finding."""

from __future__ import annotations

import codecs
import re
from typing import Any

import tomli

from ..errors import Finding
from . import syntax
from .document import Document, Of
from .scan import MAX_DEPTH, KeyPath

MAX_BYTES = 4 * 1024 * 1024
"""How large a rule file may be."""

# A NUL cannot stand in a text that TOML accepts, only be written as an escape.
_NUL = re.compile(r"\\(?:x00|u0000|U00000000)")


def parse(data: bytes, file: str, report: list[Finding]) -> Document | None:
    """The document that *data* holds, or `None`; what is wrong with it is added to *report*.

    A byte order mark is reported and then ignored, so that the other findings of the file are reported as well.
    """
    if len(data) > MAX_BYTES:
        report.append(_too_large(file))
        return None
    if data.startswith(codecs.BOM_UTF8):
        report.append(_byte_order_mark(file))
        data = data[len(codecs.BOM_UTF8) :]
    try:
        text = data.decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        report.append(_not_utf8(file, data, error))
        return None
    values = _values(file, text, report)
    if values is None:
        return None
    document = Document(file, text, values)
    if _NUL.search(text):
        report.extend(_nul(document, path, of) for path, of in _with_nul(values))
    return document


def _values(file: str, text: str, report: list[Finding]) -> dict[str, Any] | None:
    try:
        values = tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        report.append(syntax.refused(file, text, error))
    except RecursionError:
        report.append(syntax.too_deep(file, text))
    except ValueError:  # all that is left is an integer beyond Python's limit of digits
        report.append(syntax.too_many_digits(file, text))
    else:
        if not _deeper_than(MAX_DEPTH, values):
            return values
        report.append(syntax.too_deep(file, text))
    return None


def _deeper_than(most: int, values: dict[str, Any]) -> bool:
    level: list[Any] = [values]
    for _ in range(most + 1):
        items = (node.values() if isinstance(node, dict) else node for node in level)
        level = [item for inner in items for item in inner if isinstance(item, dict | list)]
        if not level:
            return False
    return True


def _with_nul(values: dict[str, Any]) -> list[tuple[KeyPath, Of]]:
    """All keys and strings that hold a NUL."""
    found: list[tuple[KeyPath, Of]] = []
    todo: list[tuple[KeyPath, Any]] = [((), values)]
    while todo:
        path, value = todo.pop()
        if isinstance(value, str) and "\0" in value:
            found.append((path, "value"))
        elif isinstance(value, list):
            todo.extend(((*path, index), item) for index, item in enumerate(value))
        elif isinstance(value, dict):
            found.extend(((*path, key), "key") for key in value if "\0" in key)
            todo.extend(((*path, key), item) for key, item in value.items())
    return found


def _nul(document: Document, path: KeyPath, of: Of) -> Finding:
    return document.finding(
        path,
        "nul-character",
        "a NUL character stands in this string",
        why="programs end a text at NUL, so what a rule compares is not what a tool would use",
        mend="remove the escape that stands for it",
        of=of,
    )


def _byte_order_mark(file: str) -> Finding:
    return Finding(
        file,
        1,
        1,
        "byte-order-mark",
        "the file begins with a byte order mark",
        "a rule file begins with its first key, and some readers take the mark for a part of that",
        "save the file as UTF-8 without BOM",
    )


def _too_large(file: str) -> Finding:
    return Finding(
        file,
        0,
        0,
        "file-too-large",
        f"the file has more than {MAX_BYTES} bytes",
        "reading it would hold up every start",
        "split it and `include` the parts, or move data out of the rules",
    )


def _not_utf8(file: str, data: bytes, error: UnicodeDecodeError) -> Finding:
    before = data[: error.start].decode()
    line, start = before.count("\n") + 1, before.rfind("\n") + 1
    utf16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return Finding(
        file,
        line,
        len(before) - start + 1,
        "not-utf8",
        "the file is UTF-16" if utf16 else f"the byte 0x{data[error.start]:02x} is not UTF-8 here",
        "a rule file is UTF-8, and guessing another encoding could change what a rule says",
        "save the file as UTF-8" + ("" if utf16 else "; the bytes before this place are fine"),
    )
