"""How the events of hooks become calls: what all harnesses have in common."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any, NamedTuple, Protocol

from ..call import Call, Tool
from ..calls import parse
from ..decision import Decision
from ..errors import CallError
from ..plan.sitting import Sitting
from .hook_answers import Answer, Stage

_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_-]")


class Event(NamedTuple):
    """What a harness wrote to its hook: the name of the event, when it is asked, and everything that it said."""

    name: str
    stage: Stage
    told: Mapping[str, Any]


class Harness(Protocol):
    """One harness: its events become calls, and what is decided an answer. Each has a module of this shape."""

    def call_of(self, event: Event, environ: Mapping[str, str]) -> Call:
        """The call that an event is about; raises `CallError` where something that a call needs is missing."""

    def misfit(self, event: Event, call: Call, decision: Decision) -> str:
        """Why this harness would not take the arguments of the *decision*, which it then has to refuse; or nothing."""

    def after(self, event: Event, sitting: Sitting) -> Answer:
        """The answer after a call: its result as output rules shape it, as far as the harness takes another one."""

    def installed_hooks(self, cwd: str, home: str | None, environ: Mapping[str, str]) -> tuple[str, ...]:
        """The files and folders in which its hooks are installed; no judged call may change them."""


def told(data: bytes) -> Mapping[str, Any]:
    """The object that a harness wrote.

    Raises:
        CallError: It is none.
    """
    value = parse(data)
    if not isinstance(value, Mapping):
        raise CallError("it is no event of a hook: it is no object")
    return value


def text(event: Mapping[str, Any], key: str) -> str | None:
    """The text under *key*, `None` where there is none.

    Raises:
        CallError: Something else stands there.
    """
    value = event.get(key)
    if value is not None and not isinstance(value, str):
        raise CallError(f"the key `{key}` of the event must be a text")
    return value


def needed(event: Mapping[str, Any], key: str) -> str:
    """The text under *key*, which must be there.

    Raises:
        CallError: It is not, or is empty.
    """
    found = text(event, key)
    if not found:
        raise CallError(f"the event has no `{key}`")
    return found


def arguments(event: Mapping[str, Any], *keys: str, encoded: bool = False) -> Mapping[str, Any]:
    """The arguments of the call, under the one of *keys* that is there: an object; or its JSON, where it is *encoded*.

    Raises:
        CallError: None of them is there, several are, or what stands there is no object.
    """
    there = [key for key in keys if key in event]
    value = event[there[0]] if len(there) == 1 else None
    if isinstance(value, str) and encoded:
        value = parse(value)
    if not isinstance(value, Mapping):
        raise CallError(f"the event has no `{keys[0]}` that is an object")
    return value


def folder(event: Mapping[str, Any], key: str = "cwd") -> str:
    """The folder in which the call is made.

    Raises:
        CallError: It is no absolute path.
    """
    found = text(event, key)
    if found is None or not PurePath(found).is_absolute():
        raise CallError(f"the event has no `{key}` that is an absolute path")
    return found


def absolute(path: str | None) -> str | None:
    """*path* where it is absolute, else nothing."""
    return path if path and PurePath(path).is_absolute() else None


def served(name: str, server: Any, joined: str) -> Tool:
    """The tool, with the server that the harness says it comes from.

    Args:
        name: What the model calls it.
        server: The server's name, or an object with it; anything else tells nothing.
        joined: How the harness begins the names of a server's tools, such as `mcp__{}__`.
    """
    if isinstance(server, Mapping):
        server = server.get("name")
    if not isinstance(server, str) or not server:
        return Tool(name)
    prefix = joined.format(_NOT_IN_A_NAME.sub("_", server))
    return Tool(name, "mcp", server, name.removeprefix(prefix) if name.startswith(prefix) else "")


def settings_files(folders: Iterable[str | None], names: Iterable[str]) -> tuple[str, ...]:
    """Each of *names* in each of the *folders*, as self-protection takes them."""
    plain = sorted({re.sub("/+", "/", PurePath(folder).as_posix()).rstrip("/") for folder in folders if folder})
    wanted = tuple(names)
    return tuple(f"{folder}/{name}" for folder in plain for name in wanted)


def fits(_: Event, call: Call, decision: Decision) -> str:  # noqa: ARG001 - as in `Harness`
    """A harness that takes whatever arguments it is given."""
    return ""
