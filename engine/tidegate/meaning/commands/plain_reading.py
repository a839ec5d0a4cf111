"""The short way to read a command whose options and operands do nothing out of the ordinary."""

from __future__ import annotations

from functools import partial

from ..effects import Effect, Invocation, Operand, Option, PathTarget
from ..paths import resolve
from ..scene import Scene
from ..shell.command import Reading, SimpleCommand
from ..values import Value
from .deeds import deed_effect
from .entry import Entry, Layout, Role
from .printed import printed
from .roles import STREAMED, STREAMS
from .sorting import Found, Sorted

# The constructor of a named tuple costs four times as much as the tuple itself.
_new = tuple.__new__
_SPECIAL = frozenset({("config",), ("clone",)})
"""Subcommands of `git` of which the table does not say everything."""


def read_plain(command: SimpleCommand, scene: Scene, program: str, entry: Entry, found: Sorted) -> Reading | None:
    """Read the command as `interpret` does, or return `None` where anything is less than plain.

    Plain are options without an effect of their own, and operands that are text or a path to which one thing is done.

    INVARIANT: what is returned is what the long way returns.
    """
    inner = found.entry
    words = found.operands
    if command.variables or (inner.stdin is not None and not words) or found.subcommand in _SPECIAL:
        return None
    if not found.complete and len(words) > 1:  # a word may be an option, which changes what the others are
        return None
    marks = _marks(inner, found.options)
    if marks is None:
        return None
    layout, recursive, force, options = marks
    roles = _roles(layout, len(words))
    rest = layout.rest
    assumed = inner.default if not words else None
    if (
        roles is None
        or (words and inner.commands is not None)
        or (assumed is not None and (rest is None or rest.plain is None))
    ):
        return None
    cwds = command.cwds
    operands = []
    for (value, span, many, glob), role in zip(words, roles, strict=True):
        path = resolve(value, cwds, scene, follow=role.follow, glob=glob) if role.is_path else None
        operands.append(_new(Operand, (value, role.name, span, many, path, None)))
    made = tuple(operands)
    by = _invocation(command, program, found, tuple(options), made)
    place = command.place
    free = entry.wrapper and all(each.spec is not None and each.spec.harmless for each in found.options)
    effects = [_new(Effect, ("exec", by, "", command.span, False, False, by, None, free, False, place, True))]
    if inner.does:
        there = partial(_resolve, cwds, scene)
        effects += [deed_effect(deed, inner.name, by, there, marks=(recursive, force)) for deed in inner.does]
    for operand, role in zip(operands, roles, strict=True):
        if role.plain is not None and not (operand[0] in STREAMS and role.plain in STREAMED):
            deep = role.deep or recursive
            about = (role.plain, operand.path, "", operand[2], deep, force, by, None, True, False, place, True)
            effects.append(_new(Effect, about))
    if assumed is not None and rest is not None and rest.plain is not None:
        path = resolve(assumed, cwds, scene)
        deep = rest.deep or recursive
        about = (rest.plain, path, "", command.span, deep, force, by, None, True, False, place, True)
        effects.append(_new(Effect, about))
    return _new(Reading, (by, tuple(effects), (), printed(program, command, found, made)))


def _resolve(cwds: tuple[Value, ...], scene: Scene, value: Value) -> PathTarget:
    return resolve(value, cwds, scene)


def _marks(entry: Entry, options: tuple[Found, ...]) -> tuple[Layout, bool, bool, list[Option]] | None:
    """The layout and the marks that the options choose, and the options themselves."""
    layout, recursive, force = entry.layout, entry.recursive, entry.force
    made: list[Option] = []
    for spec, name, value, word, exact, words in options:
        if spec is None or spec.acts or not exact:
            return None
        layout = spec.layout or layout
        recursive = recursive or spec.recursive
        force = force or spec.force
        span = word[1] if not words else (word[1][0], words[-1][1][1])
        made.append(_new(Option, (name, value, span, True, spec.spellings, None, None)))
    return layout, recursive, force, made


def _roles(layout: Layout, count: int) -> list[Role] | None:
    """The roles of *count* operands, where they are plain."""
    if count == 0:
        return []
    if not layout.plain or layout.rest is None:
        return None
    first = layout.first
    return [*first[:count], *[layout.rest] * (count - len(first))] if first else [layout.rest] * count


def _invocation(
    command: SimpleCommand,
    program: str,
    found: Sorted,
    options: tuple[Option, ...],
    operands: tuple[Operand, ...],
) -> Invocation:
    words, variables, _, span, _, lookup, place, wrappers = command
    values = tuple([word[0] for word in words])
    bare = lookup and values[0] == program
    about = (program, values[0], values, found.subcommand, options, operands, variables, wrappers, bare)
    return _new(Invocation, (*about, found.complete, True, place, span))
