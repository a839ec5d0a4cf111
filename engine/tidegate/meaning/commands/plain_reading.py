"""The short way to read a command whose options and operands do nothing out of the ordinary."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import chain, repeat
from operator import itemgetter

from ..effects import Effect, EffectKind, Invocation, Operand, PathTarget
from ..paths import resolve
from ..scene import Scene
from ..shell.command import Feed, Heard, Reading, SimpleCommand, Word
from ..values import Value
from .deeds import deed_effect
from .entry import Entry, Layout
from .grammars import sort_words
from .plain_taking import take_words
from .possible_options import may_act
from .printed import PRINTING, printed
from .roles import STREAMED, STREAMS

# The constructor of a named tuple costs four times as much as the tuple itself.
_new = tuple.__new__
_value = itemgetter(0)
_SPECIAL = frozenset({("config",), ("clone",)})
"""Subcommands of `git` of which the table does not say everything."""
_Access = tuple[EffectKind, PathTarget, tuple[int, int], bool]
"""What is done to a path, where that stands, and whether to all beneath it."""


def read_plain(command: SimpleCommand, scene: Scene, program: str, entry: Entry) -> Reading | None:
    """Read the command as `interpret` does, or return `None` where anything is less than plain.

    Plain are options without an effect of their own, and operands that are text or a path to which one thing is done.

    INVARIANT: what is returned is what the long way returns, its effects with the `source` of *command*.
    """
    spoken, variables, cwds, span, _, lookup, place, wrappers, heard, source = command
    if variables or not (entry.plain or len(spoken) == 1):
        return None
    taken = take_words(entry, spoken[1:])
    if taken is None:
        return None
    inner, subcommand, options, words, layout, recursive, force, harmless, several, complete = taken
    if not complete and (len(words) > 1 or several or may_act(inner)):  # a word may be an option
        return None
    touched = (
        _touched(command, scene, inner, layout or inner.layout, words, several)
        if words
        else _meant(command, scene, inner, layout)
    )
    if touched is None or subcommand in _SPECIAL:
        return None
    recursive, force = recursive or inner.recursive, force or inner.force
    operands, accesses = touched
    values = tuple(map(_value, spoken))
    sorted_ = (subcommand, tuple(options), operands, variables, wrappers)
    bare = lookup and values[0] == program
    by = _new(Invocation, (program, values[0], values, *sorted_, bare, complete, True, place, span))
    free = entry.wrapper and harmless
    effects = [_new(Effect, ("exec", by, source, span, False, False, by, None, free, False, place, True))]
    if inner.does:
        there = partial(_resolve, cwds, scene)
        marks = (recursive, force)
        effects += [deed_effect(deed, inner.name, by, there, marks=marks, source=source) for deed in inner.does]
    for access, path, at, deep in accesses:
        effects.append(
            _new(Effect, (access, path, source, at, deep or recursive, force, by, None, True, False, place, True))
        )
    if heard and program in PRINTING:
        return _new(Heard, (by, tuple(effects), (), Feed(_printed, program, command, entry, operands)))
    return _new(Reading, (by, tuple(effects), (), None))


def _touched(
    command: SimpleCommand, scene: Scene, entry: Entry, layout: Layout, words: Sequence[Word], several: bool
) -> tuple[tuple[Operand, ...], list[_Access]] | None:
    """The operands that *words* are, and what is done to them; *several* tells that one may be any number of words."""
    first, rest, cwds = layout.first, layout.rest, command.cwds
    if rest is None or not layout.plain or entry.commands is not None:
        return None
    if several and any(word[2] for word in words[: len(first)]):  # what follows is not where it seems to be
        return None
    operands = []
    accesses: list[_Access] = []
    for (value, at, many, glob), role in zip(words, chain(first, repeat(rest)), strict=False):
        if not value:
            return None
        name, _, is_path, _, follow, _, access, deep = role
        path = resolve(value, cwds, scene, follow=follow, glob=glob) if is_path else None
        operands.append(_new(Operand, (value, name, at, many, path, None)))
        if access is not None and path is not None and not (access in STREAMED and value in STREAMS):
            accesses.append((access, path, at, deep))
    return tuple(operands), accesses


def _meant(
    command: SimpleCommand, scene: Scene, entry: Entry, chosen: Layout | None
) -> tuple[tuple[Operand, ...], list[_Access]] | None:
    """What is done where there is no operand."""
    rest = (chosen or entry.layout).rest
    if entry.stdin is not None:
        return None
    if entry.default is None:
        return (), []
    if rest is None or rest.plain is None:
        return None
    return (), [(rest.plain, resolve(entry.default, command.cwds, scene), command.span, rest.deep)]


def _resolve(cwds: tuple[Value, ...], scene: Scene, value: Value) -> PathTarget:
    return resolve(value, cwds, scene)


def _printed(program: str, command: SimpleCommand, entry: Entry, operands: tuple[Operand, ...]) -> Value | None:
    return printed(program, command, sort_words(entry, command.words[1:]), operands)
