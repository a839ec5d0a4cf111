"""Programs whose words have a grammar of their own: `find`, `tar`, `dd`, `echo`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..shell.command import Word
from ..values import Hole, Partial, unknown
from .entry import Entry, Hit, OptionSpec
from .plain_sorting import sort_plain
from .sorting import Found, Sorted, Sorter
from .text import cut, known_start

OPERATORS: Mapping[str, OptionSpec] = {
    mark: OptionSpec(mark, (mark,), harmless=True) for mark in ("(", ")", "!", ",", "-a", "-and", "-o", "-or", "-not")
}

_OPERATOR_HITS: Mapping[str, Hit] = {mark: Hit(spec, 0) for mark, spec in OPERATORS.items()}
# The constructor of a named tuple costs four times as much as the tuple itself.
_new = tuple.__new__
_BEGINNINGS = frozenset({"", "-", "(", ")", "!", ","})
"""What the expression of `find` begins with, and text that may be anything."""


def sort_words(entry: Entry, words: tuple[Word, ...]) -> Sorted:
    """Sort the words after the program's name, as the entry's syntax has it."""
    plain = sort_plain(entry, words)
    if plain is not None:
        return plain
    grammar = _GRAMMARS.get(entry.syntax)
    return Sorter(entry, words).sort() if grammar is None else grammar(entry, words)


def _sort_find(entry: Entry, words: tuple[Word, ...]) -> Sorted:
    """`find [-H] [-L] [-P] [STARTS] [EXPRESSION]`: the short way first, as in `sort_plain`."""
    options: list[Found] = []
    operands: list[Word] = []
    declared = entry.longs
    waiting = enumerate(words)
    for place, word in waiting:
        value = word[0]
        if value.__class__ is not str or word[2]:
            return _sort_any_find(entry, words, place, options, operands)
        if value[0:1] != "-" or value == "-":
            operator = OPERATORS.get(value)
            if operator is None:
                operands.append(word)
            else:
                options.append(_new(Found, (operator, value, None, word, True, ())))
            continue
        hit = declared.get(value) or _OPERATOR_HITS.get(value)
        if hit is None or hit.takes not in (0, 1) or (hit.spec.acts and hit.takes):
            return _sort_any_find(entry, words, place, options, operands)
        if not hit.takes:
            options.append(_new(Found, (hit.spec, hit.spec.name, None, word, True, ())))
            continue
        _, behind = next(waiting, (0, None))
        if behind is None or behind[2]:
            return _sort_any_find(entry, words, place, options, operands)
        options.append(_new(Found, (hit.spec, hit.spec.name, behind[0], word, True, (behind,))))
    return _new(Sorted, (entry, (), tuple(options), tuple(operands), True, None, None))


def _sort_any_find(
    entry: Entry, words: tuple[Word, ...], place: int, options: list[Found], operands: list[Word]
) -> Sorted:
    """Go on from *place* with words that are not known, and with actions."""
    sorter = Sorter(entry, words)
    sorter.position, sorter.options, sorter.operands = place, options, operands
    while sorter.position < len(words):
        word = words[sorter.position]
        sorter.position += 1
        value = word.value
        if not isinstance(value, str):
            if value.prefix[:1] in _BEGINNINGS or (word.many and not word.glob):
                sorter.complete = False
            sorter.operands.append(word)
        elif value in OPERATORS:
            sorter.options.append(Found(OPERATORS[value], value, None, word))
        elif value[:1] == "-" and value != "-":
            _take_predicate(sorter, word, value)
        else:
            sorter.operands.append(word)
    return sorter.result()


def _take_predicate(sorter: Sorter, word: Word, name: str) -> None:
    """Take a test or an action; one that runs a command takes all words up to `;`, or to `+` after `{}`."""
    hit = sorter.entry.long(name) or (sorter.entry.short(name[1]) if name[1:2] in ("D", "O", "H", "L", "P") else None)
    if hit is None:
        sorter.complete = False
        sorter.options.append(Found(None, name, None, word, exact=False))
        return
    role = hit.spec.role
    if role is None or role.parts[0].kind != "each":
        attached = name[2:] if len(name) > 2 and sorter.entry.long(name) is None else None  # noqa: PLR2004
        before = sorter.complete
        sorter.take_value(hit, word, attached, exact=True)
        # Where a glob becomes several words `find` refuses them all, unless one of them is a test or an action.
        words = sorter.options[-1].words
        sorter.complete = sorter.complete or (before and all(_is_no_predicate(sorter.entry, each) for each in words))
        return
    rest = sorter.words[sorter.position :]
    length = next((index for index in range(len(rest)) if _closes(rest, index)), len(rest))
    sorter.position += length + 1
    closed = length < len(rest)
    sorter.complete = sorter.complete and closed and not any(each.many and not each.glob for each in rest[:length])
    sorter.options.append(Found(hit.spec, hit.spec.name, None, word, closed, rest[:length]))


def _is_no_predicate(entry: Entry, word: Word) -> bool:
    """Whether a word, or each that its glob becomes, is certainly no test, action or operator of `find`."""
    if not word.many:
        return True
    value = word.value
    if not word.glob or isinstance(value, str) or Hole.ANY in value.parts:
        return False
    start, end = value.prefix, value.suffix
    names = (name for base in entry.bases for name in (*base.longs, *OPERATORS, "-H", "-L", "-P"))
    return not any(name.startswith(start) and name.endswith(end) for name in names)


def _closes(words: tuple[Word, ...], index: int) -> bool:
    value = words[index].value
    return value == ";" or (value == "+" and index > 0 and words[index - 1].value == "{}")


def _sort_tar(entry: Entry, words: tuple[Word, ...]) -> Sorted:
    """`tar xzf FILE …`: a first word without a dash is a bundle whose values follow it in order."""
    start = known_start(words[0].value) if words else ""
    sorter = Sorter(entry, words)
    if start and start[0] != "-" and isinstance(words[0].value, str):
        sorter.position = 1
        for letter in start:
            hit: Hit | None = entry.short(letter)
            if hit is None:
                sorter.complete = False
                sorter.options.append(Found(None, f"-{letter}", None, words[0], exact=False))
            elif hit.takes == 1:
                sorter.take_value(hit, words[0], None, exact=True)
            else:
                sorter.options.append(Found(hit.spec, hit.spec.name, None, words[0]))
    return sorter.sort()


def _sort_keys(entry: Entry, words: tuple[Word, ...]) -> Sorted:
    """`dd if=FILE of=FILE`: every operand is a key with its value."""
    sorter = Sorter(entry, words)
    while sorter.position < len(words):
        word = words[sorter.position]
        halves = cut(word.value, "=")
        hit = entry.long(f"{halves[0]}=") if halves is not None else None
        if halves is not None and not halves[0].startswith("-"):
            sorter.position += 1
            spec = hit.spec if hit is not None else None
            sorter.options.append(Found(spec, f"{halves[0]}=", halves[1], word, exact=hit is not None))
        elif isinstance(word.value, str):
            sorter.step()
        else:
            _take_any_key(sorter, word, word.value)
    return sorter.result()


def _take_any_key(sorter: Sorter, word: Word, value: Partial) -> None:
    """Take a word that is not known, as every key that it may spell: `dd "$x"` may read and write anything."""
    sorter.position += 1
    sorter.complete = False
    rest = unknown(value.reason)
    for base in sorter.entry.bases:
        for name, hit in base.longs.items():
            if hit.spec.acts and (name.startswith(value.prefix) or value.prefix.startswith(name)):
                sorter.options.append(Found(hit.spec, hit.spec.name, rest, word))


def _sort_slashes(entry: Entry, words: tuple[Word, ...]) -> Sorted:
    """`rd /s /q DIR`: options begin with a slash, in any case."""
    sorter = Sorter(entry, words)
    while sorter.position < len(words):
        word = words[sorter.position]
        sorter.position += 1
        hit = entry.long(word.value.lower()) if isinstance(word.value, str) else None
        if hit is None:
            sorter.operands.append(word)
            sorter.complete = sorter.complete and known_start(word.value) not in ("", "/")
        else:
            sorter.take_value(hit, word, None, exact=True)
    return sorter.result()


_GRAMMARS: Mapping[str, Callable[[Entry, tuple[Word, ...]], Sorted]] = {
    "find": _sort_find,
    "tar": _sort_tar,
    "keys": _sort_keys,
    "slash": _sort_slashes,
}
