"""The words of a command line that are known and plainly spelled, taken as options and operands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..effects import Option
from ..shell.command import Word
from ..values import Partial, Plain, Value
from .entry import Entry, Flags, Layout, OptionSpec, flags_of
from .grammars import OPERATORS
from .plain_sorting import PLAIN, WORDS, attached

# The constructor of a named tuple costs four times as much as the tuple itself.
_new = tuple.__new__
_SYNTAXES = PLAIN | {"find"}
_MARKS = frozenset("-+(),!")
_NO_NAME = tuple(_MARKS)
"""What a word may begin with that is no operand to `find`, or to a program with options."""
_ENDS = Flags((), None, ends=True, acts=False, marks=False)
_LESS = Flags((), None, ends=False, acts=True, marks=False)
"""What a word comes to that ends the options, and one that is less than plain."""

_OPERATORS: Mapping[str, Flags] = {mark: flags_of([spec], None, ends=False) for mark, spec in OPERATORS.items()}


class Taken(NamedTuple):
    """A command line whose options have no effect of their own.

    `entry` is that of the innermost subcommand; `layout` the one that an option chose, if one did. `harmless` tells
    whether all options are declared so, `many` whether an operand may be any number of words, `complete` whether none
    of them may be an option.
    """

    entry: Entry
    names: tuple[str, ...]
    options: list[Option]
    operands: list[Word] | tuple[Word, ...]
    layout: Layout | None = None
    recursive: bool = False
    force: bool = False
    harmless: bool = True
    many: bool = False
    complete: bool = True


def take_words(entry: Entry, words: tuple[Word, ...]) -> Taken | None:  # noqa: C901, PLR0912 - one loop, on purpose
    """Take the words as `sort_words` sorts them, or return `None` where anything is less than plain."""
    if entry.syntax not in _SYNTAXES:
        if entry.syntax != WORDS:
            return None
        return _new(Taken, (entry, (), [], words, None, False, False, True, True, True))
    names: tuple[str, ...] = ()
    options: list[Option] = []
    operands: list[Word] = []
    marked: list[OptionSpec] = []
    ended = several = False
    complete = True
    commands, known = entry.commands, entry.known_flags.get
    waiting = iter(words)
    for word in waiting:
        value, at, many, glob = word
        if value.__class__ is not str or many:
            if isinstance(value, str) or commands is not None:
                return None
            if not ended:
                if value.prefix[:1] in _NO_NAME:
                    return None
                complete = complete and (glob or not many) and _is_no_option(entry, value)
            several = several or many
        elif not ended:
            flags, text = known(value), None
            if flags is None and value[:1] in _MARKS:
                flags, text = _uncommon(entry, value, word)
            if flags is not None:
                specs, valued, ended, acts, marks = flags
                if acts:
                    return None
                for spec in specs:
                    options.append(_new(Option, (spec[0], None, at, True, spec[1], None, None)))  # noqa: PERF401
                if valued is not None:
                    if text is None:
                        behind = next(waiting, None)
                        if behind is None or behind[2]:
                            return None
                        text, at = behind[0], (at[0], behind[1][1])
                    options.append(_new(Option, (valued[0], text, at, True, valued[1], None, None)))
                if marks:
                    marked += specs if valued is None else (*specs, valued)
                continue
        if commands is not None and not operands:
            found = commands.find(value, entry) if not glob else None  # type: ignore[arg-type] # it is known
            if found is None or found[1].syntax not in PLAIN or not found[1].plain:
                return None
            names = (*names, found[0])
            entry = found[1]
            commands, known = entry.commands, entry.known_flags.get
            continue
        operands.append(word)
        ended = ended or entry.stops
    if entry.default_command is not None and not operands:
        return None
    if not marked:
        return _new(Taken, (entry, names, options, operands, None, False, False, True, several, complete))
    return _new(Taken, (entry, names, options, operands, *_marks(marked), several, complete))


def _uncommon(entry: Entry, value: str, word: Word) -> tuple[Flags | None, Value | None]:
    """What a word comes to that may be options, with the value that is attached to it; `None` where it is an operand.

    What is less than plain comes to options that act.
    """
    if entry.syntax == "find" and value in _OPERATORS:
        return _OPERATORS[value], None
    if value == "--":
        return _ENDS if entry.syntax != "find" else _LESS, None
    if value[0] != "-" or (value == "-" and entry.long(value) is None):
        return _LESS if value[0] == "+" and entry.plus is not None else None, None
    flags = entry.flags(value)
    if flags is not None or entry.syntax == "find":
        return flags or _LESS, None
    found = attached(entry, value, word)
    if found is None or found.spec is None:
        return _LESS, None
    return _new(Flags, ((), found.spec, False, found.spec.acts, True)), found.value


def _is_no_option(entry: Entry, value: Partial) -> bool:
    """Whether a word that begins with no dash, as far as is known, is certainly no option."""
    return value.prefix != "" or (isinstance(value, Plain) and entry.syntax != "find")


def _marks(specs: list[OptionSpec]) -> tuple[Layout | None, bool, bool, bool]:
    """What options say of the command: its layout, whether it is recursive and forced, and whether all are harmless."""
    layout = next((spec.layout for spec in reversed(specs) if spec.layout is not None), None)
    return (
        layout,
        any(spec.recursive for spec in specs),
        any(spec.force for spec in specs),
        all(spec.harmless for spec in specs),
    )
