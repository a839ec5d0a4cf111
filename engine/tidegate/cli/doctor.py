"""`tidegate doctor`: what is wrong with the installation, and what one should know of it."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Literal

import click
from attrs import frozen

from ..adapters.hook_answers import HARNESSES
from ..errors import StateError
from ..facts.state import state_folder
from ..lang import packs
from .jsonlines import dump
from .terminal import output, table
from .version import own_version

Status = Literal["fine", "note", "wrong"]

_FILE = click.Path(path_type=Path)

OLDEST = (3, 11)
CANARIES = 2_000
"""How many patterns the matcher must hold at once; a matcher without memory finds nothing and does not say so."""

_USES = {
    "mcp": "MCP servers",
    "fuzz": "property tests of kinds",
    "serve": "decisions over HTTP",
    "sql": "rules about SQL",
}
"""What the extras are for."""

_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)[^;]*(?:;(.*))?")
_EXTRA = re.compile(r"""\bextra\s*==\s*['"]([^'"]+)['"]""")


@frozen
class Check:
    """One thing that was looked at: its name, how it is, what was found, and what to do about it."""

    name: str
    status: Status
    found: str
    mend: str = ""


@click.command("doctor", short_help="Look at the installation and say what is wrong.")
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object.")
@click.option("--harness", type=click.Choice(HARNESSES), help="Say what this agent CLI cannot enforce of the rules.")
@click.option("--rules", type=_FILE, help="The project's rule file, for `--harness`; by default `rules.toml`.")
@click.option("--managed", type=_FILE, help="The rule file of the machine, for `--harness`.")
@click.option("--user", type=_FILE, help="The rule file of the person, for `--harness`.")
def command(*, as_json: bool, harness: str | None, rules: Path | None, managed: Path | None, user: Path | None) -> int:
    """Look at Python, the packages, the matcher, the folder of state, rule files and packs.

    Exit code 1 means that something is wrong; what is marked `note` is worth knowing and not wrong.

    With `--harness`, look instead at what becomes of each rule behind the hook of that agent CLI. Exit code 1 then
    means that a call or a result may pass that a rule would have stopped or changed.
    """
    if harness is not None:
        from .harness_gaps_text import report

        rules = rules or (Path("rules.toml") if managed is None and user is None else None)
        return report(harness, rules, managed, user, as_json=as_json)
    if rules is not None or managed is not None or user is not None:
        raise click.UsageError("rule files are for `--harness`")
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
    """What this tidegate itself says that it needs, and what its extras bring."""
    try:
        needed, extras = requirements(requires("tidegate") or ())
    except PackageNotFoundError:
        yield Check(
            "packages",
            "note",
            "tidegate runs from a folder and is not installed",
            "its packages are looked at where it was installed with `pip install`",
        )
        return
    there = {name: _installed(name) for name in needed}
    missing = [name for name, found in there.items() if found is None]
    if missing:
        found = f"missing: {', '.join(missing)}"
        yield Check("packages", "wrong", found, f"run `pip install {' '.join(missing)}`")
    else:
        yield Check("packages", "fine", ", ".join(f"{name} {found}" for name, found in there.items()))
    for extra, names in extras.items():
        absent = [name for name in names if _installed(name) is None]
        use = _USES.get(extra, "what it is for")
        if absent:
            found = f"{', '.join(absent)} not installed; {use} need `pip install tidegate[{extra}]`"
            yield Check(f"extra {extra}", "note", found)
        else:
            yield Check(f"extra {extra}", "fine", ", ".join(f"{name} {_installed(name)}" for name in names))


def requirements(lines: Iterable[str]) -> tuple[list[str], dict[str, list[str]]]:
    """The packages that are always needed, and those of each extra, from the lines of a distribution's metadata."""
    needed: list[str] = []
    extras: dict[str, list[str]] = {}
    for line in lines:
        found = _REQUIREMENT.match(line)
        extra = _EXTRA.search(found[2] or "") if found is not None else None
        if found is not None and extra is not None:
            extras.setdefault(extra[1], []).append(found[1])
        elif found is not None and found[2] is None:  # what is for some platforms only, nobody can miss for sure
            needed.append(found[1])
    return needed, extras


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


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
        "whatever runs as this user can change the rules and the state, and can answer in the place of the resident; "
        "inside that user, self-protection is hygiene and no boundary. Have the managed layer owned by another user "
        "where that matters.",
    )


def _resident() -> Iterator[Check]:
    if sys.platform == "win32":
        return
    from ..resident.asking import account_folder, is_own_folder
    from ..resident.control import residents

    folder = account_folder()
    if folder is None:
        yield Check("resident", "note", "this account has no home folder; each hook decides in a process of its own")
    elif os.path.lexists(folder) and not _holds(lambda: is_own_folder(folder)):
        mend = f"make it a folder of this user alone: `chmod 700 {folder}`"
        yield Check("resident", "wrong", f"hooks take no answer from {folder}, which is open to others or a link", mend)
    else:
        running = sum(one.said is not None for one in residents(folder))
        yield Check("resident", "fine", f"{running} running" if running else "none is running; a hook starts one")


def _holds(question: Callable[[], bool]) -> bool:
    """Whether it holds; what cannot be found out does not."""
    try:
        return question()
    except OSError:
        return False


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


LOOKS: tuple[Callable[[], Iterator[Check]], ...] = (
    _python,
    _packages,
    _matcher,
    _state,
    _resident,
    _rules,
)
