"""The tables of which entries are compiled: their keys, and what one takes from another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...errors import TidegateError

MARKS = ("harmless", "recursive", "force", "ends", "clear")
OPTION_KEYS: Mapping[str, type] = {
    **dict.fromkeys(MARKS, bool),
    "is": str,
    "operands": str,
    "adds": str,
    "does": list,
}
KEYS: Mapping[str, type] = {
    "aliases": list,
    "abbreviates_commands": bool,
    "anywhere": bool,
    "commands": dict,
    "config": dict,
    "default": str,
    "default_command": str,
    "does": list,
    "example": list,
    "harmless": list,
    "harmless_commands": list,
    "harmless_config": list,
    "harmless_variables": list,
    "like": str,
    "marks": list,
    "named": list,
    "number": str,
    "operands": str,
    "options": dict,
    "place": str,
    "shares": list,
    "special": str,
    "stdin": str,
    "syntax": str,
    "variables": dict,
    "versions": bool,
    "wrapper": bool,
}
_OWN = frozenset({"aliases", "example", "like", "shares", "versions"})
_TOML = {bool: "a boolean", str: "a string", list: "an array", dict: "a table"}
Path = tuple[str | int, ...]
Raw = Mapping[str, Any]


class EntryError(TidegateError):
    """An entry of the table of commands is none.

    Attributes:
        path: The keys that lead to what is wrong, from the program's name on.
        what: The fact, lower case, without a full stop.
        why: Why it is refused.
        mend: What to write instead.
    """

    code = "BAD_COMMAND_ENTRY"

    def __init__(self, path: Path, what: str, why: str, mend: str) -> None:
        super().__init__(f"{'.'.join(map(str, path))}: {what}")
        self.path = path
        self.what = what
        self.why = why
        self.mend = mend


class Source:
    """Where the tables of entries come from: one that is `like` another needs that other."""

    def __init__(self, find: Callable[[str], Raw | None]) -> None:
        self._find = find

    def inherited(self, raw: Raw, path: Path, seen: tuple[str, ...] = ()) -> Raw:
        """The table with everything that it takes from the entry named under `like`.

        Raises:
            EntryError: There is no such entry, or it takes from this one in turn.
        """
        check_keys(raw, path)
        name = raw.get("like")
        if name is None:
            return raw
        where = (*path, "like")
        names = name.split()
        if name in seen or [key for key in path if key != "commands"][: len(names)] == names:
            raise EntryError(where, f"`{name}` is like itself", "it would never end", "name another entry")
        seen = (*seen, name)
        base = self._find(names[0])
        for subcommand in names[1:]:
            base = None if base is None else self.inherited(base, path, seen).get("commands", {}).get(subcommand)
        if base is None:
            raise EntryError(where, f"there is no entry `{name}`", "the rest is taken from it", "name another entry")
        return overlaid(self.inherited(base, path, seen), raw)


def overlaid(base: Raw, top: Raw) -> Raw:
    """Two tables as one: arrays joined, tables merged, anything else from *top*; what names *base* itself left out."""
    table = {key: value for key, value in base.items() if key not in _OWN}
    for key, value in top.items():
        old = table.get(key)
        if isinstance(old, list) and isinstance(value, list):
            table[key] = [*old, *value]
        elif isinstance(old, dict) and isinstance(value, dict):
            table[key] = overlaid(old, value) if key == "commands" else {**old, **value}
        else:
            table[key] = value
    return table


def check_keys(raw: Raw, path: Path) -> None:
    """Refuse keys that no entry has, and values of another type than theirs."""
    check(raw, KEYS, path, "an entry")


def check(raw: Raw, keys: Mapping[str, type], path: Path, whose: str) -> None:
    """Refuse keys that are none of *keys*, and values of another type than theirs."""
    for key, value in raw.items():
        wanted = keys.get(key)
        if wanted is None:
            raise EntryError(
                (*path, key),
                f"unknown key `{key}` in {whose}",
                "a key that is not read would make the entry weaker than it looks",
                f"write one of {', '.join(f'`{known}`' for known in keys)}",
            )
        if not isinstance(value, wanted):
            raise EntryError((*path, key), f"`{key}` is not {_TOML[wanted]}", "nothing is converted", _TOML[wanted])
