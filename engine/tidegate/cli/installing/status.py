"""What stands in the settings of one harness, and what is wrong with it."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomli
from attrs import evolve, frozen

from ...adapters.hook_answers import Wanted
from ..hook import SECONDS, parse
from .hooks_in import Found, found
from .jsonc import NotJson, read
from .places import OR_REFUSE, PLACES, NoPlace, Place, Scope
from .writing import NotWritten, read_settings

PROGRAM = "hook_program.py"
"""The program that asks a resident before it decides by itself."""


@frozen
class Installed:
    """The hooks of ours in one settings file.

    `events` are those for which there is one. `rules` are the files that they judge by. `wrong` says what keeps them
    from refusing what the rules refuse; `notes` what else one should know.
    """

    file: Path
    scope: Scope
    events: tuple[str, ...] = ()
    command: str = ""
    rules: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The same as JSON."""
        return {
            "file": str(self.file),
            "scope": self.scope,
            "events": list(self.events),
            "command": self.command,
            "rules": list(self.rules),
            "wrong": list(self.wrong),
            "notes": list(self.notes),
        }


def status(harness: str, folder: Path, home: Path, environ: Mapping[str, str]) -> list[Installed]:
    """What stands in each settings file of a harness that has a hook of ours, or that cannot be read."""
    place = PLACES[harness]
    looked = [_look(harness, place, scope, place.path(scope, folder, home, environ)) for scope in place.files]
    there = [one for one in looked if one.events or one.wrong]
    if sum(bool(one.events) for one in there) > 1:
        twice = "it is installed in several files, so that each call is judged, and counted by limits, more than once"
        there = [_noting(one, twice) for one in there]
    if harness == "cursor" and any(one.events for one in status_of_claude(home, environ)):
        again = "Cursor runs the hooks of Claude Code in your home as well: each call is judged twice"
        there = [_noting(one, again) for one in there]
    return there


def status_of_claude(home: Path, environ: Mapping[str, str]) -> list[Installed]:
    """What stands in the person's own settings of Claude Code, which other harnesses read, too."""
    place = PLACES["claude-code"]
    return [_look("claude-code", place, "user", place.path("user", home, home, environ))]


def _noting(one: Installed, note: str) -> Installed:
    return evolve(one, notes=(*one.notes, note))


def _look(harness: str, place: Place, scope: Scope, path: Path) -> Installed:
    try:
        text = read_settings(path)
        if text is None or not text.strip():
            return Installed(path, scope)
        root = read(text, comments=place.comments)
        there = found(root, place, harness)
    except NotJson as error:
        return Installed(path, scope, wrong=(f"it is not JSON that {harness} reads: line {error}",))
    except (NotWritten, NoPlace) as error:
        return Installed(path, scope, wrong=(str(error),))
    if not there:
        return Installed(path, scope)
    return _judged(harness, place, scope, path, there, root.value)


def _judged(
    harness: str, place: Place, scope: Scope, path: Path, there: list[Found], settings: Mapping[str, Any]
) -> Installed:
    events = tuple(one.event for one in there)
    wrong = [f"there is no hook for `{event}`" for event in place.events if event not in events]
    wrong += [f"there are several hooks for `{event}`" for event in sorted({e for e in events if events.count(e) > 1})]
    rules: list[str] = []
    for one in there:
        problems, files = _command(one, harness)
        wrong += problems
        rules += files
        wrong += _timing(one, harness)
        wrong += _narrowed(one, harness, settings)
    wrong += _switched_off(harness, settings, path)
    return Installed(path, scope, events, there[0].command, tuple(dict.fromkeys(rules)), tuple(dict.fromkeys(wrong)))


def _command(one: Found, harness: str) -> tuple[list[str], list[str]]:
    """What is wrong with the line of a hook, and the rule files that it names."""
    try:
        words = shlex.split(one.command.removesuffix(OR_REFUSE))  # whatever else stands there is no word of a hook
    except ValueError:
        return [f"the command for `{one.event}` cannot be read: {one.command}"], []
    start = next((at for at, word in enumerate(words) if word == "hook" or word.endswith(PROGRAM)), None)
    if start is None:
        return [f"the command for `{one.event}` is not that of a hook"], []
    program = words[: start + words[start].endswith(PROGRAM)]
    wrong = [f"`{name}` is not there any more, or cannot be started" for name in _missing(program)]
    wanted = parse(_without_resident(words[start + 1 :]))
    if isinstance(wanted, str):
        return [*wrong, f"the command for `{one.event}` is refused: {wanted}"], []
    if wanted.harness != harness or wanted.event not in (None, one.event):
        wrong.append(f"the command for `{one.event}` is that of `{wanted.event}`")
    files = _files(wanted)
    wrong += [f"the rule file `{file}` is not there" for file in files if not Path(file).is_file()]
    return wrong, files


def _files(wanted: Wanted) -> list[str]:
    return [file for file in (wanted.managed, wanted.rules, wanted.user) if file is not None]


def _missing(program: list[str]) -> list[str]:
    """What of the command cannot be found: the program itself, or the file that it is to run."""
    gone = [] if program and shutil.which(program[0]) else program[:1]
    return gone + [word for word in program[1:] if word.endswith(PROGRAM) and not Path(word).is_file()]


def _without_resident(words: list[str]) -> list[str]:
    """The words of the hook itself, without those that say where a resident is."""
    at = words.index("--resident") if "--resident" in words else len(words)
    return words[:at] + words[at + 2 :]


_KEYS: Mapping[str, tuple[str, float]] = {
    "claude-code": ("timeout", 1),
    "gemini": ("timeout", 1000),
    "codex": ("timeout", 1),
    "copilot": ("timeoutSec", 1),
    "cursor": ("timeout", 1),
}


def _timing(one: Found, harness: str) -> list[str]:
    """What lets the harness go on without an answer."""
    key, unit = _KEYS[harness]
    value = one.handler.get(key)
    wrong = []
    if isinstance(value, int | float) and value / unit <= SECONDS:
        wrong.append(
            f"`{key}` for `{one.event}` is no longer than the hook's own {SECONDS:g} seconds: the harness goes on"
        )
    if harness == "cursor" and one.event == "preToolUse" and one.handler.get("failClosed") is not True:
        wrong.append("`failClosed` is not set for `preToolUse`: Cursor runs the tool where the hook fails")
    return wrong


_HANDLER = frozenset({
    "bash", "command", "description", "failClosed", "name", "powershell", "statusMessage", "timeout", "timeoutSec",
    "type",
})  # fmt: skip
_GROUP = frozenset({"description", "hooks", "sequential"})
_EVERY_TOOL: Mapping[str, tuple[str, ...]] = {"gemini": ("",), "cursor": ("",)}
"""Matchers that take every tool; elsewhere `*` does as well."""


def _narrowed(one: Found, harness: str, settings: Mapping[str, Any]) -> list[str]:
    """What keeps the hook from being asked about every call, or its answer from being waited for."""
    entry = settings["hooks"][one.event][one.at]
    around = {key: value for key, value in entry.items() if one.inner is not None and key not in _GROUP}
    said = around | {key: value for key, value in one.handler.items() if key not in _HANDLER}
    if said.get("matcher", "") in _EVERY_TOOL.get(harness, ("", "*")):
        said.pop("matcher", None)
    wrong = [
        f"`{key}` for `{one.event}` may keep the hook from some calls: only what install writes is sure" for key in said
    ]
    if one.handler.get("type", "command") != "command":
        wrong.append(f"the hook for `{one.event}` is none of the type `command`: it is not run")
    return wrong


def _switched_off(harness: str, settings: Mapping[str, Any], path: Path) -> list[str]:
    """Switches of the harness that keep every hook, or ours, from being run."""
    if settings.get("disableAllHooks") is True:
        return ["`disableAllHooks` is set: no hook is run"]
    config = settings.get("hooksConfig")
    if harness == "gemini" and isinstance(config, Mapping):
        if config.get("enabled") is False:
            return ["`hooksConfig.enabled` is false: no hook is run"]
        if isinstance(config.get("disabled"), list) and "tidegate" in config["disabled"]:
            return ["`hooksConfig.disabled` names `tidegate`: the hook is not run"]
    if harness == "codex":
        return _codex_switch(path.with_name("config.toml"))
    return []


def _codex_switch(path: Path) -> list[str]:
    try:
        text = read_settings(path)
        features = tomli.loads(text or "").get("features", {})
    except (NotWritten, tomli.TOMLDecodeError):
        return [f"`{path}` cannot be read, so nobody can tell whether it switches hooks off"]
    off = isinstance(features, Mapping) and any(features.get(key) is False for key in ("hooks", "codex_hooks"))
    return [f"`{path}` switches hooks off: no hook is run"] if off else []
