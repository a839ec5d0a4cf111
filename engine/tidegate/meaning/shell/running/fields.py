"""Words out of expanded pieces: splitting at `IFS`, and what is matched against the names of files."""

from __future__ import annotations

import re
from functools import lru_cache

from ...listings import is_plain
from ...values import Hole, Matched, Partial, Plain, Value, unknown
from ..command import Word
from .held import LONGEST, Numeric

MOST_FIELDS = 1_000
_CLASS = r"\[[:.=][^\]]*[:.=]\]"
_GLOB = re.compile(rf"[*?]|\[[!^]?(?:\](?:{_CLASS}|[^\]])*|(?:{_CLASS}|[^\]])+)\]|\\.")
NOT_A_NAME = "it is matched against the names of files"

Piece = tuple[str | Hole, bool]


class Fields:
    """Collects the pieces of one word as written and hands out the words that they make.

    *separators* are the characters of `IFS`, `None` where they are not known. *globbing* is false under `set -f`,
    *hidden* true where a pattern may match names that begin with a dot (`dotglob`, `GLOBIGNORE`) or no name at all
    (`nullglob`).
    """

    __slots__ = (
        "_expanded",
        "_globstar",
        "_hidden",
        "_many",
        "_piece",
        "_reason",
        "_separators",
        "_span",
        "_words",
        "globbing",
    )

    def __init__(
        self, span: tuple[int, int], separators: str | None, *, globbing: bool, globstar: bool, hidden: bool = False
    ) -> None:
        """Start with no word at all."""
        self._span = span
        self._separators = separators
        self.globbing = globbing
        self._globstar = globstar
        self._hidden = hidden
        self._piece: list[Piece] | None = None
        self._expanded = ""
        self._many = False
        self._reason = ""
        self._words: list[Word] = []

    def add(self, value: Value, *, active: bool) -> None:
        """Go on with *value* as it is; *active* text is a pattern where it looks like one."""
        if self._expanded:
            self._split()
        self._append(value, active=active)

    def _append(self, value: Value, *, active: bool) -> None:
        pieces = self._piece
        if pieces is None:
            pieces = self._piece = []
        if isinstance(value, str):
            pieces.append((value, active))
            return
        self._reason = self._reason or value.reason
        pieces.extend((part, active) for part in value.parts)

    def match(self, *, slashes: bool) -> None:
        """Go on with an extended pattern, of which only that is known; one of its choices may begin with a dot."""
        self.add("*", active=True)
        self._hidden = True
        if slashes and self._piece is not None:
            self._piece[-1] = (Hole.ANY, True)
            self._many = True
            self._reason = self._reason or NOT_A_NAME

    def expand(self, value: Value) -> None:
        """Go on with the result of an expansion outside quotes; what stands side by side is split as one."""
        if isinstance(value, str):
            self._expanded += value
            return
        if self._expanded:
            self._split()
        self._expand_partial(value)

    def _split(self) -> None:
        """Split what was expanded so far."""
        value, self._expanded = self._expanded, ""
        if self._separators is None:
            self._many = True
            self._append(unknown("the value of `$IFS` is not known"), active=True)
            return
        if self._separators == "":
            self._append(value, active=True)
            return
        for delimiter, text in _splitter(self._separators).findall(value):
            if text:
                self._append(text, active=True)
            elif self._piece is not None:
                self._end()
            elif delimiter.strip(" \t\n"):
                self._append("", active=False)
                self._end()

    def _expand_partial(self, value: Partial) -> None:
        separators = self._separators
        digits = separators is not None and not set("0123456789-") & set(separators)
        plain = type(value) is Plain and all(is_plain(part) for part in value.parts if isinstance(part, str))
        whole = (
            separators == ""
            or (plain and separators == " \t\n")
            or (
                digits
                and separators is not None
                and (
                    isinstance(value, Numeric)
                    or all(part is Hole.DIGITS or isinstance(part, str) for part in value.parts)
                )
                and not any(char in part for part in value.parts if isinstance(part, str) for char in separators)
            )
        )
        self._append(value, active=not plain and not isinstance(value, Numeric))
        if not whole:
            self._many = True

    def listed(self, names: tuple[Value, ...]) -> None:
        """Go on with any number of whole words, each of which is one of *names*."""
        self.end()
        self._words += [Word(name, self._span, many=True, glob=True) for name in names]

    def unknown_number(self, reason: str) -> None:
        """Go on with any number of words."""
        self.add(Partial((Hole.ANY,), reason), active=False)
        self._many = True

    def end(self) -> None:
        """End the word at hand, if there is one."""
        if self._expanded:
            self._split()
        self._end()

    def _end(self) -> None:
        if self._piece is None:
            return
        if len(self._words) >= MOST_FIELDS:
            raise OverflowError
        self._words.append(self._word(self._piece))
        self._piece = None
        self._many = False
        self._reason = ""

    def words(self) -> list[Word]:
        """End the last word and hand out all of them."""
        self.end()
        return self._words

    def _word(self, pieces: list[Piece]) -> Word:
        value: Value
        if self.globbing and self._is_glob(pieces):
            parts, reason = self._shape(pieces)
            # Nobody takes a word that is not called a glob to leave out hidden names, or to be there at all.
            known = [text for text, _ in pieces if isinstance(text, str)]
            literal = "".join(known) if len(known) == len(pieces) else None
            value = Partial(parts, reason) if self._hidden else Matched(parts, reason, literal)
            return Word(value, self._span, many=True, glob=not self._hidden)
        texts = [text for text, _ in pieces]
        known = [text for text in texts if isinstance(text, str)]
        value = Partial(_joined(texts), self._reason) if len(known) < len(texts) else "".join(known)
        if sum(map(len, known)) > LONGEST:
            value = Partial((Hole.ANY,), f"a word is longer than {LONGEST} characters")
        return Word(value, self._span, self._many)

    @staticmethod
    def _is_glob(pieces: list[Piece]) -> bool:
        active = "".join(text if isinstance(text, str) else "\0" for text, is_active in pieces if is_active)
        return "*" in active or "?" in active or ("[" in active and "]" in active.partition("[")[2])

    def _shape(self, pieces: list[Piece]) -> tuple[tuple[str | Hole, ...], str]:
        """The pieces with a hole in the place of whatever matches, and why they are not known."""
        parts: list[str | Hole] = []
        open_ = False
        for text, active in pieces:
            if isinstance(text, Hole):
                parts.append(Hole.ANY if open_ or text is Hole.ANY else text)
            elif open_:
                parts.append(Hole.ANY)
            elif not active:
                parts.append(text)
            else:
                last = 0
                for found in _GLOB.finditer(text):
                    parts.append(text[last : found.start()])
                    deep = "/" in found[0] or (self._globstar and text.startswith("**", found.start()))
                    parts.append(Hole.ANY if deep else Hole.NAME)
                    last = found.end()
                rest = text[last:]
                head, bracket, _ = rest.partition("[")
                open_ = bool(bracket)
                parts.extend((head, Hole.ANY) if open_ else (rest,))
        return _joined(parts), self._reason or NOT_A_NAME


def _joined(parts: list[str | Hole]) -> tuple[str | Hole, ...]:
    """*parts* without gaps between strings and without a hole beside the same hole."""
    joined: list[str | Hole] = []
    for part in parts:
        last = joined[-1] if joined else None
        if isinstance(part, str) and isinstance(last, str):
            joined[-1] = last + part
        elif part != "" and not (isinstance(part, Hole) and part is last and part is not Hole.DIGITS):
            joined.append(part)
    return tuple(joined)


@lru_cache(maxsize=32)
def _splitter(separators: str) -> re.Pattern[str]:
    """Finds, in turn, what separates words and what stands between."""
    blanks = re.escape("".join(char for char in separators if char in " \t\n"))
    others = re.escape("".join(char for char in separators if char not in " \t\n"))
    every = re.escape(separators)
    spaces = f"[{blanks}]*+" if blanks else ""
    choices = [f"{spaces}[{others}]{spaces}"] if others else []
    if blanks:
        choices.append(f"[{blanks}]++")
    return re.compile(f"({'|'.join(choices)})|([^{every}]++)")
