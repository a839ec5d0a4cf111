"""One simple command while it is being read: what is known of it, and what has been said so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

from ..effects import (
    CodeTarget,
    Effect,
    EffectKind,
    Invocation,
    Mention,
    Operand,
    Option,
    PathTarget,
    UrlTarget,
)
from ..paths import resolve
from ..scene import Scene
from ..shell.command import Nested, SimpleCommand, Word
from ..urls import read_url
from ..values import Value, shown
from .entry import Part, Role
from .sorting import Found, Sorted

# The constructor of a named tuple costs four times as much as the tuple itself.
_new = tuple.__new__


class Item(NamedTuple):
    """One word that has a role: an operand, or the value of an option or variable.

    `option` names the option or variable that it belongs to; `inherent` tells that a grant for the command covers
    what comes of it. `words` are those of a command line.
    `position` is its place among the operands, `None` for what is no operand. A span does not tell operands apart:
    all words of nested text have the same, and so has all that braces made of one word.
    """

    value: Value
    span: tuple[int, int]
    path: PathTarget | None = None
    url: UrlTarget | None = None
    option: str | None = None
    inherent: bool = True
    words: tuple[Word, ...] = ()
    position: int | None = None


class Run:
    """The reading of one simple command; collects its effects and what it runs in turn.

    `operands` and `roles` are those of `words`, which are the operands without leading assignments.
    """

    invocation: Invocation
    handlers: Mapping[str, Handler]
    clear = False
    operands: tuple[Operand, ...] = ()
    options: tuple[Option, ...] = ()
    roles: Sequence[Role] = ()
    variables: tuple[tuple[str, Value], ...] = ()
    config: tuple[tuple[str, Value], ...] = ()

    def __init__(self, command: SimpleCommand, scene: Scene, program: str, sorted_: Sorted) -> None:
        entry = sorted_.entry
        self.command = command
        self.scene = scene
        self.program = program
        self.sorted = sorted_
        self.entry = entry
        self.layout = entry.layout
        self.cwds = command.cwds
        self.place = command.place
        self.recursive = entry.recursive
        self.force = entry.force
        self.words = sorted_.operands
        self.effects: list[Effect] = []
        self.nested: list[Nested] = []

    def apply(self, role: Role, item: Item) -> None:
        """Say everything that a word is to the command."""
        for part in role.parts:
            self.handlers[part.kind](self, part, item)

    def resolve(self, value: Value, *, follow: bool = True, glob: bool = False, tilde: bool = False) -> PathTarget:
        """The path *value* under every directory in which the command could run."""
        return resolve(value, self.cwds, self.scene, follow=follow, glob=glob, tilde=tilde)

    def do(self, kind: EffectKind, target: PathTarget, item: Item, *, recursive: bool = False) -> None:
        """Say that something is done to a path, under the marks of the whole command."""
        marks = (recursive or self.recursive, self.force)
        by = (self.invocation, item.option, item.inherent)
        command = self.command
        self.effects.append(
            _new(Effect, (kind, target, command.source, item.span, *marks, *by, False, command.place, True))
        )

    def say(self, kind: EffectKind, target: UrlTarget | CodeTarget | Mention | str, item: Item) -> None:
        """Say that the command does something that is not done to a path."""
        by = (self.invocation, item.option, item.inherent)
        command = self.command
        self.effects.append(
            _new(Effect, (kind, target, command.source, item.span, False, False, *by, False, command.place, True))
        )

    def code(self, what: str, item: Item, *paths: PathTarget) -> None:
        """Say that the command runs code that it does not show."""
        self.say("code", CodeTarget(what, paths), item)

    def mention(self, item: Item) -> None:
        """Say that a word of unknown role stands there."""
        self.say("mention", Mention(item.value, self.resolve(item.value), mentioned_url(item.value)), item)

    def nest(
        self,
        form: Literal["argv", "shell", "code"],
        *,
        span: tuple[int, int],
        words: tuple[Word, ...] = (),
        text: Value = "",
        language: str = "sh",
        stdin: Value | None = None,
        here: bool = False,
    ) -> None:
        """Add something that runs in turn, under everything that the command changes for it."""
        cwds = None if self.cwds is self.command.cwds else self.cwds
        changes = (self.variables, self.clear, cwds)
        nested = _new(Nested, (form, words, text, language, *changes, stdin, self.place, self.program, here, span))
        self.nested.append(nested)

    def found(self, name: str) -> Found | None:
        """The last option of that canonical name, or `None` where it is not given."""
        return self.sorted.found(name)


Handler = Callable[[Run, Part, Item], None]
"""Says what one part of a role comes to for one word."""


def mentioned_url(value: Value) -> UrlTarget | None:
    """What a word of unknown role is as a URL, where it could be one."""
    if isinstance(value, str) and not ("://" in value or "." in value or ":" in value):
        return None
    return read_url(value)


def described(value: Value) -> str:
    """The value in backticks, for the text of a code effect."""
    return f"`{shown(value)}`"
