# ruff: noqa: RUF001, RUF002  this is the table of look-alikes
"""Text reduced to what it looks like."""

from __future__ import annotations

import re
import unicodedata

# Letters that are drawn like a Latin one, by eye from the charts of Unicode. Characters that NFKD already takes
# apart (fullwidth, circled, mathematical) need no entry, and no ASCII character is a look-alike of another:
# `0` and `O` are two names to every file system and every reader of code.
_ALIKE = {
    "a": "аαɑᴀΑА",
    "b": "вьβʙВΒƄ",
    "c": "сᴄС",
    "d": "ԁᴅ",
    "e": "еεᴇЕΕҽ",
    "f": "ϝƒꞙ",
    "g": "ɡɢցԌ",
    "h": "һнʜհНΗҺ",
    "i": "іιıɪɩІΙ",
    "j": "јᴊЈϳ",
    "k": "кκᴋĸКΚ",
    "l": "ӏʟǀӀ",
    "m": "мᴍМΜ",
    "n": "пηոɴΝ",
    "o": "оοօᴏОΟՕ",
    "p": "рρᴘРΡ",
    "q": "ԛզԚ",
    "r": "гʀᴦ",
    "s": "ѕꜱЅՏ",
    "t": "тτᴛТΤ",
    "u": "υսᴜՍ",
    "v": "νѵᴠѴ",
    "w": "ԝωѡᴡԜ",
    "x": "хχХΧ",
    "y": "уγʏУΥү",
    "z": "ᴢΖ",
    ".": "。",
    "/": "⁄∕⧸",
    "\\": "∖⧵",
    ":": "꞉∶ː",
    "-": "‐–—−‒―",
    "~": "∼",
}
_UPPER = {ord(other): plain for plain, others in _ALIKE.items() for other in others if other != other.casefold()}
_LOWER = {ord(other): plain for plain, others in _ALIKE.items() for other in others if other == other.casefold()}
_UNSEEN_KINDS = ("Cc", "Cf", "Zl", "Zp")
_UNSEEN_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0\u2800") | frozenset(
    map(chr, [*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)])
)
_ODD = re.compile(r"[\x00-\x1f\x7f\\]")


def fold(text: str) -> str:
    """Reduce *text* to what it looks like.

    It is as `caseless` leaves it, with Latin letters where it is drawn like them. Two letters that differ in case
    only may look like different ones (`Ν` is `n`, `ν` is `v`).
    """
    if text.isascii():
        return caseless(text)
    return caseless(unicodedata.normalize("NFKD", text).translate(_UPPER)).translate(_LOWER).replace("\\", "/")


def caseless(text: str) -> str:
    """Reduce *text* to what a forgiving file system compares.

    It is decomposed (NFKD), loses case and invisible characters, and has `/` for every separator.
    """
    if text.isascii():
        plain = text.lower()
        return _visible(plain).replace("\\", "/") if _ODD.search(plain) else plain
    seen = _visible(unicodedata.normalize("NFKD", text)).casefold()
    return _visible(unicodedata.normalize("NFKD", seen)).replace("\\", "/")


def _visible(text: str) -> str:
    kinds = ((char, unicodedata.category(char)) for char in text)
    return "".join(
        " " if kind == "Zs" else char
        for char, kind in kinds
        if kind not in _UNSEEN_KINDS and char not in _UNSEEN_LETTERS
    )
