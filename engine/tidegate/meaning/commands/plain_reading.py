"""The short way to read a command whose options and operands do nothing out of the ordinary."""

from __future__ import annotations

from functools import partial
from itertools import chain, repeat

from ..effects import Effect, Invocation, Operand, Option, PathTarget
from ..paths import resolve
from ..scene import Scene
from ..shell.command import Reading, SimpleCommand
from ..values import Value
from .deeds import deed_effect
from .entry import Entry
from .printed import printed
from .roles import STREAMED, STREAMS
from .sorting import Sorted

# The constructor of a named tuple costs four times as much as the tuple itself.
_new = tuple.__new__
_SPECIAL = frozenset({("config",), ("clone",)})
"""Subcommands of `git` of which the table does not say everything."""


def read_plain(  # noqa: C901 - every command goes through here, and calls are what costs
    command: SimpleCommand, scene: Scene, program: str, entry: Entry, found: Sorted
) -> Reading | None:
    """Read the command as `interpret` does, or return `None` where anything is less than plain.

    Plain are options without an effect of their own, and operands that are text or a path to which one thing is done.

    INVARIANT: what is returned is what the long way returns.
    """
    inner, subcommand, given, words, complete, _, _ = found
    spoken, variables, cwds, span, _, lookup, place, wrappers, heard = command
    if variables or subcommand in _SPECIAL or (not words and inner.stdin is not None):
        return None
    if not complete and (len(words) > 1 or (words and words[0][2])):  # a word may be an option that changes the others
        return None
    layout, recursive, force, free = inner.layout, inner.recursive, inner.force, entry.wrapper
    options = []
    for spec, name, value, word, exact, behind in given:
        if spec is None or spec.acts or not exact:
            return None
        layout = spec.layout or layout
        recursive = recursive or spec.recursive
        force = force or spec.force
        free = free and spec.harmless
        at = word[1] if not behind else (word[1][0], behind[-1][1][1])
        options.append(_new(Option, (name, value, at, True, spec.spellings, None, None)))
    rest = layout.rest
    operands = []
    touched = []
    if words:
        if rest is None or not layout.plain or inner.commands is not None:
            return None
        for (value, at, many, glob), role in zip(words, chain(layout.first, repeat(rest)), strict=False):
            name, _, is_path, _, follow, _, access, deep = role
            path = resolve(value, cwds, scene, follow=follow, glob=glob) if is_path else None
            operands.append(_new(Operand, (value, name, at, many, path, None)))
            if access is not None and not (access in STREAMED and value in STREAMS):
                touched.append((access, path, at, deep))
    elif inner.default is not None:
        if rest is None or rest.plain is None:
            return None
        touched.append((rest.plain, resolve(inner.default, cwds, scene), span, rest.deep))
    made = tuple(operands)
    values = tuple([word[0] for word in spoken])
    bare = lookup and values[0] == program
    about = (program, values[0], values, subcommand, tuple(options), made, variables, wrappers, bare)
    by = _new(Invocation, (*about, complete, True, place, span))
    effects = [_new(Effect, ("exec", by, "", span, False, False, by, None, free, False, place, True))]
    if inner.does:
        there = partial(_resolve, cwds, scene)
        effects += [deed_effect(deed, inner.name, by, there, marks=(recursive, force)) for deed in inner.does]
    for access, path, at, deep in touched:
        marks = (deep or recursive, force)
        effects.append(_new(Effect, (access, path, "", at, *marks, by, None, True, False, place, True)))
    text = printed(program, command, found, made) if heard else None
    return _new(Reading, (by, tuple(effects), (), text))


def _resolve(cwds: tuple[Value, ...], scene: Scene, value: Value) -> PathTarget:
    return resolve(value, cwds, scene)
