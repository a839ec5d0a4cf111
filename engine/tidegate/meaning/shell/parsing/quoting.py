"""What quotes stand for: the escapes of `$'…'`, and the delimiter of a here-document."""

from __future__ import annotations

import re

ANSI_ESCAPE = re.compile(
    r"\\(?:([abeEfnrtv\\'\"?])|([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|x\{|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|c(.)|)",
    re.DOTALL,
)
_CONTROL = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_LAST_CODE_POINT = 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)
_DELETE = 0x7F


def ansi_c(text: str) -> str | None:
    """What `$'text'` stands for, or `None` where it is no valid Unicode text or hard to tell.

    A NUL ends the text, as it does in bash. Source: the Bash manual, section "ANSI-C Quoting".
    """
    if "\\" not in text:
        return text
    pieces: list[bytes] = []
    last = 0
    for escape in ANSI_ESCAPE.finditer(text):
        pieces.append(text[last : escape.start()].encode())
        byte = _escaped(escape)
        if byte is None:
            return None
        pieces.append(byte)
        last = escape.end()
        if byte == b"\0":
            last = len(text)
            break
    pieces.append(text[last:].encode())
    try:
        return b"".join(pieces).partition(b"\0")[0].decode()
    except UnicodeDecodeError:
        return None


def _escaped(escape: re.Match[str]) -> bytes | None:
    plain, octal, short, four, eight, control = escape.groups()
    if plain:
        return _CONTROL[plain].encode()
    if octal:
        return bytes((int(octal, 8) & 0xFF,))
    if short:
        return bytes((int(short, 16),))
    if four or eight:
        point = int(four or eight, 16)
        return None if point > _LAST_CODE_POINT or point in _SURROGATES else chr(point).encode()
    if control:
        return None if not control.isascii() or control == "\\" else _control_character(control)
    return None if escape.group() == "\\x{" else b"\\"


def _control_character(letter: str) -> bytes:
    return bytes((_DELETE if letter == "?" else ord(letter.upper()) & 0x1F,))


_DELIMITER_PIECE = re.compile(
    r"([^ \t\n|&;()<>'\"`$\\\ufdd0]++|\$(?![({\['\"`\\]))|\\([^\n])|'([^']*+)'|\"([^\"\\$`\ufdd0]*+)\"|(\\\n)"
)
_UNFINISHED = frozenset("\"'`$\\\ufdd0(")


def delimiter(text: str, pos: int) -> tuple[str, bool, int] | None:
    """The delimiter of a here-document at *pos*, whether it is quoted, and where it ends.

    `None` where it holds something whose quotes are hard to remove.
    """
    pieces: list[str] = []
    quoted = False
    while found := _DELIMITER_PIECE.match(text, pos):
        pos = found.end()
        if found[5] is None:
            pieces.append(found[found.lastindex or 0])
            quoted = quoted or found.lastindex != 1
    word = "".join(pieces)
    if not pieces or "\n" in word or text[pos : pos + 1] in _UNFINISHED:
        return None
    return word, quoted, pos
