"""From a call to its effects: bindings say what arguments mean, `meaning` says what they do."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Iterator
from typing import Any, Literal, NamedTuple

import attrs
from attrs import field, frozen

from ..call import Call, CommandText
from ..errors import Veto
from ..meaning.changes import read_settled
from ..meaning.commands.code import read_code
from ..meaning.commands.interpret import interpret
from ..meaning.commands.table import Table
from ..meaning.effects import Effect, Mention, SqlTarget
from ..meaning.fileurls import file_of
from ..meaning.patches import read_patch
from ..meaning.paths import resolve
from ..meaning.remembered import Remembered
from ..meaning.scene import Scene
from ..meaning.shell.walk import walk
from ..meaning.tri import Unknown
from ..meaning.urls import find_urls, read_host, read_url
from ..meaning.values import Value, unknown
from ..shown import quote
from .binding import Argument, Bindings

LONGEST_HOST = 2_048
COMMAND_NAMES = frozenset({"bash_command", "cmd", "command", "commands", "script", "shell_command"})
"""Names of arguments that are taken for commands although no binding says so; only denies look at them."""
SQL_NAMES = frozenset({"sql", "sql_query", "sql_statement"})
"""The same for SQL; a `query` may be anything."""


NO_CWD = unknown("the folder was not attested")
_COMMANDS = frozenset({"command", "argv"})


class WrongType(Veto):
    """An argument is not of the type that its role needs; that is a deny, whatever the rules say."""


class _Here(NamedTuple):
    """Where the arguments of one call are read: the folders it could run in, and everything else."""

    cwds: tuple[Value, ...]
    scene: Scene
    table: Table
    remembered: Remembered


@frozen
class Reader:
    """Reads calls under one set of bindings and one table of commands; commands that come again from memory."""

    bindings: Bindings
    table: Table
    _remembered: Remembered = field(init=False, repr=False, eq=False, factory=Remembered)

    def read(self, call: Call, scene: Scene) -> tuple[Effect, ...]:
        """Every effect of the call, `use` first.

        Raises:
            WrongType: A bound argument is not of the type that its role needs.
        """
        bound = [
            argument
            for argument in self.bindings.arguments(call.tool.name, call.arguments)
            if argument.binding.when is None or argument.binding.when.holds_of(call, scene) is not False
        ]
        effects = [Effect("use", call.tool.name)]
        cwd = scene.cwd if scene.cwd is not None else NO_CWD
        here = _Here((cwd,), scene, self.table, self._remembered)
        for argument in bound:
            if argument.binding.role == "cwd":
                target = resolve(_text(argument), here.cwds, scene, tilde=True)
                if scene.cwd not in target.names:
                    effects.append(Effect("list", target, argument.pointer))
                here = here._replace(cwds=target.names)
        for argument in bound:
            effects += _read(argument, here)
        effects += _unbound(call, [argument.pointer for argument in bound], here)
        return tuple(effects)

    def commands(self, call: Call, scene: Scene) -> tuple[CommandText, ...] | None:
        """The arguments of the call that bindings call commands, or `None` where no binding of its tool does."""
        if not any(binding.role in _COMMANDS for binding in self.bindings.of_tool(call.tool.name)):
            return None
        found = []
        for argument in self.bindings.arguments(call.tool.name, call.arguments):
            binding = argument.binding
            holds = True if binding.when is None else binding.when.holds_of(call, scene)
            if binding.role in _COMMANDS and holds is not False:
                role: Literal["command", "argv"] = "argv" if binding.role == "argv" else "command"
                text = CommandText(
                    argument.pointer, argument.value, role, binding.shell, binding.persistent, sure=holds is True
                )
                found.append(text)
        return tuple(found)


def _read(argument: Argument, here: _Here) -> Iterable[Effect]:
    """The effects of one bound argument."""
    binding, pointer = argument.binding, argument.pointer
    match binding.role:
        case "path":
            return _path(argument, here)
        case "command":
            return _command(_text(argument), here, pointer, binding.shell, persistent=binding.persistent)
        case "argv":
            return _command(shlex.join(_texts(argument)), here, pointer, "sh", persistent=False)
        case "url":
            return _url(_text(argument), here, pointer)
        case "host":
            return [Effect("connect", read_host(_text(argument)), pointer)]
        case "patch":
            return _patch(_text(argument), here, pointer)
        case "sql":
            text, dialect = _text(argument), binding.dialect
            return [Effect("query", text if dialect is None else SqlTarget(text, dialect), pointer)]
    return ()


def _path(argument: Argument, here: _Here) -> list[Effect]:
    binding = argument.binding
    # Deleting a link deletes the link; everything else goes through it.
    target = resolve(_text(argument), here.cwds, here.scene, follow=binding.access != ("delete",), tilde=True)
    return [Effect(access, target, argument.pointer, recursive=binding.recursive) for access in binding.access]


def _command(text: str, here: _Here, pointer: str, shell: str, *, persistent: bool) -> list[Effect]:
    """What the text of a command does, in each folder that it could run in."""
    effects: list[Effect] = []
    for cwd in here.cwds:
        scene = here.scene
        if cwd != scene.cwd:
            scene = attrs.evolve(scene, cwd=cwd if isinstance(cwd, str) else None)

        def read(scene: Scene) -> list[Effect]:
            return walk(
                text,
                scene,
                lambda command: interpret(command, scene, here.table),
                resolve=resolve,
                read_host=read_host,
                read_code=lambda language, code, command: read_code(language, code, command, scene),
                shell=shell,
                persistent=persistent,
                source=pointer,
            )

        effects += here.remembered.read(
            text, (pointer, shell, persistent), scene, lambda scene: read_settled(scene, read)
        )
    return effects


def _url(text: str, here: _Here, pointer: str) -> list[Effect]:
    url = read_url(text)
    file = file_of(url)
    effects = [Effect("connect", url, pointer)]
    return effects if file is None else [*effects, Effect("read", resolve(file, here.cwds, here.scene), pointer)]


def _patch(text: str, here: _Here, pointer: str) -> list[Effect]:
    touched = read_patch(text)
    if isinstance(touched, Unknown):
        return [Effect("unknown", touched.reason, pointer)]
    return [Effect(touch.access, resolve(touch.path, here.cwds, here.scene), pointer) for touch in touched]


def _unbound(call: Call, bound: Collection[str], here: _Here) -> Iterator[Effect]:
    """What denies look at in arguments that no binding names: any text may be a path, a URL or a command."""
    for pointer, name, text in _strings(call.arguments, "", "", bound):
        if name.casefold() in COMMAND_NAMES:
            for effect in _command(text, here, pointer, "bash", persistent=False):
                yield effect._replace(bound=False)
        if name.casefold() in SQL_NAMES:
            yield Effect("query", text, pointer, bound=False)
        urls = find_urls(text) or ([read_url(text)] if _may_be_host(text) else [])
        path = resolve(text, here.cwds, here.scene, tilde=True)
        yield Effect("mention", Mention(text, path, urls[0] if urls else None), pointer, bound=False)
        for url in urls[1:]:
            yield Effect("mention", Mention(text, None, url), pointer, bound=False)


def _may_be_host(text: str) -> bool:
    """Whether a text without a scheme could still be taken for a host, or a host with a path."""
    return "." in text and len(text) < LONGEST_HOST and not any(character.isspace() for character in text)


def _strings(value: Any, pointer: str, name: str, bound: Collection[str]) -> list[tuple[str, str, str]]:
    """Every text beneath *value* that no bound argument holds: its pointer, the nearest key, the text."""
    if pointer in bound:
        return []
    if isinstance(value, str):
        return [(pointer, name, value)]
    found: list[tuple[str, str, str]] = []
    if isinstance(value, dict):
        for key, inner in value.items():
            found += _strings(inner, f"{pointer}/{_escaped(key)}", key, bound)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            found += _strings(inner, f"{pointer}/{index}", name, bound)
    return found


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1") if "~" in key or "/" in key else key


def _text(argument: Argument) -> str:
    if not isinstance(argument.value, str):
        raise WrongType(f"the argument {quote(argument.pointer[1:])} must be a text", "INVALID_ARGS")
    return argument.value


def _texts(argument: Argument) -> list[str]:
    value = argument.value
    if not isinstance(value, list) or not value or not all(isinstance(item, str) for item in value):
        raise WrongType(f"the argument {quote(argument.pointer[1:])} must be a list of texts", "INVALID_ARGS")
    return list(value)
