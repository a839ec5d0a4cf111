"""Calls said otherwise: with the same effect for denies, and without any harm for grants."""

from __future__ import annotations

import ipaddress
import posixpath
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from random import Random
from typing import Any, NamedTuple

from ...compile.stage import ROOT
from ...plan.binding import Binding
from ..respelling import RESPELLINGS, Respelling, Script, command, text
from ..respelling.scripts import with_words
from ..respelling.words import WORDS

DEPTH = 3
"""How many re-spellings of a command stand on top of each other at most."""

_QUOTES = ("single quotes", "double quotes", "partial quotes", "backslash per letter", "empty expansions inside")
_HARMLESS = tuple(one for one in WORDS if one.name in _QUOTES[:3])
_PLAIN = re.compile(r"[\w./:@%+=,-]+", re.ASCII)
_SHELLS = {"bash": True, "sh": False, "dash": False}


Say = Callable[[str, Binding, Random], tuple[str, str] | None]
"""Says one value otherwise: the name of the way, and the value."""


class Chance(NamedTuple):
    """What is left to chance where something is said otherwise: the ways, and everything in them."""

    ways: tuple[int, ...]
    random: Random


def respelled(arguments: Mapping[str, Any], bound: Mapping[str, Binding], chance: Chance) -> tuple[str, Any] | None:
    """The arguments with one that is bound re-spelled, and how; nothing where none can be."""
    ways: Mapping[str, Say] = {
        "command": partial(_command, chance.ways),
        "path": path_respelled,
        "url": url_respelled,
    }
    return _one_of(arguments, bound, chance.random, ways)


def varied(arguments: Mapping[str, Any], bound: Mapping[str, Binding], chance: Chance) -> tuple[str, Any] | None:
    """The arguments with one that is bound in another plain spelling, and how; nothing where none can be."""
    return _one_of(arguments, bound, chance.random, {"command": _quoted, "path": _path_varied})


def _one_of(
    arguments: Mapping[str, Any],
    bound: Mapping[str, Binding],
    random: Random,
    ways: Mapping[str, Say],
) -> tuple[str, Any] | None:
    places = [pointer for pointer, binding in bound.items() if binding.role in ways]
    if not places:
        return None
    pointer = random.choice(places)
    keys = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    value = _at(arguments, keys)
    said = ways[bound[pointer].role](value, bound[pointer], random) if isinstance(value, str) and value else None
    return None if said is None else (said[0], _put(arguments, keys, said[1]))


def _at(value: Any, keys: Sequence[str]) -> Any:
    for key in keys:
        value = value[int(key)] if isinstance(value, list | tuple) else value[key]
    return value


def _put(value: Any, keys: Sequence[str], new: Any) -> Any:
    if not keys:
        return new
    if isinstance(value, list | tuple):
        return [_put(item, keys[1:], new) if str(index) == keys[0] else item for index, item in enumerate(value)]
    return {**value, keys[0]: _put(value[keys[0]], keys[1:], new)}


# Commands.


def _command(ways: Sequence[int], value: str, binding: Binding, random: Random) -> tuple[str, str] | None:
    """A command re-spelled a few times; in a shell other than bash only by what every shell understands."""
    if binding.shell not in _SHELLS:
        return None
    script, names = script_of(value), []
    for way in ways:
        one = RESPELLINGS[way % len(RESPELLINGS)]
        after = one.apply(script, random)
        if after is not None and (after.posix or _SHELLS[binding.shell]):
            script = after
            names.append(one.name)
    return (", ".join(names), script.text) if names else None


def script_of(value: str) -> Script:
    """A command as a script: word by word where it is a simple one of plain words, else as a whole."""
    try:
        words = shlex.split(value)
    except ValueError:
        words = []
    plain = words and "\n" not in value and all(_PLAIN.fullmatch(word) for word in words) and "=" not in words[0]
    return command(*words) if plain and shlex.join(words) == value else text(value, posix=False)


def _quoted(value: str, binding: Binding, random: Random) -> tuple[str, str] | None:
    """A simple command with a word quoted otherwise, or with blanks around it."""
    script = script_of(value)
    if not script.words or binding.shell not in _SHELLS:
        return None
    one: Respelling = random.choice(_HARMLESS)
    after = one.apply(with_words(script, {}), random)
    forms = [(one.name, after.text)] if after is not None and not after.before else []
    return random.choice([*forms, ("blanks", f"  {value} "), ("blanks between", value.replace(" ", "  "))])


# Paths and URLs.


def path_respelled(value: str, _: Binding, random: Random) -> tuple[str, str] | None:
    """A path that leads to the same file where nothing is a link."""
    if value.startswith("~") or "://" in value or "\0" in value or "\\" in value:
        return None
    absolute = posixpath.normpath(posixpath.join(ROOT, value))
    if absolute.startswith("//"):
        return None
    return random.choice(
        [
            ("absolute", absolute),
            ("relative", posixpath.relpath(absolute, ROOT)),
            ("a detour", posixpath.join(posixpath.dirname(absolute), "x", "..", posixpath.basename(absolute))),
            ("dots", absolute.replace("/", "/./", 1)),
            ("slashes", absolute.replace("/", "//")[1:]),
            ("through /proc", f"/proc/self/root{absolute}"),
            ("through the folder above", f"{ROOT}/../{posixpath.relpath(absolute, posixpath.dirname(ROOT))}"),
        ]
    )


def _path_varied(value: str, _: Binding, random: Random) -> tuple[str, str] | None:
    """A path spelled otherwise in ways that tools themselves write."""
    if not value or value[0] in "/~" or "://" in value or "\\" in value:
        return None
    return random.choice([("./", f"./{value}"), ("absolute", f"{ROOT}/{value}")])


def url_respelled(value: str, _: Binding, random: Random) -> tuple[str, str] | None:
    """A URL that reaches the same server and asks it for the same."""
    found = re.fullmatch(r"(https?)://([A-Za-z0-9.-]+)(:\d+)?(/.*)?", value)
    if found is None:
        return None
    scheme, host, port, path = found[1], found[2], found[3] or "", found[4] or "/"
    default = ":443" if scheme == "https" else ":80"
    forms = [
        ("upper case", f"{scheme.upper()}://{host.upper()}{port}{path}"),
        ("the port said", f"{scheme}://{host}{port or default}{path}"),
        ("userinfo", f"{scheme}://u:p@{host}{port}{path}"),
        ("a trailing dot", f"{scheme}://{host}.{port}{path}"),
        ("dots in the path", f"{scheme}://{host}{port}/x/..{path}"),
    ]
    try:
        number = int(ipaddress.IPv4Address(host))
    except ValueError:
        return random.choice(forms)
    numbers = [("one number", str(number)), ("hex", hex(number)), ("octal", f"0{number >> 24:o}.{number & 0xFFFFFF}")]
    return random.choice([*((name, f"{scheme}://{form}{port}{path}") for name, form in numbers), *forms[:3]])
