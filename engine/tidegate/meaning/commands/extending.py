"""Entries that a rule file adds to the table: they may add, never change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from .entry_source import EntryError, Path, Raw, check_keys
from .spelling import read_spellings

_ADDABLE = frozenset(
    {
        "harmless",
        "named",
        "options",
        "commands",
        "config",
        "example",
        "harmless_commands",
        "harmless_config",
        "harmless_variables",
        "variables",
    }
)


def check_name(name: str, added: Raw, taken: Callable[[str], bool]) -> None:
    """Refuse an entry for all programs, and aliases that lead to a program already.

    Raises:
        EntryError: The entry claims what is not its own.
    """
    if not name.strip("*?"):
        raise EntryError(
            (name,), f"`{name}` names no program", "an addition speaks for one program", "name the program"
        )
    for index, alias in enumerate(added.get("aliases", ())):
        if taken(alias):
            where = (name, "aliases", index)
            raise EntryError(where, f"`{alias}` has an entry", "an entry that is there may not change", "leave it out")


def check_variables(added: Raw, common: Raw, path: Path) -> None:
    """Refuse variables that mean the same to every program.

    Raises:
        EntryError: *added* declares one of them.
    """
    _refuse_declared(_keys(common, "variables", path), _keys(added, "variables", path), "variables")
    for name, table in added.get("commands", {}).items():
        if isinstance(table, dict):
            check_variables(table, common, (*path, "commands", name))


def grown(base: Raw, added: Raw, path: Path) -> Raw:
    """The table *base* with what *added* declares besides.

    Raises:
        EntryError: *added* says something of what *base* declares.
    """
    check_keys(added, path)
    for key in added:
        if key not in _ADDABLE:
            raise EntryError(
                (*path, key),
                f"`{key}` of `{path[-1]}` is already settled",
                "an entry that is there may grow and may not change",
                f"add under {', '.join(f'`{known}`' for known in sorted(_ADDABLE))}",
            )
    _refuse_declared(_spelled(base, path), _spelled(added, path), "options")
    for kind, words in (("variables", "variables"), ("config", "config keys")):
        _refuse_declared(_keys(base, kind, path), _keys(added, kind, path), words)
    _refuse_loosened(base, added, path)
    return _joined(base, added, path)


def _refuse_declared(base: Mapping[str, Path], added: Mapping[str, Path], words: str) -> None:
    for name, where in added.items():
        declared = next((each for each in base if _meet(each, name)), None)
        if declared is not None:
            raise EntryError(
                where,
                f"`{name}` is declared among the {words}, as `{declared}`",
                "an entry that is there may not change",
                "leave it out",
            )


def _meet(declared: str, added: str) -> bool:
    """Whether two names, either of which may be a glob, can be the same."""
    return (
        declared == added
        or ("*" in added and fnmatchcase(declared.replace("*", "x"), added))
        or ("*" in declared and fnmatchcase(added.replace("*", "x"), declared))
    )


def _refuse_loosened(base: Raw, added: Raw, path: Path) -> None:
    """A subcommand may be called harmless only by whoever adds it."""
    for index, name in enumerate(added.get("harmless_commands", ())):
        if name in base.get("commands", {}):
            raise EntryError(
                (*path, "harmless_commands", index),
                f"the subcommand `{name}` is declared",
                "calling it harmless would loosen grants that are there",
                "leave it out",
            )


def _spelled(raw: Raw, path: Path) -> dict[str, Path]:
    """Every spelling of an option, with the keys that lead to it."""
    spelled: dict[str, Path] = {}
    for where, text in _option_texts(raw, path):
        try:
            spellings = read_spellings(text)
        except ValueError as error:
            raise EntryError(
                where, str(error), "nothing can be matched with it", "write it as a manual page does"
            ) from error
        spelled.update((spelling.name, where) for spelling in spellings)
    return spelled


def _option_texts(raw: Raw, path: Path) -> Iterator[tuple[Path, str]]:
    for key in ("harmless", "named"):
        for index, texts in enumerate(raw.get(key, ())):
            for text in texts.split("; "):
                yield (*path, key, index), text
    for text in raw.get("options", {}):
        yield (*path, "options", text), text


def _keys(raw: Raw, kind: str, path: Path) -> dict[str, Path]:
    """Every variable or config key, with the keys that lead to it."""
    keys: dict[str, Path] = {name: (*path, kind, name) for name in raw.get(kind, {})}
    harmless = raw.get(f"harmless_{kind}", ())
    keys.update((name, (*path, f"harmless_{kind}", index)) for index, name in enumerate(harmless))
    return keys


def _joined(base: Raw, added: Raw, path: Path) -> Raw:
    table: dict[str, Any] = dict(base)
    for key, value in added.items():
        old = table.get(key)
        if key == "commands" and old is not None:
            commands = dict(old)
            for name, command in value.items():
                known = commands.get(name)
                commands[name] = command if known is None else grown(known, command, (*path, "commands", name))
            table[key] = commands
        elif isinstance(old, list):
            table[key] = [*old, *value]
        elif isinstance(old, dict):
            table[key] = {**old, **value}
        else:
            table[key] = value
    return table
