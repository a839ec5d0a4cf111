"""What a word that is not known would make of the command, were it an option such as `-c` or `-r`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..effects import PathTarget
from ..scene import Scene
from ..values import Partial, Plain, Value, shown
from .entry import Entry, OptionSpec, Role
from .run import Item, Run

_RUNNING = frozenset({"exec", "shell", "subshell", "code"})
_SHELLS = frozenset({"exec", "shell", "subshell"})
_NOTHING_DONE = re.compile(r"[\w.,/:=@%+-]*", re.ASCII)
"""Words that, as code of another language than the shell's, call nothing."""


def say_if_options(run: Run) -> None:
    """Read the word behind one that may be an option as the code that this option would make of it.

    Only options of the program are looked at, and only before its first operand that is known to be one: in
    `bash "$x" 'rm y'` the variable may hold `-c`.
    """
    words = run.words
    for index, word in enumerate(words[:-1]):
        if isinstance(word.value, str | Plain) or word.value.prefix not in ("", "-"):
            return
        behind = words[index + 1]
        for role in _possible(run.sorted.entry, word.value):
            if role.parts[0].kind in _SHELLS or not _does_nothing(behind.value):
                run.apply(role, Item(behind.value, behind.span, inherent=False, words=words[index + 1 :]))


def say_if_recursive(run: Run) -> None:
    """Say that a word may be the option by which the command reaches everything beneath a directory.

    In `grep "$x" TOKEN .` the variable may hold `-r`. What is certainly no directory has nothing beneath it.
    """
    if run.recursive or not any(_may_be_recursive(run.sorted.entry, word.value) for word in run.words):
        return
    for effect in run.effects:
        target = effect.target
        if isinstance(target, PathTarget) and not effect.recursive and _may_be_directory(target, run.scene):
            reach = f"reaches everything beneath `{shown(target.text)}`"
            reason = f"a word may be an option of `{run.program}` that {reach}"
            run.say("unknown", reason, Item("", effect.span or run.command.span, inherent=False))
            return


def _may_be_recursive(entry: Entry, value: Value) -> bool:
    if isinstance(value, str | Plain) or value.prefix not in ("", "-", "--"):
        return False
    return any(
        hit.spec.recursive and name.endswith(value.suffix[-len(name) :])
        for base in entry.bases
        for name, hit in (*base.shorts.items(), *base.longs.items())
    )


def _may_be_directory(target: PathTarget, scene: Scene) -> bool:
    files = scene.files
    if files is None:
        return True
    return any(not isinstance(name, str) or files.kind(name) in ("dir", "unknown") for name in target.names)


def _does_nothing(value: object) -> bool:
    return isinstance(value, str) and _NOTHING_DONE.fullmatch(value) is not None


def _possible(entry: Entry, value: Partial) -> Iterator[Role]:
    """The roles that options which *value* may spell give to the word behind them, where they run it."""
    roles: dict[str, Role] = {}
    for base in entry.bases:
        for name, hit in (*base.shorts.items(), *base.longs.items()):
            role = _made(hit.spec)
            if role is not None and name.endswith(value.suffix[-len(name) :]):
                roles.setdefault(role.name, role)
    yield from roles.values()


def _made(spec: OptionSpec) -> Role | None:
    """What an option makes of the word behind it: its value, or the first operand."""
    layout = spec.layout
    first = (layout.first[0] if layout.first else layout.tail or layout.rest) if layout is not None else None
    return next((role for role in (spec.role, first) if role is not None and role.parts[0].kind in _RUNNING), None)
