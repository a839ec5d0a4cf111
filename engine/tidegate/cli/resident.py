"""`tidegate resident`: the process that answers hooks quickly, looked at, started and ended."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from .jsonlines import dump
from .terminal import output, table

if TYPE_CHECKING:
    from ..resident.control import Found

Command = TypeVar("Command", bound=Callable[..., Any])

WAIT = 10.0
"""Seconds in which a resident that was started answers, or one that was told to stop is gone."""

_COLUMNS = ("pid", "version", "python", "calls", "plans", "seconds", "idle")


def _options(command: Command) -> Command:
    folder = click.option(
        "--folder", metavar="FOLDER", help="The folder of its socket; by default in the home of the account."
    )
    as_json = click.option("--json", "as_json", is_flag=True, help="Write one JSON object.")
    return folder(as_json(command))


@click.group("resident", short_help="Look at, start or stop the process that answers hooks quickly.")
def command() -> None:
    """Look at, start or stop the process that stays and answers hooks.

    Hooks start it when they need it, and it ends by itself when none has asked for some minutes. Without it every hook
    decides in a process of its own.
    """


@command.command("status", short_help="Say which residents there are.")
@_options
def status(folder: str | None, as_json: bool) -> int:
    """Say which residents answer. Exit code 1 means that none of this version does."""
    found = _residents(_folder(folder))
    own = any(one.own and one.said is not None for one in found)
    screen = output()
    if as_json:
        rows = [{"socket": one.name, "own": one.own, "answers": bool(one.said), **(one.said or {})} for one in found]
        screen.line(dump({"running": own, "folder": _folder(folder), "residents": rows}))
    elif not found:
        screen.line(f"no resident in {_folder(folder)}; the next hook starts one")
    else:
        rows_of = [[str((one.said or {}).get(name, "-")) for name in _COLUMNS] for one in found]
        table(screen, _COLUMNS, rows_of)
    return 0 if own else 1


@command.command("start", short_help="Start one now.")
@_options
@click.option("--idle", type=click.FloatRange(1, 86_400), default=600.0, show_default=True, help="Seconds it waits.")
def start(folder: str | None, as_json: bool, idle: float) -> int:
    """Start a resident, unless one runs. Exit code 1 means that none answers."""
    from ..resident import place

    where = _folder(folder)
    began = place.start(where, idle)
    running = _until(lambda: any(one.own and one.said is not None for one in _residents(where)))
    word = "started" if began and running else "runs already" if running else "did not start"
    _say(as_json, {"running": running, "started": began and running, "folder": where}, f"the resident {word}")
    if not running:
        _mend(where)
    return 0 if running else 1


@command.command("stop", short_help="End all of them.")
@_options
def stop(folder: str | None, as_json: bool) -> int:
    """End the residents of all versions; hooks that they answer just now get their answer. Hooks start new ones."""
    from ..resident.control import told

    where = _folder(folder)
    names = [one.name for one in _residents(where) if one.said is not None]
    stopped = [name for name in names if told(where, name, b"stop") is not None]
    gone = _until(lambda: not any(one.said is not None and one.name in stopped for one in _residents(where)))
    text = f"{len(stopped)} stopped" if stopped else "no resident was running"
    _say(as_json, {"stopped": len(stopped), "folder": where}, text)
    return 0 if gone and len(stopped) == len(names) else 1


def _residents(folder: str) -> list[Found]:
    from ..resident.control import residents

    return list(residents(folder))


def _folder(named: str | None) -> str:
    if sys.platform == "win32":
        raise click.ClickException("there is no resident on Windows; each hook decides in a process of its own")
    from ..resident.asking import account_folder

    folder = named or account_folder()
    if folder is None:
        raise click.ClickException("this account has no home folder; name a folder with `--folder`")
    if not folder.startswith("/"):
        raise click.ClickException("`--folder` must be an absolute path")
    return folder


def _mend(folder: str) -> None:
    from ..resident.place import PROGRAM

    click.echo(f"see why with `{sys.executable} -I -S {PROGRAM} --serve {folder} 60`", err=True)


def _say(as_json: bool, said: dict[str, Any], text: str) -> None:
    output().line(dump(said) if as_json else text)


def _until(holds: Callable[[], bool]) -> bool:
    """Whether it holds before the time to wait is over."""
    deadline = time.monotonic() + WAIT
    while not holds():
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.02)
    return True
