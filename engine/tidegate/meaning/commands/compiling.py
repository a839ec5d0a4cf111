"""Tables of TOML become entries; whatever is not understood is an error with the path of its key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from .entry import Commands, Deed, Entry, Hit, Keys, Meaning, OptionSpec
from .entry_source import MARKS, OPTION_KEYS, EntryError, Path, Raw, Source, check
from .meanings import read_deeds, read_layout, read_role
from .spelling import canonical, read_spellings

SYNTAXES = frozenset(
    {"gnu", "first", "pflag", "single", "single-first", "find", "tar", "keys", "service", "slash", "words"}
)
_LISTS: Mapping[str, Mapping[str, bool]] = {"harmless": {"harmless": True}, "named": {}}
_ALWAYS: Mapping[str, Hit] = {
    name: Hit(OptionSpec(name, (name,), harmless=True), 0) for name in ("--help", "--version")
}
T = TypeVar("T")
S = TypeVar("S")


def compile_entry(
    name: str, raw: Raw, source: Source, *, parent: Entry | None = None, path: Path = (), harmless: bool = False
) -> Entry:
    """Compile one table; its subcommands are compiled when they are met.

    Args:
        name: The program and its subcommands, with blanks between.
        raw: The table.
        source: Knows the entries that tables are like.
        parent: The entry that this one is a subcommand of.
        path: The keys that lead to the table.
        harmless: Whether the parent calls this subcommand harmless.

    Raises:
        EntryError: A key is unknown, of the wrong type, or has a text that is not understood.
    """
    path = path or (name,)
    raw = source.inherited(raw, path)
    syntax = raw.get("syntax", parent.syntax if parent is not None and parent.syntax == "pflag" else "gnu")
    if syntax not in SYNTAXES:
        raise EntryError(
            (*path, "syntax"), f"`{syntax}` is no syntax", "words are read by it", ", ".join(sorted(SYNTAXES))
        )
    spelled = _options(raw, path)
    return Entry(
        name=name,
        parent=parent,
        syntax=syntax,
        abbreviates=syntax in ("gnu", "first"),
        shorts={key[1]: hit for key, hit in spelled.items() if _is_short(key)},
        longs={key: hit for key, hit in spelled.items() if not _is_short(key)},
        number=_named(raw, "number", spelled, path),
        plus=spelled["+"].spec if "+" in spelled else None,
        layout=_reading(read_layout, raw.get("operands", ""), (*path, "operands")),
        default=raw.get("default"),
        recursive="recursive" in raw.get("marks", ()),
        force="force" in raw.get("marks", ()),
        does=_reading(_lasting_deeds, raw.get("does", ()), (*path, "does")),
        variables=_keys(raw, "variables", path),
        config=_keys(raw, "config", path),
        commands=_commands(name, raw, source, path) if "commands" in raw else None,
        default_command=raw.get("default_command"),
        anywhere=raw.get("anywhere", False),
        harmless=harmless,
        wrapper=raw.get("wrapper", False),
        place=raw.get("place"),
        stdin=_reading(read_role, raw["stdin"], (*path, "stdin")) if "stdin" in raw else None,
        special=raw.get("special"),
    )


def _lasting_deeds(texts: Iterable[str]) -> tuple[Deed, ...]:
    """The deeds of an entry; reading standard input as code is for options, an entry says it under `stdin`."""
    deeds = read_deeds(texts)
    if any(deed.kind == "stdin" for deed in deeds):
        raise ValueError("`stdin` stands among the deeds of an entry")
    return deeds


def _is_short(spelling: str) -> bool:
    """Whether an option is spelled with one dash and one letter."""
    return len(spelling) == 2 and spelling[0] == "-"  # noqa: PLR2004


def _reading(read: Callable[[S], T], text: S, path: Path) -> T:
    """What *read* makes of the text, its error turned into one with a path."""
    try:
        return read(text)
    except ValueError as error:
        raise EntryError(
            path, str(error), "a text that is not understood says nothing", "see the page of the table of commands"
        ) from error


def _options(raw: Raw, path: Path) -> dict[str, Hit]:
    """Every spelling of every option."""
    spelled: dict[str, Hit] = dict(_ALWAYS)
    for where, text, said in _option_texts(raw, path):
        spellings = _reading(read_spellings, text, where)
        spec = _option(canonical(spellings), tuple(spelling.name for spelling in spellings), said, where)
        for spelling in spellings:
            spelled[spelling.name] = Hit(spec, spelling.takes, spelling.which)
    return spelled


def _option_texts(raw: Raw, path: Path) -> Iterator[tuple[Path, str, Raw]]:
    for key, said in _LISTS.items():
        for index, texts in enumerate(raw.get(key, ())):
            for text in texts.split("; "):
                yield (*path, key, index), text, said
    for text, said in raw.get("options", {}).items():
        yield (*path, "options", text), text, _meaning(said, (*path, "options", text))


def _meaning(said: Any, path: Path) -> Raw:
    """What an option is as a table: `"read harmless"` is short for `{ is = "read", harmless = true }`."""
    if isinstance(said, dict):
        check(said, OPTION_KEYS, path, "an option")
        return said
    if not isinstance(said, str):
        raise EntryError(
            path, "the option is neither a string nor a table", "it says nothing", "write a role, or marks"
        )
    table: dict[str, Any] = {}
    for word in said.split():
        if word in MARKS:
            table[word] = True
        elif "is" in table:
            raise EntryError(path, f"`{said}` has two roles", "a value has one", "join them by `+`")
        else:
            table["is"] = word
    return table


def _option(name: str, spellings: tuple[str, ...], said: Raw, path: Path) -> OptionSpec:
    return OptionSpec(
        name=name,
        spellings=spellings,
        acts=any(key in said for key in ("is", "adds", "does")),
        role=_reading(read_role, said["is"], path) if "is" in said else None,
        layout=_reading(read_layout, said["operands"], path) if "operands" in said else None,
        adds=_reading(read_role, said["adds"], path) if "adds" in said else None,
        does=_reading(read_deeds, said.get("does", ()), path),
        **{mark: said.get(mark, False) for mark in MARKS},
    )


def _named(raw: Raw, key: str, spelled: Mapping[str, Hit], path: Path) -> OptionSpec | None:
    """The option whose spelling stands under *key*."""
    text = raw.get(key)
    if text is None:
        return None
    if text not in spelled:
        raise EntryError((*path, key), f"the entry has no option `{text}`", f"`{key}` names one", "declare the option")
    return spelled[text].spec


def _keys(raw: Raw, key: str, path: Path) -> Keys:
    """Variables or config keys, those with an asterisk as globs."""
    meanings = {name: Meaning(None, harmless=True) for name in raw.get(f"harmless_{key}", ())}
    for name, said in raw.get(key, {}).items():
        table = _meaning(said, (*path, key, name))
        role = _reading(read_role, table["is"], (*path, key, name)) if "is" in table else None
        meanings[name] = Meaning(role, table.get("harmless", False))
    exact = {name: meaning for name, meaning in meanings.items() if "*" not in name}
    return Keys(exact, tuple((name, meaning) for name, meaning in meanings.items() if "*" in name))


def _commands(name: str, raw: Raw, source: Source, path: Path) -> Commands:
    tables: dict[str, Any] = dict(raw["commands"])
    harmless = set(raw.get("harmless_commands", ()))
    for index, wanted in enumerate(raw.get("harmless_commands", ())):
        if wanted not in tables:
            where = (*path, "harmless_commands", index)
            raise EntryError(where, f"there is no subcommand `{wanted}`", "the entry calls it harmless", "declare it")
    spelled = {key: key for key in tables if "*" not in key}
    for key, table in tables.items():
        if not isinstance(table, dict):
            raise EntryError(
                (*path, "commands", key), f"`{key}` is not a table", "a subcommand is one", "write a table"
            )
        spelled.update(dict.fromkeys(table.get("aliases", ()), key))
    for key, table in raw["commands"].items():
        for other, *spellings in (names.split() for names in table.get("shares", ())):
            tables[other] = {each: said for each, said in table.items() if each not in ("aliases", "example", "shares")}
            spelled.update(dict.fromkeys((other, *spellings), other))
            if key in harmless:
                harmless.add(other)

    def compile_command(key: str, parent: Entry) -> Entry:
        where = (*path, "commands", key)
        return compile_entry(f"{name} {key}", tables[key], source, parent=parent, path=where, harmless=key in harmless)

    globs = tuple(key for key in tables if "*" in key)
    return Commands(spelled, globs, compile_command, abbreviates=raw.get("abbreviates_commands", False))
