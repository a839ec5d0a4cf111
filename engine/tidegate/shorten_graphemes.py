"""Where text may be cut: between what a reader sees as characters, of several code points each."""

from __future__ import annotations

from unicodedata import category, combining

_ZWJ = "\u200d"
_PREPENDED = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd")


def boundary_before(text: str, at: int) -> int:
    """The last place up to *at* where *text* may be cut."""
    while 0 < at < len(text) and not _may_part(text, at):
        at -= 1
    return at


def boundary_after(text: str, at: int) -> int:
    """The first place from *at* on where *text* may be cut."""
    while 0 < at < len(text) and not _may_part(text, at):
        at += 1
    return at


def _may_part(text: str, at: int) -> bool:
    """Whether no extended grapheme cluster reaches over *at*.

    It may say no where there is a boundary after all (after a joiner, after a mark that joins letters), never the
    other way round.

    Source: Unicode Standard Annex #29, section 3.1.1, rules GB3 to GB13.
    """
    before, after = text[at - 1], text[at]
    if before <= "~" and after <= "~":
        return not (before == "\r" and after == "\n")
    if _extends(after) or before == _ZWJ or before in _PREPENDED:
        return category(before) in ("Cc", "Zl", "Zp") and before != _ZWJ
    if _is_hangul(before) and _is_hangul(after):
        return not _joins_hangul(before, after)
    if _is_regional(before) and _is_regional(after):
        return _regionals_before(text, at) % 2 == 0
    # A virama joins the consonants around it; a nukta may stand between.
    return not (combining(before) in (7, 9) and category(after) == "Lo")


def _extends(character: str) -> bool:
    """Whether it belongs to the character before it: marks, joiners, skin tones, tags, halfwidth sound marks."""
    return (
        category(character)[0] == "M"
        or character in "\u200c\u200d\uff9e\uff9f"
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e007f"
        or character in "\u0e33\u0eb3"
    )


def _is_hangul(character: str) -> bool:
    return "\u1100" <= character <= "\u11ff" or "\ua960" <= character <= "\ua97f" or "\uac00" <= character <= "\ud7ff"


def _joins_hangul(before: str, after: str) -> bool:
    """Whether one syllable goes on: after a leading consonant anything does, after the rest no leading consonant."""
    leads = "\u1100" <= before <= "\u115f" or "\ua960" <= before <= "\ua97f"
    continues = "\u1160" <= after <= "\u11ff" or after >= "\ud7b0"
    return leads or continues


def _is_regional(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _regionals_before(text: str, at: int) -> int:
    """How many regional indicators stand right before *at*; two of them are one flag."""
    start = at
    while start > 0 and _is_regional(text[start - 1]):
        start -= 1
    return at - start
