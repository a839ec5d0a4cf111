"""The short way to sort a command line that is known in full and spelled plainly."""

from __future__ import annotations

from ..shell.command import Word
from .entry import Entry
from .sorting import Found, Sorted

PLAIN = frozenset({"gnu", "first", "pflag"})
WORDS = "words"
# The constructor of a named tuple costs four times as much as the tuple itself.
_new = tuple.__new__


def sort_plain(entry: Entry, words: tuple[Word, ...]) -> Sorted | None:  # noqa: C901, PLR0912 - one loop, on purpose
    """Sort the words as `Sorter` does, or return `None` where anything is less than plain.

    INVARIANT: what is returned is what `Sorter` returns.
    """
    if entry.syntax not in PLAIN:
        return _new(Sorted, (entry, (), (), words, True, None, None)) if entry.syntax == WORDS else None
    options: list[Found] = []
    operands: list[Word] = []
    names: list[str] = []
    dashes: int | None = None
    ended = False
    waiting = iter(words)
    for word in waiting:
        value = word[0]
        if value.__class__ is not str or word[2]:
            return None
        assert isinstance(value, str)  # noqa: S101 - said again for the type checker
        start = value[:1]
        if (
            ended
            or (start != "-" and (start != "+" or entry.plus is None))
            or (value == "-" and entry.long(value) is None)
        ):
            if entry.commands is not None and not operands:
                found = entry.commands.find(value, entry)
                if found is None or word[3] or found[1].syntax not in PLAIN:
                    return None
                names.append(found[0])
                entry = found[1]
                continue
            operands.append(word)
            ended = True if entry.stops else ended
            continue
        if value == "--":
            ended, dashes = True, len(operands)
            continue
        flags = entry.flags(value) if start == "-" else None
        if flags is None:
            value_given = attached(entry, value, word)
            if value_given is None:
                return None
            options.append(value_given)
            continue
        for spec in flags.specs:
            options.append(_new(Found, (spec, spec.name, None, word, True, ())))  # noqa: PERF401 - as cheap as can be
        if flags.valued is not None:
            behind = next(waiting, None)
            if behind is None or behind[2]:
                return None
            options.append(_new(Found, (flags.valued, flags.valued.name, behind[0], word, True, (behind,))))
        ended = flags.ends
    if entry.default_command is not None and not operands:
        return None
    return _new(Sorted, (entry, tuple(names), tuple(options), tuple(operands), True, dashes, None))


def attached(entry: Entry, value: str, word: Word) -> Found | None:
    """`--option=VALUE`, `-oVALUE` and `-5`, where the entry declares just that."""
    text: str
    if value.startswith("--"):
        name, equals, text = value.partition("=")
        hit = entry.long(name) if equals else None
    elif entry.number is not None and value[1:].isdecimal():
        return _new(Found, (entry.number, entry.number.name, value[1:], word, True, ()))
    else:
        hit = entry.short(value[1]) if entry.syntax != "pflag" else None
        text = value[2:]
    if hit is None or hit.takes not in (1, -1) or hit.spec.ends or not text:
        return None
    return _new(Found, (hit.spec, hit.spec.name, text, word, True, ()))
