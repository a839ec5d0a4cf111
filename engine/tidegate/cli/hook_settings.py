"""`tidegate hook install`, `uninstall` and `status`: the hook in the settings of an agent CLI."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from ..adapters.hook_answers import HARNESSES, Wanted
from ..engine import Engine
from ..errors import TidegateError
from .hook_command import quick_command
from .installing.hooks_in import BadSettings, with_hooks, without_hooks
from .installing.jsonc import NotJson, read
from .installing.places import PLACES, Scope, entry
from .installing.status import Installed, status
from .installing.writing import NotWritten, read_settings, remove_settings, write_settings
from .jsonlines import dump
from .loading import FILE
from .terminal import output, safe

Command = TypeVar("Command", bound=Callable[..., Any])

_WORDS = "<words>"
"""Stands in a command for the words of one hook."""

NEXT = {
    "claude-code": "start Claude Code again; `/hooks` lists it",
    "gemini": "start Gemini CLI again in a folder that it trusts; it runs no hook of a project that it does not trust",
    "codex": "start Codex again and trust the hook with `/hooks`; until then Codex passes it over",
    "copilot": "start Copilot CLI again",
    "cursor": "Cursor reads the file again by itself; look at `Hooks` in its settings",
}


def _scoped(command: Command) -> Command:
    """Add the harness, and the options that say which settings file is meant."""
    for name, text in (
        ("user", "Your own settings, for every project."),
        ("local", "The project's settings that are yours alone (Claude Code)."),
        ("project", "The settings of the project in this folder (the default)."),
    ):
        command = click.option(f"--{name}", "scope", flag_value=name, help=text)(command)
    command = click.option("--json", "as_json", is_flag=True, help="Write one JSON object.")(command)
    return click.argument("harness", type=click.Choice(HARNESSES))(command)


@click.group("hook", short_help="Answer the hook of an agent CLI (see `tidegate hook --help`).")
def command() -> None:
    """Put the hook of an agent CLI into its settings, take it out, or look at it."""


@command.command("install", short_help="Put the hook into the harness's settings.")
@_scoped
@click.option("--rules", type=FILE, default=None, help="The project's rule file; `rules.toml` unless it is named.")
@click.option("--managed", type=FILE, help="The rule file of the machine, over the project's.")
@click.option("--user-rules", type=FILE, help="The rule file of the person, under the project's.")
@click.option("--audit", type=FILE, help="Append a record of each decision to this file.")
def install(
    harness: str,
    scope: Scope | None,
    *,
    as_json: bool,
    rules: Path | None,
    managed: Path | None,
    user_rules: Path | None,
    audit: Path | None,
) -> int:
    """Put the hook into the settings of HARNESS, for all its tools.

    Everything else in the file stays as it is, and the file as it was is kept beside it. A second time changes
    nothing; with other rules, the hook is replaced. Rules with an error are not installed: they would refuse
    every call.
    """
    if rules is None and managed is None:
        rules = Path("rules.toml")
    Engine.load(rules, managed=managed, user=user_rules)
    named = {"rules": rules, "managed": managed, "user": user_rules, "audit": audit}
    files = {name: None if path is None else str(path.absolute()) for name, path in named.items()}
    place = PLACES[harness]
    wanted = [Wanted(harness, event, **files) for event in place.events]
    started = starter()
    entries = {str(one.event): entry(one, started, sys.platform) for one in wanted}
    path = _path(harness, scope)
    before = read_settings(path)
    after = _edited(path, lambda: with_hooks(before, place, harness, entries))
    backup = write_settings(path, before, after) if after != before else None
    done = {"file": str(path), "changed": after != before, "backup": None if backup is None else str(backup)}
    said = [f"{'installed in' if after != before else 'is installed already in'} {path}"]
    said += [f"what was there before is in {backup}"] if backup is not None else []
    return _tell(as_json, {**done, "next": NEXT[harness]}, [*said, f"next: {NEXT[harness]}"])


@command.command("uninstall", short_help="Take the hook out of the harness's settings.")
@_scoped
def uninstall(harness: str, scope: Scope | None, *, as_json: bool) -> int:
    """Take the hook out of the settings of HARNESS; everything else in the file stays as it is."""
    place, path = PLACES[harness], _path(harness, scope)
    before = read_settings(path)
    after = _edited(path, lambda: without_hooks(before, place, harness)) if before and before.strip() else before
    backup, gone = None, False
    if after is not None and after != before:
        gone = place.own and _is_bare(after, dict(place.skeleton))
        if gone:
            remove_settings(path)
        else:
            backup = write_settings(path, before, after)
    changed = after != before
    done = {"file": str(path), "changed": changed, "deleted": gone, "backup": None if backup is None else str(backup)}
    said = [f"taken out of {path}" if changed else f"there is none in {path}"]
    return _tell(as_json, done, said + ([f"what was there before is in {backup}"] if backup is not None else []))


@command.command("status", short_help="Say where the hook is installed, and whether it works.")
@click.argument("harness", type=click.Choice(HARNESSES))
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object.")
def status_command(harness: str, *, as_json: bool) -> int:
    """Say in which settings of HARNESS the hook is, for the project in this folder and for you.

    Exit code 1 means that it is nowhere, or that something keeps it from refusing what the rules refuse.
    """
    found = status(harness, Path.cwd(), Path.home(), os.environ)
    good = any(one.events for one in found) and not any(one.wrong for one in found)
    if as_json:
        output().line(dump({"ok": good, "harness": harness, "installed": [one.as_json() for one in found]}))
        return 0 if good else 1
    if not any(one.events for one in found):
        output().line(f"not installed; `tidegate hook install {harness}` does it")
    for one in found:
        for line in _lines(one):
            output().line(safe(line))
    return 0 if good else 1


def _lines(one: Installed) -> list[str]:
    lines = [f"{one.file} ({one.scope})"]
    if one.events:
        lines += [f"  events: {', '.join(one.events)}", f"  command: {one.command}", f"  rules: {', '.join(one.rules)}"]
    return [*lines, *(f"  wrong: {text}" for text in one.wrong), *(f"  note: {text}" for text in one.notes)]


def starter() -> Callable[[Sequence[str]], Sequence[str]]:
    """Makes the command that answers a hook with some words: through a resident where there can be one."""
    base = quick_command([_WORDS]) or [*program(), "hook", _WORDS]
    at = base.index(_WORDS)
    return lambda words: [*base[:at], *words, *base[at + 1 :]]


def program() -> list[str]:
    """The words that start this tidegate, by an absolute path: harnesses have a `PATH` of their own."""
    beside = Path(sys.executable).parent / ("tidegate.exe" if sys.platform == "win32" else "tidegate")
    if beside.is_file() and os.access(beside, os.X_OK):
        return [str(beside)]
    on_path = shutil.which("tidegate")
    # `-P`: what lies in the folder of a project is no module of the hook.
    return [str(Path(on_path).absolute())] if on_path else [sys.executable, "-P", "-m", "tidegate"]


def _path(harness: str, scope: Scope | None) -> Path:
    return PLACES[harness].path(scope or "project", Path.cwd(), Path.home(), os.environ)


def _edited(path: Path, edit: Callable[[], str]) -> str:
    """The text that *edit* makes.

    Raises:
        NotWritten: The file is none that can be edited; says where.
    """
    try:
        return edit()
    except NotJson as error:
        raise NotWritten(f"{path}:{error}; it was left as it is, mend it first") from error
    except BadSettings as error:
        raise NotWritten(f"{path}: {error}; it was left as it is, mend it first") from error


def _is_bare(text: str, skeleton: dict[str, Any]) -> bool:
    try:
        return bool(read(text, comments=True).value == skeleton)
    except TidegateError:
        return False


def _tell(as_json: bool, done: dict[str, Any], lines: list[str]) -> int:
    for line in [dump(done)] if as_json else lines:
        output().line(line if as_json else safe(line))
    return 0
