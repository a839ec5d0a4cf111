"""The reader's place in the text: positions, spans, depth, blanks, and what ends the reading."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import NoReturn, Self

from ...values import Value
from .syntax import Heredoc, Missing, Node, Part, RawWord, Sequence

HOLE = "\ufdd0"
"""Stands in the text for a stretch that nobody knows. A noncharacter: where it was written by somebody, it is
read as unknown too, which is true as far as anybody can tell."""

WORD_END = r"(?=(?:\\\n)*+(?:[ \t\n;|&()<>]|\Z))"
"""The end of a word, for regular expressions; lines may be joined before it."""

BLANKS = re.compile(r"(?:[ \t]++|\\\n)*+(?:#[^\n]*+)?")
_BLANK_STARTS = frozenset(" \t\\#")
CONTINUED = re.compile(r"(?:\\\n)++")


class Unreadable(Exception):
    """The text cannot be read on from here: a syntax error, or something that is not modelled.

    `foreign` tells that the shell in question refuses it for certain.
    """

    def __init__(self, reason: str, *, foreign: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.foreign = foreign


class Grammar:
    """What the parsers of one text and of the texts inside it share.

    `posix` reads as a POSIX shell without extensions does. `extglob` tells that `@(…)` is a pattern everywhere.
    `aliases` are expanded in the position of a command. `spare` is how many characters may still be read a
    second time (`$((` that turns out to be a command), `commands` how many simple commands may still come,
    `splices` how many aliases may still be expanded. `defaults` becomes true with the first `${x:-…}`, `bashisms`
    when a POSIX shell would read something differently.
    """

    __slots__ = ("aliases", "bashisms", "commands", "defaults", "depth", "extglob", "posix", "spare", "splices")

    def __init__(self, *, posix: bool = False, extglob: bool = False, depth: int = 64, commands: int = 2_000) -> None:
        """Start with a grammar that has seen nothing yet."""
        self.posix = posix
        self.extglob = extglob
        self.depth = depth
        self.spare = 1_000_000
        self.bashisms = False
        self.defaults = False
        self.aliases: dict[str, str | None] = {}
        self.splices = 100
        self.commands = commands


class Scanner(ABC):
    """A place in a text. Everything that reads is built on top of it, one class per part of the grammar.

    `base` and `scale` turn positions into spans: `scale` is 0 where the text is not what was written, so
    that every span is that of the whole construct, from `base` to `limit`. `holes` is what is known of each hole of
    this very text, if anything.
    """

    __slots__ = ("base", "depth", "end", "grammar", "holes", "inside", "limit", "pending", "pos", "scale", "text")

    def __init__(self, text: str, grammar: Grammar, depth: int = 0) -> None:
        """Stand at the start of *text*, *depth* constructs deep."""
        self.text = text
        self.end = len(text)
        self.pos = 0
        self.grammar = grammar
        self.depth = depth
        self.inside = 0
        self.pending: list[Heredoc] = []
        self.base = self.limit = 0
        self.scale = 1
        self.holes: tuple[Value, ...] = ()

    def inner(self, text: str, start: int, end: int, *, verbatim: bool) -> Self:
        """A scanner over *text*, which stands from *start* to *end* here; *verbatim* where it is that very text."""
        scanner = type(self)(text, self.grammar, self.depth)
        if verbatim and self.scale:
            scanner.base = scanner.limit = self.base + start
        else:
            scanner.scale = 0
            scanner.base, scanner.limit = self.span(start, end)
        return scanner

    def hole(self, place: int) -> Missing:
        """The hole at *place*; what is known of it where whoever made the text has said that under `holes`."""
        number = self.text.count(HOLE, 0, place) if self.holes else 0
        return Missing(False, self.holes[number] if number < len(self.holes) else None)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The span of the text from *start* to *end*."""
        return start * self.scale + self.base, end * self.scale + self.limit

    def raw(self, parts: list[Part], start: int) -> RawWord:
        """A word of expansions, from *start* to here."""
        return RawWord(None, tuple(parts), *self.span(start, self.pos))

    def fail(self, reason: str) -> NoReturn:
        """Give up on this text, for *reason*."""
        raise Unreadable(reason)

    def enter(self) -> None:
        """Go one construct deeper."""
        self.depth += 1
        if self.depth > self.grammar.depth:
            self.fail(f"constructs are nested more than {self.grammar.depth} deep")

    def bashism(self, what: str) -> None:
        """Note that *what* is an extension; a POSIX shell does not read on here."""
        self.grammar.bashisms = True
        if self.grammar.posix:
            raise Unreadable(f"{what} is not POSIX", foreign=True)

    def blanks(self) -> str:
        """Skip blanks, joined lines and a comment; return the character that follows, or nothing at the end."""
        char = self.text[self.pos : self.pos + 1]
        if char not in _BLANK_STARTS:
            return char
        found = BLANKS.match(self.text, self.pos)
        assert found is not None  # noqa: S101 it matches the empty text
        self.pos = found.end()
        return self.text[self.pos : self.pos + 1]

    def whole(self) -> None:
        """Make sure that the operator that ends here is not continued on the next line.

        Bash joins lines before it reads operators, so that `&`, backslash, newline, `&` is `&&`.
        """
        if self.text.startswith("\\\n", self.pos):
            found = CONTINUED.match(self.text, self.pos)
            if found is not None and self.text[found.end() : found.end() + 1] in set("<>&|;(){[!=-'\"$`"):
                self.fail("an operator is split over two lines")

    @abstractmethod
    def newline(self) -> None:
        """Step over a newline and over the here-documents that begin behind it."""

    @abstractmethod
    def sequence(self) -> Sequence:
        """Read commands up to something that no command can begin with."""

    @abstractmethod
    def script(self) -> Sequence:
        """Read all of the text as commands; what cannot be read becomes opaque."""

    @abstractmethod
    def command(self) -> Node | None:
        """Read one command; nothing where none begins here."""

    @abstractmethod
    def parameter(self, *, quoted: bool) -> Part:
        """Read `${…}`."""

    @abstractmethod
    def arithmetic(self, close: str) -> RawWord:
        """Read an arithmetic expression up to the *close* that ends it, and stop before that."""
