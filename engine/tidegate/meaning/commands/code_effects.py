"""The effects of a program text while it is read."""

from __future__ import annotations

from ..effects import CodeTarget, Effect, EffectKind, PathTarget, UrlTarget
from ..fileurls import file_of
from ..paths import resolve
from ..scene import Scene
from ..shell.command import Nested, SimpleCommand, Word
from ..urls import read_host, read_url, redirected
from ..values import Value
from .meanings import read_role
from .text import joined, last_component


class CodeEffects:
    """Collects what a program text does, and the commands that it starts.

    `cwds` are the directories in which it stands at the moment.
    """

    def __init__(self, command: SimpleCommand, scene: Scene, language: str) -> None:
        self.command = command
        self.scene = scene
        self.language = language
        self.cwds = command.cwds
        self.effects: list[Effect | Nested] = []

    def resolve(self, value: Value) -> PathTarget:
        """The path *value* under every directory in which the program could stand."""
        return resolve(value, self.cwds, self.scene)

    def path(self, role: str, value: Value, *, force: bool = False) -> None:
        """Say that something is done to a path; *role* is one of the table (`read-all+delete`)."""
        target = self.resolve(value)
        for part in read_role(role).parts:
            kinds = ("read", "write", "list", "delete") if part.kind == "access" else (part.kind,)
            for kind in kinds:
                recursive = part.recursive or (part.kind == "access" and kind != "delete")
                self._add(kind, target, recursive=recursive, force=force)  # type: ignore[arg-type]

    def into(self, source: Value, value: Value) -> None:
        """Say that *source* is written to *value*, or into it where that is a directory."""
        self.path("write", value)
        self.path("write", joined(value, "/", last_component(source)))

    def connect(self, value: Value) -> None:
        """Say that a URL is reached."""
        url = read_url(value)
        self._add("connect", url)
        file = file_of(url)
        if file is not None:
            self._add("read", self.resolve(file))

    def redirects(self, value: Value) -> None:
        """Say that the redirects of a URL are followed."""
        self._add("connect", redirected(read_url(value)))

    def host(self, value: Value) -> None:
        """Say that a host is reached."""
        self._add("connect", read_host(value))

    def shell(self, text: Value) -> None:
        """Say that a shell runs *text*."""
        self._nest(Nested("shell", text=text))

    def argv(self, values: tuple[Value, ...], cwds: tuple[Value, ...] | None = None) -> None:
        """Say that a command line is run."""
        words = tuple(Word(value, self.command.span) for value in values)
        self._nest(Nested("argv", words=words, cwds=cwds))

    def code(self, what: str, *paths: PathTarget) -> None:
        """Say that code runs that the text does not show."""
        self._add("code", CodeTarget(what, paths))

    def unknown(self, reason: str) -> None:
        """Say that something is not understood."""
        self._add("unknown", reason)

    def _nest(self, nested: Nested) -> None:
        cwds = nested.cwds if nested.cwds is not None else self.cwds
        self.effects.append(
            nested._replace(span=self.command.span, place=self.command.place, wrapper=self.language, cwds=cwds)
        )

    def _add(
        self,
        kind: EffectKind,
        target: PathTarget | UrlTarget | CodeTarget | str,
        *,
        recursive: bool = False,
        force: bool = False,
    ) -> None:
        self.effects.append(
            Effect(kind, target, span=self.command.span, recursive=recursive, force=force, place=self.command.place)
        )
