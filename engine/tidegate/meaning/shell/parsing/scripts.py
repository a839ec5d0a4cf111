"""Lists, pipelines and complete commands: what stands between simple commands."""

from __future__ import annotations

import re

from .assignments import AssignmentParser
from .scanner import WORD_END, Grammar, Unreadable
from .syntax import AndOr, Node, Opaque, Pipeline, Sequence

_PREFIX = re.compile(
    f"(!{WORD_END})|time{WORD_END}" + r"(?:[ \t]++-p" + WORD_END + r")?+(?:[ \t]++--" + WORD_END + ")?+"
)
_OPERATORS = frozenset("<>&|;")
_ALIASED = re.compile(r"[^ \t\n|&;()<>'\"`$\\\ufdd0]++(?=[ \t\n|&;()<>]|\Z)")


class ScriptParser(AssignmentParser):
    """Reads lists and pipelines, and the text as the complete commands that the shell runs one by one."""

    __slots__ = ("aliased", "busy")

    def __init__(self, text: str, grammar: Grammar, depth: int = 0) -> None:
        """Stand at the start of *text*, *depth* constructs deep."""
        super().__init__(text, grammar, depth)
        self.busy: list[tuple[str, int]] = []
        self.aliased = -1

    def script(self) -> Sequence:
        """Read all of the text as commands; what cannot be read becomes opaque."""
        items: list[tuple[Node, bool]] = []
        while (unit := self.unit()) is not None:
            items.append((unit, False))
        return Sequence(tuple(items))

    def unit(self) -> Node | None:
        """Read the next complete command, which ends with its line; nothing at the end of the text.

        The shell runs each one before it reads the next, so that a syntax error does not undo what stands
        before it. A command that cannot be read is opaque with everything behind it.
        """
        start = self.pos
        try:
            self.newlines()
            start = self.pos
            if start >= self.end:
                return None
            items = self.line()
            if self.pos < self.end and self.text[self.pos] != "\n":
                self.fail("a syntax error")
            if self.pos < self.end:
                self.newline()
            elif self.pending:
                self.bodies()
        except Unreadable as why:
            self.pos = self.end
            self.grammar.bashisms = True  # another shell may well read it
            return Opaque(why.reason, *self.span(start, self.end), why.foreign)
        return items[0][0] if len(items) == 1 and not items[0][1] else Sequence(tuple(items))

    def line(self) -> list[tuple[Node, bool]]:
        """Read commands up to the end of the line."""
        items: list[tuple[Node, bool]] = []
        while (node := self.and_or()) is not None:
            char = self.blanks()
            items.append((node, char == "&"))
            if char not in (";", "&"):
                break
            self.pos += 1
            self.whole()
            if self.blanks() in ("\n", ""):
                break
        return items

    def sequence(self) -> Sequence:
        """Read commands up to something that no command can begin with."""
        items: list[tuple[Node, bool]] = []
        self.newlines()
        while (node := self.and_or()) is not None:
            char = self.blanks()
            items.append((node, char == "&"))
            if char in (";", "&") and self.text[self.pos + 1 : self.pos + 2] not in (";", "&"):
                self.pos += 1
                self.whole()
            elif char != "\n":
                break
            self.newlines()
        return Sequence(tuple(items))

    def newlines(self) -> None:
        """Skip blanks, comments and newlines."""
        while self.blanks() == "\n":
            self.newline()

    def and_or(self) -> Node | None:
        """Read commands joined by `&&` and `||`; nothing where no command begins here."""
        first = self.pipeline()
        if first is None:
            return None
        rest: list[tuple[str, Node]] = []
        while self.blanks() in ("&", "|"):
            operator = self.text[self.pos : self.pos + 2]
            if operator not in ("&&", "||"):
                break
            self.pos += 2
            self.newlines()
            following = self.pipeline()
            if following is None:
                self.fail(f"a command is missing behind `{operator}`")
            rest.append((operator, following))
        return AndOr(first, tuple(rest)) if rest else first

    def pipeline(self) -> Node | None:
        """Read commands joined by `|`, with `!` and `time` before them."""
        prefixed, negated = self.prefixes()
        first = self.command()
        if first is None:
            return Pipeline((), negated) if prefixed else None
        commands = [first]
        merged = False
        while self.blanks() == "|" and not self.text.startswith("||", self.pos):
            self.pos += 1
            self.whole()
            if self.text.startswith("&", self.pos):
                self.bashism("`|&`")
                self.pos += 1
                merged = True
            self.newlines()
            following = self.command()
            if following is None:
                self.fail("a command is missing behind `|`")
            commands.append(following)
        if len(commands) == 1 and not negated:
            return first
        return Pipeline(tuple(commands), negated, merged)

    def prefixes(self) -> tuple[bool, bool]:
        """Skip `!` and `time`; tell whether one of them stood here, and whether the status is negated."""
        prefixed = negated = False
        while True:
            char = self.blanks()
            if self.grammar.aliases:
                self.expand_alias()
            found = _PREFIX.match(self.text, self.pos) if char in ("!", "t") else None
            if found is None or (found[1] and self.grammar.extglob and self.text.startswith("(", found.end())):
                return prefixed, negated
            if not found[1]:
                self.grammar.bashisms = True
                if self.grammar.posix:
                    return prefixed, negated
            self.pos = found.end()
            prefixed = True
            negated ^= bool(found[1])

    def expand_alias(self) -> None:
        """Put the text of an alias in the place of its name, as often as it takes.

        An alias is not expanded in its own text. One that ends in a blank has the next word looked at as well.
        """
        while True:
            self.blanks()
            found = _ALIASED.match(self.text, self.pos)
            if found is None or found[0] not in self.grammar.aliases:
                return
            if any(name == found[0] and self.pos < end for name, end in self.busy):
                return
            value = self.grammar.aliases[found[0]]
            if value is None:
                self.fail(f"the text of the alias `{found[0]}` is not known")
            self.grammar.splices -= 1
            if self.grammar.splices < 0 or (
                value[-1:] in _OPERATORS and self.text[found.end() : found.end() + 1] in _OPERATORS
            ):
                self.fail("aliases are expanded too often or run into an operator")
            self.splice(found, value)

    def splice(self, found: re.Match[str], value: str) -> None:
        """Replace the alias *found* by its *value*; from here on every span is that of the alias."""
        start, end = found.span()
        if self.scale:
            self.base, self.limit = self.span(start, end)
            self.scale = 0
        self.text = self.text[:start] + value + self.text[end:]
        self.holes = ()
        grown = len(self.text) - self.end
        self.end += grown
        self.busy = [(name, stop + grown) for name, stop in self.busy if stop > start]
        self.busy.append((found[0], start + len(value)))
        if value[-1:] in (" ", "\t"):
            self.aliased = start + len(value)
