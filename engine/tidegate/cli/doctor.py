"""`tidegate doctor`: what is wrong with the installation, and what one should know of it."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import click
from attrs import frozen

from ..errors import StateError
from ..facts.state import state_folder
from ..lang import packs
from .jsonlines import dump
from .terminal import output, table
from .version import own_version

Status = Literal["fine", "note", "wrong"]

OLDEST = (3, 11)
CANARIES = 2_000
"""How many patterns the matcher must hold at once; a matcher without memory finds nothing and does not say so."""

_NEEDED = (
    "anyio",
    "attrs",
    "cattrs",
    "click",
    "google-re2",
    "idna",
    "jsonschema",
    "rich",
    "toml-rs",
    "tomli",
    "tomli-w",
)
_EXTRAS = {"mcp": ("mcp", "MCP servers and the MCP proxy"), "fuzz": ("hypothesis", "`tidegate fuzz`")}


@frozen
class Check:
    """One thing that was looked at: its name, how it is, what was found, and what to do about it."""

    name: str
    status: Status
    found: str
    mend: str = ""


@click.command("doctor", short_help="Look at the installation and say what is wrong.")
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object.")
def command(as_json: bool) -> int:
    """Look at Python, the packages, the matcher, the folder of state, rule files and packs.

    Exit code 1 means that something is wrong; what is marked `note` is worth knowing and not wrong.
    """
    checks = [check for look in LOOKS for check in look()]
    healthy = all(check.status != "wrong" for check in checks)
    screen = output()
    if as_json:
        rows = [{"name": one.name, "status": one.status, "found": one.found, "mend": one.mend} for one in checks]
        screen.line(dump({"ok": healthy, "checks": rows}))
    else:
        table(screen, ("", "what", "found"), [(one.status, one.name, one.found) for one in checks])
        for one in checks:
            if one.mend:
                screen.line(f"{one.name}: {one.mend}")
    return 0 if healthy else 1


def _python() -> Iterator[Check]:
    found = f"{platform.python_version()} on {platform.platform()}"
    if sys.version_info < OLDEST:
        yield Check("python", "wrong", found, f"use Python {'.'.join(map(str, OLDEST))} or newer")
    else:
        yield Check("python", "fine", found)
    yield Check("tidegate", "fine", f"{own_version()} in {Path(__file__).resolve().parent.parent}")


def _packages() -> Iterator[Check]:
    versions, missing = [], []
    for name in _NEEDED:
        try:
            versions.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            missing.append(name)
    if missing:
        yield Check(
            "packages", "wrong", f"missing: {', '.join(missing)}", "run `pip install --force-reinstall tidegate`"
        )
    else:
        yield Check("packages", "fine", ", ".join(versions))
    for extra, (module, use) in _EXTRAS.items():
        there = find_spec(module) is not None
        found = f"{module} {version(module)}" if there else f"not installed; {use} need `pip install tidegate[{extra}]`"
        yield Check(f"extra {extra}", "fine" if there else "note", found)


def _matcher() -> Iterator[Check]:
    """The canary: a set of patterns in which one must be found."""
    try:
        import re2

        options = re2.Options()
        options.max_mem = 256 * 1024 * 1024
        patterns = re2.Set.SearchSet(options)
        for number in range(CANARIES):
            patterns.Add(f"canary-{number}-[a-z]+$")
        patterns.Compile()
        sung = patterns.Match("a canary-7-sings") == [7]
    except Exception as error:  # noqa: BLE001 - whatever is wrong with it, it is the answer
        yield Check("matcher", "wrong", f"{type(error).__name__}: {error}", "reinstall `google-re2`")
        return
    if sung:
        yield Check("matcher", "fine", f"re2 finds one pattern among {CANARIES}")
    else:
        yield Check("matcher", "wrong", "re2 does not find what is there", "give the process more memory")


def _state() -> Iterator[Check]:
    try:
        folder = state_folder(os.environ, sys.platform)
    except StateError as error:
        yield Check("state", "wrong", str(error), "limits in files, remembered digests and sockets need this folder")
        return
    mode = f", mode {folder.stat().st_mode & 0o777:o}" if os.name == "posix" else ""
    yield Check("state", "fine", f"{folder}{mode}, only for this user")
    yield Check(
        "separation",
        "note",
        "agent and engine run as the same user",
        "whatever runs as this user can change the rules and the state; inside that user, self-protection is hygiene "
        "and no boundary. Have the managed layer owned by another user where that matters.",
    )


def _rules() -> Iterator[Check]:
    here = Path("rules.toml")
    if here.is_file():
        yield Check("rules", "fine", f"{here.absolute()}; see `tidegate check`")
    else:
        yield Check("rules", "note", "no `rules.toml` in this folder", "`tidegate new policy` writes a first one")
    found = packs.listed(packs.shipped())
    if found:
        yield Check("packs", "fine", ", ".join(found))
    else:
        yield Check("packs", "wrong", "none were shipped", "reinstall tidegate; `pack:` includes cannot work")


LOOKS: tuple[Callable[[], Iterator[Check]], ...] = (_python, _packages, _matcher, _state, _rules)
