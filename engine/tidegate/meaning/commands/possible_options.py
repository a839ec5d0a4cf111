"""What a word that is not known would make of the command, were it an option such as `-c` or `-r`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from ..effects import EffectKind, PathTarget
from ..scene import Scene
from ..shell.command import Word
from ..values import Hole, Partial, Plain, Possible, shown
from .entry import Entry, Hit, OptionSpec, Role
from .run import Item, Run
from .text import joined

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

    In `grep "$x" TOKEN .` the variable may hold `-r`. What is certainly no directory has nothing beneath it. What
    reads, writes or lists beneath reaches names that are not known. Whether a whole tree is deleted decides too much
    to be certain: that some tree is, nobody knows which, is all that is said.
    """
    if run.recursive or not any(_may_be_recursive(run, word) for word in run.words):
        return
    said: set[tuple[str, PathTarget]] = set()
    for effect in tuple(run.effects):
        kind, target = effect.kind, effect.target
        if not isinstance(target, PathTarget) or effect.recursive or (kind, target) in said:
            continue
        if not _may_be_directory(target, run.scene):
            continue
        said.add((kind, target))
        reason = f"a word may be an option of `{run.program}` that reaches everything beneath `{shown(target.text)}`"
        item = Item("", effect.span or run.command.span, inherent=False)
        if kind == "delete":
            run.do(kind, PathTarget(target.text, (Possible((Hole.ANY,), reason),)), item, recursive=True)
            return
        run.do(kind, _beneath(target, reason), item, recursive=True)


def say_if_acting(run: Run) -> None:
    """Say what words would write or delete by themselves, were they options: `-delete`, `-i`, `-o/etc/x`.

    Which path that is done to, nobody knows: that of an operand, or one in the word itself.
    """
    said: set[EffectKind] = set()
    for word in run.words:
        value = word.value
        if isinstance(value, str | Plain) or value.prefix[:1] not in ("", "-") or (word.glob and _has_no_dashes(run)):
            continue
        reason = f"a word may be an option of `{run.program}` that changes files"
        for name, kind, attached in _acting(run.sorted.entry):
            if kind not in said and _may_spell(value, name, attached=attached):
                said.add(kind)
                target = PathTarget(value, (Possible((Hole.ANY,), reason),))
                run.do(kind, target, Item(value, word.span, inherent=False))


def may_act(entry: Entry) -> bool:
    """Whether an option of the entry is one word, and writes or deletes."""
    return bool(_acting(entry))


def _may_spell(value: Partial, name: str, *, attached: bool) -> bool:
    """Whether the word may be the option, alone or with a value that is *attached* to it."""
    if not (name.startswith(value.prefix) or (attached and value.prefix.startswith(name))):
        return False
    return attached or name.endswith(value.suffix[-len(name) :])


# Pure: remembering changes nothing but the cost.
@lru_cache(maxsize=1024)
def _acting(entry: Entry) -> tuple[tuple[str, EffectKind, bool], ...]:
    """The options that are one word and write or delete: how they begin, what they do, whether a value is attached."""
    found: dict[tuple[str, EffectKind, bool], None] = {}
    for name, hit in _declared(entry):
        spec = hit.spec
        for role, attached in ((spec.adds, False), (spec.role, entry.syntax != "find")):
            for part in role.parts if role is not None and (attached or role is spec.adds) else ():
                kind = _CHANGING.get(part.kind.partition("-")[0]) or _CHANGING.get(part.argument)
                if kind is not None:
                    found[(name, kind, attached)] = None
    return tuple(found)


_CHANGING: Mapping[str, EffectKind] = {"write": "write", "into": "write", "delete": "delete"}


def _beneath(target: PathTarget, reason: str) -> PathTarget:
    """All names beneath *target*."""
    text, *names = [
        joined("" if name == "/" else name, "/", Hole.FOLDERS, Hole.ENTRY, reason=reason)
        for name in (target.text, *target.names)
    ]
    return PathTarget(text, tuple(names))


def _may_be_recursive(run: Run, word: Word) -> bool:
    value = word.value
    if isinstance(value, str | Plain) or value.prefix not in ("", "-", "--"):
        return False
    fits = any(name.endswith(value.suffix[-len(name) :]) for name in _recursive_names(run.sorted.entry))
    return fits and not (word.glob and _has_no_dashes(run))


def _has_no_dashes(run: Run) -> bool:
    """Whether no name in the folders where the command could run begins with a dash, so that no glob is an option."""
    files = run.scene.files
    if files is None or run.command.place.kind != "local":
        return False
    for folder in run.cwds:
        names = files.names(folder) if isinstance(folder, str) else None
        if names is None:
            if not isinstance(folder, str) or files.kind(folder) != "absent":
                return False
        elif any(name.startswith("-") for name in names):
            return False
    return True


# Pure functions of the table: remembering changes nothing but the cost.
@lru_cache(maxsize=1024)
def _recursive_names(entry: Entry) -> tuple[str, ...]:
    """The options by which a command reaches everything beneath a directory."""
    return tuple(name for name, hit in _declared(entry) if hit.spec.recursive)


@lru_cache(maxsize=1024)
def _running(entry: Entry) -> tuple[tuple[str, Role], ...]:
    """The options that have the word behind them run, and the role that they give to it."""
    roles = [(name, _made(hit.spec)) for name, hit in _declared(entry)]
    return tuple((name, role) for name, role in roles if role is not None)


def _declared(entry: Entry) -> Iterator[tuple[str, Hit]]:
    for base in entry.bases:
        yield from base.shorts.items()
        yield from base.longs.items()


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
    for name, role in _running(entry):
        if name.endswith(value.suffix[-len(name) :]):
            roles.setdefault(role.name, role)
    yield from roles.values()


def _made(spec: OptionSpec) -> Role | None:
    """What an option makes of the word behind it: its value, or the first operand."""
    layout = spec.layout
    first = (layout.first[0] if layout.first else layout.tail or layout.rest) if layout is not None else None
    return next((role for role in (spec.role, first) if role is not None and role.parts[0].kind in _RUNNING), None)
