"""The parts of a command pattern, each compared with one part of an invocation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Protocol

from attrs import frozen

from ..automata import ANY, Automaton, Many, Maybe, One, Ranges, Step, complement, literal, union
from ..effects import Operand, Option, PathTarget, UrlTarget
from ..tri import Tri, Unknown, any_of
from ..values import Partial, Value
from .entry import Entry, Hit

MANY = "**"
_CHOICE = re.compile(r"\\.|\{(?:[^\\{}]|\\.)*\}", re.DOTALL)
_COMMA = re.compile(r"(?<!\\),")


class Compare(Protocol):
    """Compares operands by meaning; given by whoever knows the places of the call (`{root}`, `~`, cwd)."""

    def path(self, pattern: str, target: PathTarget, *, grant: bool) -> Tri:
        """Whether the path glob *pattern* names *target*; a grant needs every name of it, a deny one."""

    def url(self, pattern: str, target: UrlTarget, *, grant: bool) -> Tri:
        """Whether the URL glob *pattern* names *target*; a grant admits no doubts."""


def choices(glob: str) -> Iterator[str]:
    """Every glob that one with `{a,b}` stands for; braces without a comma (`{}`) stand for themselves."""
    for match in _CHOICE.finditer(glob):
        parts = _COMMA.split(match[0][1:-1]) if match[0][0] == "{" else []
        if len(parts) > 1:
            for part in parts:
                yield from choices(glob[: match.start()] + part + glob[match.end() :])
            return
    yield glob


def text_steps(glob: str) -> list[Step]:
    """A glob over one word as steps: `*` is any text, `?` one character, `[a-z]` and `[!a-z]` one of a set."""
    steps: list[Step] = []
    index = 0
    while index < len(glob):
        char = glob[index]
        index += 1
        if char == "\\" and index < len(glob):
            steps += literal(glob[index])
            index += 1
        elif char == "*":
            steps.append(Many(ANY))
        elif char == "?":
            steps.append(One(ANY))
        elif char == "[" and (end := glob.find("]", index + 1)) > 0:
            steps.append(One(_members(glob[index:end])))
            index = end + 1
        else:
            steps += literal(char)
    return steps


def _members(text: str) -> Ranges:
    """The characters between brackets."""
    negated = text[0] in "!^" and len(text) > 1
    chars = text[1:] if negated else text
    ranges: list[tuple[int, int]] = []
    index = 0
    while index < len(chars):
        last = chars[index + 2] if chars[index + 1 : index + 2] == "-" and index + 2 < len(chars) else chars[index]
        ranges.append((ord(chars[index]), max(ord(last), ord(chars[index]))))
        index += 3 if last is not chars[index] and chars[index + 1 : index + 2] == "-" else 1
    return complement(union(ranges)) if negated else union(ranges)


@frozen
class TextPattern:
    """A glob over the text of one word."""

    glob: str

    @cached_property
    def plain(self) -> str | None:
        """The only text that matches, where the glob has no wildcard."""
        globs = list(choices(self.glob))
        if len(globs) > 1:
            return None
        steps = text_steps(self.glob)
        chars = [step.chars for step in steps if isinstance(step, One)]
        if len(chars) < len(steps) or any(len(each) != 1 or each[0][0] != each[0][1] for each in chars):
            return None
        return "".join(chr(each[0][0]) for each in chars)

    @cached_property
    def _automaton(self) -> Automaton:
        return Automaton([text_steps(glob) for glob in choices(self.glob)])

    def match(self, value: Value) -> Tri:
        """Whether *value* matches."""
        if self.glob == "*":
            return True
        if isinstance(value, str) and self.plain is not None:
            return value == self.plain
        return self._automaton.answer(value)


@frozen
class OperandPattern:
    """One operand: compared by meaning where the program says that it is a path or a URL, else as text."""

    text: TextPattern

    @property
    def many(self) -> bool:
        """Whether it stands for any number of operands."""
        return self.text.glob == MANY

    def denies(self, operand: Operand, compare: Compare) -> Tri:
        """Whether a deny means this operand: a lone `*` is any, and one of several meanings is enough."""
        glob = self.text.glob
        if glob == "*":
            return True
        answers: list[Tri] = []
        if operand.path is not None:
            answers.append(compare.path(glob, operand.path, grant=False))
        if operand.url is not None:
            answers.append(compare.url(glob, operand.url, grant=False))
        if not answers or operand.role == "unknown":
            answers.append(self.text.match(operand.value))
        return any_of(answers)

    def grants(self, operand: Operand, compare: Compare) -> Tri:
        """Whether a grant means this operand, by what it is to the program."""
        glob = self.text.glob
        if operand.role != "unknown":
            if operand.path is not None:
                return compare.path(glob, operand.path, grant=True)
            if operand.url is not None and glob != "*":
                return compare.url(glob, operand.url, grant=True)
        return self.text.match(operand.value)


@frozen
class OptionPattern:
    """One option under its canonical name, with the glob of its value where the pattern gives one."""

    name: str
    value: TextPattern | None
    spellings: tuple[str, ...]
    entry: Entry | None

    def match(self, option: Option, compare: Compare, *, grant: bool) -> Tri:
        """Whether *option* is this one; an abbreviation that could be it is unknown."""
        if option.name != self.name:
            cut_short = not option.known and option.name.startswith("--") and self.name.startswith(option.name)
            return Unknown(f"`{option.name}` may be short for `{self.name}`") if cut_short and not grant else False
        if self.value is None or self.value.glob == "*":
            return True
        if option.value is None:
            return False
        if option.path is not None:
            return compare.path(self.value.glob, option.path, grant=grant)
        if option.url is not None:
            return compare.url(self.value.glob, option.url, grant=grant)
        return self.value.match(option.value)

    def could_be(self, word: Partial) -> bool:
        """Whether a word that is not known in full could be this option, or a bundle that has it."""
        return self._spelled.answer(word) is not False

    @cached_property
    def _spelled(self) -> Automaton:
        """Every word that gives the option: its spellings, cut short, with a value attached, and bundles."""
        value = [Maybe((One(((ord("="), ord("=")),)), Many(ANY)))] if self._may_have_value() else []
        branches: list[list[Step]] = [[*literal(name[:end]), *value] for name in self.spellings for end in _ends(name)]
        letters = [name[1] for name in self.spellings if len(name) == 2 and name[0] == "-"]  # noqa: PLR2004
        if letters and self.entry is not None:
            flags, valued = _letters(self.entry)
            for letter in letters:
                behind: list[Step] = [Many(ANY)] if letter not in flags else [Many(_ranges(flags))]
                if letter in flags and valued:
                    behind.append(Maybe((One(valued), Many(ANY))))
                branches.append([*literal("-"), Many(_ranges(flags)), *literal(letter), *behind])
        return Automaton(branches)

    def _may_have_value(self) -> bool:
        """Whether an equals sign may stand behind a spelling; programs in Go have it behind flags as well."""
        if self.entry is None or self.entry.syntax not in ("gnu", "first"):
            return True
        hits = (self.entry.long(name) for name in self.spellings)
        return any(hit is not None and hit.takes != 0 for hit in hits)


def _ends(name: str) -> range:
    """The lengths to which a spelling may be cut."""
    return range(3, len(name) + 1) if name.startswith("--") else range(len(name), len(name) + 1)


def _letters(entry: Entry) -> tuple[str, Ranges]:
    """The letters of options without a value, and of those with one."""
    hits: dict[str, Hit] = {}
    for base in entry.bases:
        hits = {**base.shorts, **hits}
    flags = "".join(letter for letter, hit in hits.items() if hit.takes == 0)
    return flags, _ranges("".join(letter for letter, hit in hits.items() if hit.takes != 0))


def _ranges(letters: str) -> Ranges:
    return union((ord(letter), ord(letter)) for letter in letters)


@frozen
class VariablePattern:
    """`NAME=GLOB` before the program."""

    name: str
    value: TextPattern
