"""Whether a value stands in a text as a whole, and not as a part of some other value."""

from __future__ import annotations

import re
import unicodedata

_JOINERS = r".\-@+/%&#~\\"
_RUN = re.compile(f"[{_JOINERS}]*\\Z")
_LONGEST_RUN = 64
MOST_TRIES = 10_000
"""How many places of one text are looked at; a value that stands in none of them is not in it."""


def occurs(value: str, text: str) -> bool:
    """Whether *value* stands in *text* as a whole.

    Letters and digits beside it make it a part of something else, and so do `.`, `-`, `@`, `+`, `/` and the like where
    letters or digits stand behind them: `bob@example.com` stands neither in `notbob@example.com` nor in
    `bob@example.com.evil.test`, but in `(bob@example.com).` it does. Between digits `,` and `:` count as well, and a
    number with a sign before it is another number. An empty value stands nowhere.
    """
    if not value.strip():
        return False
    after = f"(?![{_JOINERS}]*\\w)" if not _joins(value[-1]) else f"(?![{_JOINERS}\\w])"
    after += r"(?![,:]\d)" if value[-1].isdigit() else ""
    before = r"(?<!\d[,:])(?<![-.])" if value[0].isdigit() else ""
    before += "(?<!\\w)" if not _joins(value[0]) else f"(?<![{_JOINERS}\\w])"
    pattern = re.compile(f"{before}{re.escape(value)}{after}")
    for tries, found in enumerate(pattern.finditer(text)):
        if tries >= MOST_TRIES:
            return False
        if _begins(text, found.start()):
            return True
    return False


def normalised(text: str) -> str:
    """The text without what people and tools change in passing: case, width, how much blank stands between words."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _joins(character: str) -> bool:
    return re.fullmatch(f"[{_JOINERS}]", character) is not None


def _begins(text: str, start: int) -> bool:
    """Whether what ends at *start* is not joined to what begins there."""
    head = text[max(0, start - _LONGEST_RUN) : start]
    run = _RUN.search(head)
    rest = head[: run.start()] if run is not None else head
    if not rest:
        return start <= _LONGEST_RUN  # nothing but joiners, as far as one looks
    return len(rest) == len(head) or re.match(r"\w", rest[-1]) is None
