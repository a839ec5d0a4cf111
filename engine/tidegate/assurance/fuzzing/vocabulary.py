"""What the rules of a set mention, sorted by what it is: the words of which calls for them are made."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import attrs
from attrs import field, frozen

from ...compile.catalogue import Described, known_names
from ...lang import RawRule, RuleSet
from . import neighbours
from .instances import commands_of, names_of, paths_of, texts_of, urls_of
from .invariants import WhenFields

Table = Mapping[str, Any]

_TOOLS = ("read_file", "write_file", "delete_file", "run_bash", "http_get")
"""Tools for rules that are about no tool in particular."""

_NOT_LOOKED_AT = frozenset(
    {"id", "kind", "message", "why", "severity", "maps", "mode", "expires", "effect", "otherwise", "unknown", "code"}
    | {"access", "store", "on_error", "keep", "phase", "same", "then"}
)
_OF_KIND = {"path": "path", "command": "command", "url": "url", "tools": "tool", "mcp": "tool"}
_OF_KEY = {
    **{key: key for key in ("path", "url", "command", "tool", "regex", "agent")},
    "tools": "tool",
}
_LISTS = frozenset({"allow", "deny", "only"})
_NUMBER = re.compile(r"\d+(?:[_.]\d+)*")


@frozen
class Vocabulary:
    """Words by what they are, the plainest first, without any twice.

    `tools` are the names of tools; `schemas` what is known of their arguments; `seeds` calls that people wrote, as the
    tables of examples. `mentioned` are the texts that rules compare with arguments, whatever these mean.
    """

    tools: tuple[str, ...]
    paths: tuple[str, ...]
    commands: tuple[str, ...]
    urls: tuple[str, ...]
    texts: tuple[str, ...]
    mentioned: tuple[str, ...]
    regexes: tuple[str, ...]
    numbers: tuple[float, ...]
    agents: tuple[str, ...]
    seeds: tuple[Table, ...]
    schemas: Mapping[str, Table] = field(factory=dict)

    def of(self, sort: str) -> tuple[str, ...]:
        """The words of one sort."""
        found: tuple[str, ...] = {"path": self.paths, "command": self.commands, "url": self.urls}.get(sort, self.texts)
        return found


def vocabulary(
    rule_sets: Sequence[RuleSet],
    invariants: Iterable[WhenFields] = (),
    seeds: Iterable[Table] = (),
    catalogue: Sequence[Described] = (),
) -> Vocabulary:
    """The words of rule sets and *invariants*, and *seeds*; a *catalogue* replaces the tools that rules name."""
    rules = [rule for rule_set in rule_sets for rule in rule_set.rules]
    calls = [*seeds, *(call for rule in rules for call in _examples(rule))]
    words: dict[str, list[str]] = {}
    numbers: list[float] = []
    mentioned = [one for rule in rules for one in _mentioned(rule)]
    for sort, value in [*mentioned, *(one for when in invariants for one in _of_invariant(when))]:
        if isinstance(value, str):
            words.setdefault(sort, []).append(value)
            numbers += [float(found.replace("_", "")) for found in _NUMBER.findall(value)] if sort == "text" else []
        else:
            numbers.append(value)
    named = [binding.tool for rule_set in rule_sets for binding in rule_set.bindings]
    known = tuple(dict.fromkeys([*(tool.name for tool in catalogue), *known_names(rule_sets)]))
    if catalogue:
        tools = [tool.name for tool in catalogue]
    else:
        used = [str(call["tool"]) for call in calls if isinstance(call["tool"], str)]
        globs = [*named, *words.get("tool", ())]
        tools = [*used, *(name for glob in globs if glob != "*" for name in names_of(glob, known)[:4]), *_TOOLS]
    texts = [text for it in words.get("text", ()) for text in texts_of(it)]
    return Vocabulary(
        tools=_once(tools),
        paths=_once([*(path for glob in words.get("path", ()) for path in paths_of(glob)), *neighbours.PATHS]),
        commands=_once(
            [*(one for text in words.get("command", ()) for one in commands_of(text)), *neighbours.COMMANDS]
        ),
        urls=_once([*(url for glob in words.get("url", ()) for url in urls_of(glob)), *neighbours.URLS]),
        texts=_once([*texts, *neighbours.TEXTS]),
        mentioned=_once(texts),
        regexes=_once(words.get("regex", ())),
        numbers=tuple(dict.fromkeys([*map(_whole, numbers), *neighbours.NUMBERS])),
        agents=_once([*(one for it in words.get("agent", ()) for one in texts_of(it))]),
        seeds=tuple(calls),
        schemas={tool.name: tool.parameters for tool in catalogue},
    )


def _once(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))


def _whole(number: float) -> float:
    return int(number) if float(number).is_integer() else number


def _examples(rule: RawRule) -> Iterator[Table]:
    """The calls of the examples of a rule."""
    for example in rule.fields.get("example", ()):
        if isinstance(example, Mapping):
            one, many = example.get("call"), example.get("calls")
            yield from (call for call in [one, *(many if isinstance(many, list) else [])] if _is_call(call))


def _is_call(value: object) -> bool:
    if not isinstance(value, Mapping):
        return False
    return isinstance(value.get("tool"), str | Mapping) and isinstance(value.get("args"), Mapping)


def _of_invariant(when: WhenFields) -> Iterator[tuple[str, Any]]:
    """Every text and number of what an invariant is about."""
    for attribute in attrs.fields(WhenFields):
        sort = _OF_KEY.get({"outside": "path", "beyond": "url"}.get(attribute.name, attribute.name), "text")
        if attribute.name != "does":
            yield from _beneath(getattr(when, attribute.name), sort)


def _mentioned(rule: RawRule) -> Iterator[tuple[str, Any]]:
    """Every text and number of a rule with what it is."""
    for key, value in rule.fields.items():
        if key != "example" and key not in _NOT_LOOKED_AT:
            sort = _OF_KIND.get(rule.kind, "text") if key in _LISTS else _OF_KEY.get(key, "text")
            yield from _beneath(value, sort)


def _beneath(value: Any, sort: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, str):
        yield ("url" if sort == "text" and "://" in value else sort), value
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield "number", value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _beneath(item, sort)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _beneath(item, _OF_KEY.get(key, "text"))
