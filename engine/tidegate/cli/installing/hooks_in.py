"""Our hooks within the text of a settings file: which there are, put in, and taken out again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ...errors import TidegateError
from .edits import added, removed
from .jsonc import Node, read
from .places import Place

_COMMANDS = ("command", "bash", "powershell")


class BadSettings(TidegateError):
    """A settings file holds something else where hooks should stand."""

    code = "BAD_SETTINGS"


class Found(NamedTuple):
    """One of our hooks: its event, where in the list of that event it stands, and what it says.

    `inner` is its index in the group at `at`, `None` where handlers stand in no groups.
    """

    event: str
    at: int
    inner: int | None
    handler: Mapping[str, Any]

    @property
    def command(self) -> str:
        """The line that is run."""
        return next((str(self.handler[key]) for key in _COMMANDS if isinstance(self.handler.get(key), str)), "")


def found(root: Node, place: Place, harness: str) -> list[Found]:
    """Every hook of ours in the settings, for whatever event.

    Raises:
        BadSettings: What stands under `hooks` is no object of lists.
    """
    started = r"(?:\btidegate(?:\.exe)?['\"]?\s+'?hook'?|\bhook_program\.py['\"]?)"
    return list(_found(root, place, re.compile(rf"{started}\s+'?{harness}'?(?![\w-])")))


def _found(root: Node, place: Place, ours: re.Pattern[str]) -> Iterator[Found]:
    if not isinstance(root.value, dict):
        raise BadSettings("the settings are no object")
    hooks = root.value.get("hooks", {})
    if not isinstance(hooks, dict):
        raise BadSettings("`hooks` in the settings is no object")
    for event, entries in hooks.items():
        if not isinstance(entries, list):
            if event in place.events:
                raise BadSettings(f"`hooks.{event}` in the settings is no list")
            continue
        for index, one in enumerate(entries):
            inner = one.get("hooks") if place.grouped and isinstance(one, dict) else [one]
            for number, handler in enumerate(inner if isinstance(inner, list) else []):
                if isinstance(handler, dict) and any(ours.search(str(handler.get(key, ""))) for key in _COMMANDS):
                    yield Found(event, index, number if place.grouped else None, handler)


def with_hooks(text: str | None, place: Place, harness: str, wanted: Mapping[str, Mapping[str, Any]]) -> str:
    """The settings with these entries by event as our only hooks; the same text where they are that already.

    Raises:
        NotJson: The text is no JSON.
        BadSettings: Something else stands where hooks should.
    """
    if text is None or not text.strip():
        text = json.dumps(dict(place.skeleton), indent=2) + "\n"
    root = read(text, comments=place.comments)
    there = found(root, place, harness)
    if sorted(one.event for one in there) == sorted(wanted) and all(_is(root, one, wanted[one.event]) for one in there):
        return text
    text = without_hooks(text, place, harness, tidy=False)
    for key, value in place.skeleton.items():
        root = read(text, comments=place.comments)
        if key not in root.value:
            text = added(text, root, value, key)
    for event, one in wanted.items():
        text = _with(text, place, event, one)
    return text


def _is(root: Node, one: Found, wanted: Mapping[str, Any]) -> bool:
    there = root.at("hooks", one.event, one.at)
    return there is not None and there.value == wanted


def _with(text: str, place: Place, event: str, entry: Mapping[str, Any]) -> str:
    root = read(text, comments=place.comments)
    hooks = root.at("hooks")
    if hooks is None:
        return added(text, root, {event: [entry]}, "hooks")
    entries = hooks.at(event)
    return added(text, hooks, [entry], event) if entries is None else added(text, entries, entry)


def without_hooks(text: str, place: Place, harness: str, *, tidy: bool = True) -> str:
    """The settings without any hook of ours; where *tidy*, also without the lists that were there for them alone.

    Raises:
        NotJson: The text is no JSON.
        BadSettings: Something else stands where hooks should.
    """
    emptied: set[str] = set()
    while there := found(read(text, comments=place.comments), place, harness):
        one = there[-1]
        emptied.add(one.event)
        text = _without(text, place, one)
    for event in sorted(emptied) if tidy else ():
        text = _tidied(text, place, ("hooks", event))
    return _tidied(text, place, ("hooks",)) if emptied and tidy else text


def _without(text: str, place: Place, one: Found) -> str:
    root = read(text, comments=place.comments)
    entries = root.at("hooks", one.event)
    assert entries is not None  # noqa: S101 - it was found there
    group = entries.at(one.at, "hooks") if one.inner is not None else None
    if group is not None and one.inner is not None and len(group.spans) > 1:
        return removed(text, group, one.inner)
    return removed(text, entries, one.at)


def _tidied(text: str, place: Place, path: tuple[str, ...]) -> str:
    root = read(text, comments=place.comments)
    holder, node = root.at(*path[:-1]), root.at(*path)
    if holder is None or node is None or node.value:
        return text
    index = list(holder.inner).index(path[-1])
    start, end = holder.spans[index]
    if "//" in text[start:end] or "/*" in text[start:end]:  # a comment is worth keeping an empty list for
        return text
    return removed(text, holder, index)
