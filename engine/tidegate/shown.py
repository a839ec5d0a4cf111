"""The one escaper: everything that is shown to a person or written to a log goes through it, once."""

from __future__ import annotations

import re

# Ranges instead of a walk over `unicodedata`, because this module is imported on every start; a test holds
# them against the Unicode tables. In order: controls; blanks that are no space; marks and fillers that draw
# nothing; format characters (zero width, bidi, tags); line separators; lone surrogates.
_UNSEEN = (
    r"\x00-\x1f\x7f-\x9f"
    r"\xa0\u1680\u2000-\u200a\u202f\u205f\u3000\u2800"
    r"\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufffb"
    r"\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"
    r"\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    r"\u2028\u2029"
    r"\ud800-\udfff"
)
_HIDDEN = re.compile(rf"[{_UNSEEN}]|\\(?=u\{{)")
_HIDDEN_OR_TICK = re.compile(rf"[{_UNSEEN}`]|\\(?=u\{{)")
_PIECE = re.compile(r"\\u\{[0-9a-f]+\}|.", re.DOTALL)


def escape(text: str, limit: int | None = None) -> str:
    r"""Make every character visible that a reader could not see or that moves what is around it.

    Controls (tab and newline among them), bidi and other format characters, blanks that are no plain space,
    fillers, tags and lone surrogates become `\u{202e}`. So does a backslash that would make the text look
    escaped already, so that no two texts are shown alike.

    With *limit* the result has at most that many code points; what was cut shows as a final `…`, and an
    escape is never cut in half.
    """
    return _cut(text, limit, _HIDDEN)


def quote(text: str, limit: int | None = 80) -> str:
    """The text escaped, shortened and in backticks, so that it cannot end the quotation by itself."""
    return f"`{_cut(text, limit, _HIDDEN_OR_TICK)}`"


def _cut(text: str, limit: int | None, hidden: re.Pattern[str]) -> str:
    if limit is None:
        return hidden.sub(_visible, text)
    # No escape is shorter than its character, so what lies past the limit can never be shown.
    shown = hidden.sub(_visible, text[: limit + 1])
    if len(shown) <= limit:
        return shown
    kept, room = [], limit - 1
    for piece in _PIECE.findall(shown):
        if len(piece) > room:
            break
        kept.append(piece)
        room -= len(piece)
    return "".join(kept) + "…"


def _visible(match: re.Match[str]) -> str:
    return f"\\u{{{ord(match[0]):x}}}"
