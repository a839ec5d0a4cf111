"""The words of a command line sorted into options, subcommands and operands, as its program would."""

from __future__ import annotations

from typing import NamedTuple

from ..shell.command import Word
from ..values import Partial, Plain, Value
from .entry import TAKING_ALL, Entry, Hit, OptionSpec
from .meanings import read_role
from .text import cut, known_start, without_start

_PARAMETER = read_role("parameter")


class Found(NamedTuple):
    """One option as it stands on a command line.

    `exact` is false where the option is abbreviated, or spelled in a way that the entry does not declare.
    """

    spec: OptionSpec | None
    name: str
    value: Value | None
    word: Word
    exact: bool = True
    words: tuple[Word, ...] = ()


class Sorted(NamedTuple):
    """A command line taken apart.

    `entry` is that of the innermost subcommand; `dashes` the number of operands before `--`, `None` without one.
    `complete` is false where a word that is not known could be an option, or could hide one.
    """

    entry: Entry
    subcommand: tuple[str, ...]
    options: tuple[Found, ...]
    operands: tuple[Word, ...]
    complete: bool
    dashes: int | None = None
    undeclared: str | None = None

    def found(self, name: str) -> Found | None:
        """The last option of that canonical name, or `None` where it is not given."""
        for found in reversed(self[2]):
            spec = found[0]
            if spec is not None and spec[0] == name:
                return found
        return None


class Sorter:
    """Sorts the words after a program's name; made for one command line."""

    __slots__ = (
        "complete",
        "dashes",
        "ended",
        "entry",
        "names",
        "operands",
        "options",
        "position",
        "undeclared",
        "words",
    )

    def __init__(self, entry: Entry, words: tuple[Word, ...]) -> None:
        self.entry = entry
        self.words = words
        self.position = 0
        self.options: list[Found] = []
        self.operands: list[Word] = []
        self.names: list[str] = []
        self.ended = False
        self.complete = True
        self.dashes: int | None = None
        self.undeclared: str | None = None

    def sort(self) -> Sorted:
        """Sort all words."""
        count = len(self.words)
        while self.position < count:
            self.step()
        return self.result()

    def step(self) -> None:
        """Take the next word, with the words that belong to it."""
        word = self.words[self.position]
        self.position += 1
        value = word.value
        if not isinstance(value, str):
            self._take_partial(word, value)
        elif self.ended or not self._is_option(value):
            self.take_operand(word)
        elif value == "--":
            self.ended = True
            self.dashes = len(self.operands)
        else:
            self.take_option(word, value)

    def _is_option(self, value: str) -> bool:
        """Whether a known word is an option or `--`; a dash alone is where the entry says so (`env -`)."""
        if len(value) < 2:  # noqa: PLR2004
            return value == "-" and self.entry.long(value) is not None
        return value[0] == "-" or (value[0] == "+" and self.entry.plus is not None)

    def result(self) -> Sorted:
        """What has been sorted; where no subcommand is named, the entry is that of the one which is meant."""
        entry = self.entry
        if entry.default_command is not None and entry.commands is not None and not self.operands:
            entry = entry.commands.entry(entry.default_command, entry)
        return Sorted(
            entry,
            tuple(self.names),
            tuple(self.options),
            tuple(self.operands),
            self.complete,
            self.dashes,
            self.undeclared,
        )

    def take_operand(self, word: Word) -> None:
        """Take an operand, or the name of a subcommand."""
        entry = self.entry
        if entry.commands is not None and not self.operands and isinstance(word.value, str) and not word.glob:
            found = entry.commands.find(word.value, entry)
            if found is not None:
                self.names.append(found[0])
                self.entry = found[1]
                return
            self.undeclared = word.value
        elif entry.commands is not None and not self.operands:
            self.complete = False
        self.operands.append(word)
        if entry.syntax in ("first", "single-first"):
            self.ended = True

    def take_option(self, word: Word, value: Value) -> None:
        """Take a word that begins with a dash, with the words that belong to it."""
        start = value if isinstance(value, str) else value.prefix
        if start[0] == "+":
            self._add(Found(self.entry.plus, "+", without_start(value, 1), word))
        elif isinstance(value, str) and self.entry.number is not None and value[1:].isdecimal():
            self._add(Found(self.entry.number, self.entry.number.name, value[1:], word))
        elif self.entry.syntax in ("single", "single-first"):
            self._take_single(word, value)
        elif start.startswith("--") or value == "-":
            self._take_long(word, value)
        else:
            self._take_bundle(word, value)

    def _take_long(self, word: Word, value: Value) -> None:
        halves = cut(value, "=")
        name: str
        attached: Value | None
        if halves is not None:
            name, attached = halves
        elif isinstance(value, str):
            name, attached = value, None
        else:
            self.complete = False
            self._add(Found(None, value.prefix, None, word, exact=False))
            return
        hit = self.entry.long(name)
        exact = hit is not None
        if hit is None:
            hit = self._abbreviated(name)
        if hit is None and self.entry.syntax == "service":
            self._take_parameter(name, attached, word)
        elif hit is None:
            self.complete = self.complete and attached is not None
            self._add(Found(None, name, attached, word, exact=False))
        elif attached is not None and hit.takes == 0:
            switch = self.entry.syntax == "pflag" and attached in ("true", "false")
            name = hit.spec.name if attached != "false" else f"{hit.spec.name}=false"
            self._add(Found(hit.spec if attached != "false" else None, name, attached, word, exact=exact and switch))
        else:
            self.take_value(hit, word, attached, exact=exact)

    def _take_parameter(self, name: str, attached: Value | None, word: Word) -> None:
        """Take a parameter that is handed on to a service; it has a value unless another option follows."""
        rest = self.words[self.position : self.position + 1]
        spec = OptionSpec(name, (name,), role=_PARAMETER, harmless=True, acts=True)
        if attached is None and rest and not known_start(rest[0].value).startswith("-"):
            self.take_value(Hit(spec, 1), word, None, exact=True)
        else:
            self._add(Found(spec, name, attached, word))

    def _abbreviated(self, name: str) -> Hit | None:
        """The one option whose long spelling begins with *name*."""
        if not self.entry.abbreviates:
            return None
        hits = {
            hit.spec.name: hit for base in self.entry.bases for key, hit in base.longs.items() if key.startswith(name)
        }
        return hits.popitem()[1] if len(hits) == 1 else None

    def _take_bundle(self, word: Word, value: Value) -> None:
        """Take short options that stand behind one dash; the last one may have its value attached."""
        start = value if isinstance(value, str) else value.prefix
        for index in range(1, len(start)):
            hit = self.entry.short(start[index])
            if hit is None:
                self.complete = False
                self._add(Found(None, f"-{start[index]}", None, word, exact=False))
                continue
            rest = without_start(value, index + 1)
            if hit.takes == 0 or (hit.takes < 0 and rest == ""):
                self._add(Found(hit.spec, hit.spec.name, None, word))
            elif hit.takes == 1 and rest == "":
                self.take_value(hit, word, None, exact=True)
                return
            else:
                self.complete = self.complete and (isinstance(rest, str) or bool(known_start(rest)))
                self.take_value(hit, word, self._attached(rest), exact=True)
                return
        if isinstance(value, Partial):
            self.complete = False

    def _attached(self, rest: Value) -> Value:
        """The value behind a short option; `pflag` takes an equals sign away."""
        if self.entry.syntax == "pflag" and isinstance(rest, str):
            return rest.removeprefix("=")
        return rest

    def _take_single(self, word: Word, value: Value) -> None:
        """Take an option whose long spelling has one dash."""
        start = value if isinstance(value, str) else value.prefix
        halves = cut(value, "=")
        name = start if halves is None else halves[0]
        attached = None if halves is None else halves[1]
        hit = self.entry.long(name) or self.entry.long(name[1:] if name.startswith("--") else f"-{name}")
        if hit is None and len(name) == 2:  # noqa: PLR2004
            hit = self.entry.short(name[1])
        if hit is not None and (isinstance(value, str) or attached is not None) and not (hit.takes == 0 and attached):
            self.take_value(hit, word, attached, exact=True)
            return
        hit = self.entry.short(start[1:2])
        if hit is not None and hit.takes in (1, -1):
            self.take_value(hit, word, without_start(value, 2), exact=True)
            return
        self._take_letters(name, word)
        self.complete = self.complete and attached is not None
        self._add(Found(None, name, attached, word, exact=False))

    def _take_letters(self, name: str, word: Word) -> None:
        """Take the letters of a word that is no declared option, as programs that bundle would (`zip -qm`)."""
        hits = [self.entry.short(letter) for letter in name[1:]]
        if len(hits) > 1 and all(hit is not None and hit.takes == 0 for hit in hits):
            for hit in hits:
                if hit is not None:
                    self._add(Found(hit.spec, hit.spec.name, None, word, exact=False))

    def take_value(self, hit: Hit, word: Word, attached: Value | None, *, exact: bool) -> None:
        """Take an option with its value: attached, or the words that follow."""
        role = hit.spec.role
        if role is not None and role.parts[0].kind in TAKING_ALL:
            self._take_rest(hit, word, exact=exact)
            return
        if attached is not None or hit.takes <= 0:
            self._add(Found(hit.spec, hit.spec.name, attached, word, exact))
            return
        words = self.words[self.position : self.position + hit.takes]
        self.position += len(words)
        if any(each.many for each in words):
            self.complete = False
        value = words[min(hit.which, len(words) - 1)].value if words else None
        self._add(Found(hit.spec, hit.spec.name, value, word, exact and len(words) == hit.takes, words))

    def _take_rest(self, hit: Hit, word: Word, *, exact: bool) -> None:
        """Take an option whose value is a command line: all that follows, or what stands before `;`."""
        words = self.words[self.position :]
        end = next((index for index, each in enumerate(words) if each.value == ";"), len(words))
        self.position += end + 1
        self._add(Found(hit.spec, hit.spec.name, None, word, exact, words[:end]))

    def _add(self, found: Found) -> None:
        self.options.append(found)
        if found.spec is not None and found.spec.ends:
            self.ended = True

    def _take_partial(self, word: Word, value: Partial) -> None:
        """Take a word that is not known in full."""
        prefix = value.prefix
        if self.ended:
            self.take_operand(word)
            return
        dashed = prefix[:1] == "-" or (prefix[:1] == "+" and self.entry.plus is not None)
        if dashed and len(prefix) > 1:
            self.take_option(word, value)
        else:
            if dashed or not (prefix or isinstance(value, Plain)):
                self.complete = False
            self.take_operand(word)
        if word.many and not word.glob:
            self.complete = False
