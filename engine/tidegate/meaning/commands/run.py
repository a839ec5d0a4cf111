"""One simple command while it is being read: what is known of it, and what has been said so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from ..effects import (
    CodeTarget,
    Effect,
    EffectKind,
    Invocation,
    Mention,
    Operand,
    Option,
    PathTarget,
    Place,
    UrlTarget,
)
from ..paths import resolve
from ..scene import Scene
from ..shell.command import Nested, SimpleCommand, Word
from ..urls import read_url
from ..values import Value, shown
from .entry import Entry, Layout, Part, Role
from .sorting import Found, Sorted


class Item(NamedTuple):
    """One word that has a role: an operand, or the value of an option or variable.

    `option` names the option or variable that it belongs to; `inherent` tells that a grant for the command covers
    what comes of it. `words` are those of a command line.
    """

    value: Value
    span: tuple[int, int]
    path: PathTarget | None = None
    url: UrlTarget | None = None
    option: str | None = None
    inherent: bool = True
    words: tuple[Word, ...] = ()


class Run:
    """The reading of one simple command; collects its effects and what it runs in turn."""

    __slots__ = (
        "clear",
        "command",
        "config",
        "cwds",
        "effects",
        "entry",
        "force",
        "handlers",
        "invocation",
        "layout",
        "nested",
        "operands",
        "options",
        "place",
        "program",
        "recursive",
        "roles",
        "scene",
        "sorted",
        "variables",
        "words",
    )

    invocation: Invocation

    def __init__(
        self,
        command: SimpleCommand,
        scene: Scene,
        program: str,
        sorted_: Sorted,
        handlers: Mapping[str, Handler],
    ) -> None:
        entry = sorted_.entry
        self.handlers = handlers
        self.command = command
        self.scene = scene
        self.program = program
        self.sorted = sorted_
        self.entry: Entry = entry
        self.layout: Layout = entry.layout
        self.cwds = command.cwds
        self.place: Place = command.place
        self.recursive = entry.recursive
        self.force = entry.force
        self.clear = False
        self.words: tuple[Word, ...] = sorted_.operands
        self.roles: list[Role] = []
        self.options: list[Option] = []
        self.operands: list[Operand] = []
        self.variables: list[tuple[str, Value]] = []
        self.config: list[tuple[str, Value]] = []
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
        self.effects.append(
            Effect(
                kind,
                target,
                "",
                item.span,
                recursive or self.recursive,
                self.force,
                self.invocation,
                item.option,
                item.inherent,
                False,
                self.command.place,
            )
        )

    def say(self, kind: EffectKind, target: UrlTarget | CodeTarget | Mention | str, item: Item) -> None:
        """Say that the command does something that is not done to a path."""
        self.effects.append(
            Effect(
                kind,
                target,
                "",
                item.span,
                False,
                False,
                self.invocation,
                item.option,
                item.inherent,
                False,
                self.command.place,
            )
        )

    def code(self, what: str, item: Item, *paths: PathTarget) -> None:
        """Say that the command runs code that it does not show."""
        self.say("code", CodeTarget(what, paths), item)

    def mention(self, item: Item) -> None:
        """Say that a word of unknown role stands there."""
        self.say("mention", Mention(item.value, self.resolve(item.value), mentioned_url(item.value)), item)

    def nest(self, nested: Nested) -> None:
        """Add something that runs in turn, under everything that the command changes for it."""
        self.nested.append(
            nested._replace(
                variables=(*self.variables, *nested.variables),
                clear=self.clear,
                cwds=None if self.cwds is self.command.cwds else self.cwds,
                place=self.place,
                wrapper=self.program,
            )
        )

    def found(self, name: str) -> Found | None:
        """The last option of that canonical name, or `None` where it is not given."""
        for found in reversed(self.sorted.options):
            if found.spec is not None and found.spec.name == name:
                return found
        return None


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
