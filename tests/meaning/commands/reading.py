"""The smallest commands there are, and what is said of them in one line each."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping

from tidegate.meaning.commands.interpret import interpret
from tidegate.meaning.commands.table import Table
from tidegate.meaning.comparing import Comparison
from tidegate.meaning.effects import CodeTarget, Effect, Invocation, Mention, PathTarget, UrlTarget
from tidegate.meaning.places import Places
from tidegate.meaning.scene import Scene
from tidegate.meaning.shell.command import Nested, Reading, SimpleCommand, Word
from tidegate.meaning.values import Value, shown, unknown

TABLE = Table.builtin()
CWD = "/srv/project"


class Folders:
    """A file system without a link in it, where everything could be a folder."""

    def readlink(self, path: str) -> str | None:
        return None

    def kind(self, path: str) -> str:
        return "dir"

    def names(self, path: str) -> list[str] | None:
        return None


SCENE = Scene(cwd=CWD, home="/home/dev", files=Folders())
BARE = Scene(cwd=CWD, home="/home/dev")
COMPARE = Comparison(Places(SCENE))
ANYTHING = unknown("the value of `$x` is set by the environment")


def words(*values: Value, many: bool = False) -> tuple[Word, ...]:
    return tuple(
        Word(value, (index * 100, index * 100 + 99), many and not isinstance(value, str))
        for index, value in enumerate(values)
    )


def command(line: str | list[Value], **more) -> SimpleCommand:
    """A simple command from text in plain quoting, or from its words."""
    values: list[Value] = list(shlex.split(line)) if isinstance(line, str) else list(line)
    variables = list(more.pop("variables", ()))
    while values and isinstance(values[0], str) and "=" in values[0] and values[0].partition("=")[0].isidentifier():
        name, _, value = values.pop(0).partition("=")
        variables.append((name, value))
    many = more.pop("many", False)
    return SimpleCommand(words(*values, many=many), tuple(variables), (CWD,), (0, 1_000), **more)


def read(line: str | list[Value], scene: Scene = SCENE, table: Table = TABLE, **more) -> Reading:
    return interpret(command(line, **more), scene, table)


def brief(effect: Effect) -> str:
    """One effect in a few words: `delete x recursive force`, `write out by --output`."""
    target = effect.target
    match target:
        case Invocation():
            text = f"exec {shown(target.program)}"
        case PathTarget():
            text = f"{effect.kind} {shown(target.text)}"
        case UrlTarget():
            text = f"{'connect' if target.origin is None else 'redirects of'} {shown(target.text)}"
        case CodeTarget():
            text = " ".join(["code", *(shown(path.text) for path in target.paths)])
        case Mention():
            text = f"mention {shown(target.text)}"
        case _:
            text = f"{effect.kind} {target}"
    marks = [" recursive" * effect.recursive, " force" * effect.force, f" by {effect.option}" if effect.option else ""]
    return text + "".join(marks)


def brief_nested(nested: Nested) -> str:
    """What runs in turn: `runs: rm x`, `runs sh: rm x`, `runs in container c: rm x`."""
    if nested.form == "argv":
        head, body = "runs", " ".join(shown(word.value) for word in nested.words)
    else:
        head, body = "runs here" if nested.here else f"runs {nested.language}", shown(nested.text)
    if nested.variables:
        head += " with " + " ".join(f"{name}={shown(value)}" for name, value in nested.variables)
    head += " without environment" * nested.clear
    if nested.place.kind != "local":
        head += f" in {nested.place.kind} {shown(nested.place.name)}"
    if nested.cwds is not None:
        head += f" at {' '.join(map(shown, nested.cwds))}"
    return f"{head}: {body}"


def says(line: str | list[Value], **more) -> list[str]:
    """Everything that a command does besides being run, each in one line."""
    reading = read(line, **more)
    return [brief(effect) for effect in reading.effects[1:]] + [brief_nested(nested) for nested in reading.nested]


def examples_of(name: str, raw: Mapping[str, object]) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Every example of an entry and its subcommands, with the words that lead to it."""
    for example in raw.get("example", ()):
        yield name, example
    for key, table in raw.get("commands", {}).items():
        yield from examples_of(f"{name} {key}", table)
