"""`tidegate import`: permissions of other tools as a rule file."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import attrs
import click

from ..errors import StateError
from ..importing.carried import Source, Unreadable
from ..importing.written import written
from ..lang import sources
from ..shown import quote
from .jsonlines import dump
from .loading import FILE, finding_lines
from .terminal import errors, output

Read = Callable[[str, str], Source]


UNREADABLE = 2
"""The exit code where a part of a source cannot be read."""

NAMES = ("claude-code", "codex", "copilot", "gemini", "opencode", "progent")


def _reader(source: str) -> tuple[Read, str]:
    """What reads a source, and the tool of it that runs commands."""
    module = import_module(f"..importing.{source.replace('-', '_')}", __package__)
    return module.read, module.TOOL


@click.command("import", short_help="Turn the permissions of another tool into rules.")
@click.argument("source", type=click.Choice(NAMES))
@click.argument("file", type=FILE)
@click.option("-o", "--output", "target", type=FILE, help="Where the rules go; a file that is there already is kept.")
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object with rules and findings.")
def command(source: str, file: Path, target: Path | None, *, as_json: bool) -> int:
    """Turn the permissions in FILE, of another tool, into a rule file.

    What cannot be said with equal meaning becomes stricter, or is left out where it allowed something; each such line
    is a finding on standard error. The rules pass `tidegate check`. Exit code 1 means that a line was not carried over.
    Where a part of FILE cannot be read, nothing is written, since it might forbid something, and the exit code is 2.
    """
    read, tool = _reader(source)
    head = (f"Made by `tidegate import {source}` from {file.name}; read it before it counts.",)
    screen = errors()
    try:
        made = written(read(_text(file), str(file)), head, tool)
    except Unreadable as error:
        for line in finding_lines(error.finding):
            screen.line(line)
        return UNREADABLE
    if as_json:
        output().line(dump({"rules": made.text, "findings": [attrs.asdict(found) for found in made.findings]}))
    else:
        for finding in made.findings:
            for line in finding_lines(finding):
                screen.line(line)
    if target is not None:
        with target.open("x", encoding="utf-8") as stream:
            stream.write(made.text)
    elif not as_json:
        output().stream.write(made.text)
    return 1 if any(found.severity == "error" for found in made.findings) else 0


def _text(file: Path) -> str:
    try:
        data = sources.read(str(file)).data
        return data.decode("utf-8")
    except sources.NoFile:
        raise StateError(f"{quote(str(file))} is no regular file") from None
    except UnicodeDecodeError as error:
        raise StateError(f"{quote(str(file))} is not UTF-8: byte {error.start + 1}") from None
