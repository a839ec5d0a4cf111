"""Calls that a clause may have something to say about; what it really says, the engine tells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import attrs

from ...call import Call
from ...calls import call_of
from ...compile.catalogue import Described
from ...compile.compiler import Outcome
from ...compile.stage import HOME, ROOT
from ...errors import CallError
from ...kernel.json_values import snapshot
from ...lang.ruleset import RawRule
from ...pointers import BadPointer, pointer_to
from ..clauses import Clause, Item
from ..clauses.commands import Command
from ..clauses.items import Name, Path, Url
from ..clauses.tables import Table
from . import texts
from .slots import Slot, Tools, placed

_MOST_TOOLS = 3
_MOST_TEXTS = 8
_DOING = {"read": "cat", "write": "touch", "delete": "rm", "list": "ls"}
_UNREAD = ("$SOMETHING", "bash x.sh", "printf '' > x.sh; bash x.sh", "make")
_OF_EXAMPLES = frozenset({"at", "ends", "returns", "fails", "said"})
_PATHS, _URLS, _COMMANDS = frozenset({"path"}), frozenset({"url", "host"}), frozenset({"command"})


class Prober:
    """Makes calls of the tools that the rules and the catalogue know."""

    def __init__(self, outcome: Outcome, catalogue: Sequence[Described] | None = None) -> None:
        self.tools = Tools(outcome, catalogue)

    def calls(self, clause: Clause, against: Sequence[Item] = (), tools: Sequence[str] | None = None) -> Iterator[Call]:
        """Calls that the clause is about, first such as no item of *against* is about; of *tools* where given."""
        names = self._names(clause.raw) if tools is None else list(tools)
        for call in self._plain(clause, against, names):
            yield from _under(clause.raw.fields.get("when"), call)

    def _names(self, raw: RawRule) -> list[str]:
        when = raw.fields.get("when")
        globs = _many(when.get("tool")) if isinstance(when, Mapping) else None
        names = self.tools.of(raw.fields.get("tools"))
        if globs is not None:
            narrowed = set(self.tools.of(globs))
            names = [name for name in names if name in narrowed]
        return names

    def _plain(self, clause: Clause, against: Sequence[Item], names: list[str]) -> Iterator[Call]:
        if clause.says in ("unread", "code"):
            for text in _UNREAD:
                yield from self._in(self.tools.slots(names, _COMMANDS), text)
                yield from self._unbound(names, "command", text)
        for item in clause.items:
            yield from self.of_item(item, names, against, clause.access)
        if clause.whole:
            for name in names[:_MOST_TOOLS]:
                yield self.make(name, {})

    def of_item(
        self,
        item: Item,
        names: Sequence[str],
        against: Sequence[Item] = (),
        access: frozenset[str] = frozenset({"read", "write", "delete", "list"}),
    ) -> Iterator[Call]:
        """Calls of *names* that one item is about."""
        commands = self.tools.slots(names, _COMMANDS)
        if isinstance(item, Path):
            found = list(islice(texts.paths(item, against), _MOST_TEXTS))
            for text in found:
                yield from self.of_path(text, names, access)
            for text in found:
                yield from self._unbound(names, "x", text)
        elif isinstance(item, Url):
            for text in islice(texts.urls(item, against), _MOST_TEXTS):
                yield from self.of_url(text, names)
                yield from self._unbound(names, "x", text)
        elif isinstance(item, Command):
            for text in islice(texts.commands(item.text), _MOST_TEXTS):
                yield from self._in(commands, text)
                yield from self._unbound(names, "command", text)
        elif isinstance(item, Name):
            for text in islice(texts.names(item, against), _MOST_TEXTS):
                yield self.make(text, {})
        elif isinstance(item, Table):
            yield from self._of_table(item, names, against)

    def of_path(self, path: str, names: Sequence[str], access: frozenset[str]) -> Iterator[Call]:
        """Calls of *names* that do one of *access* to a path."""
        slots = [slot for slot in self.tools.slots(names, _PATHS) if slot.access & access]
        yield from self._in(slots, path)
        told = [f"{_DOING[doing]} {texts.word(path)}" for doing in sorted(access)]
        yield from self._in(self.tools.slots(names, _COMMANDS), *told)

    def of_url(self, url: str, names: Sequence[str]) -> Iterator[Call]:
        """Calls of *names* that connect to a URL."""
        yield from self._in(self.tools.slots(names, _URLS), url)
        yield from self._in(self.tools.slots(names, _COMMANDS), f"curl {texts.word(url)}")

    def of_command(self, command: str, names: Sequence[str]) -> Iterator[Call]:
        """Calls of *names* that run a command."""
        yield from self._in(self.tools.slots(names, _COMMANDS), command)

    def of_value(self, name: str, value: Any, names: Sequence[str]) -> Iterator[Call]:
        """Calls of *names* that have a value for one argument, and nothing else."""
        for tool in names[:_MOST_TOOLS]:
            yield from self._with(tool, {name: value})

    def _of_table(self, item: Table, names: Sequence[str], against: Sequence[Item]) -> Iterator[Call]:
        """Calls whose arguments meet a table, and such as miss it in one argument."""
        others = [other for other in against if isinstance(other, Table)]
        choices: dict[str, list[Any]] = {
            name: list(
                islice(texts.values(check, [other.checks[name] for other in others if name in other.checks]), 12)
            )
            for name, check in item.checks.items()
        }
        first = {name: found[0] for name, found in choices.items() if found}
        for tool in names[:_MOST_TOOLS]:
            for name, found in choices.items():
                for value in found:
                    yield from self._with(tool, {**first, name: value})

    def _with(self, tool: str, values: Mapping[str, Any]) -> Iterator[Call]:
        arguments: dict[str, Any] = {}
        for name, value in values.items():
            document = _at(name, value)
            if not isinstance(document, dict):
                return
            arguments = _merged(arguments, document)
        yield self.make(tool, arguments)

    def _in(self, slots: Sequence[Slot], *values: Any) -> Iterator[Call]:
        for slot in slots[:_MOST_TOOLS]:
            for value in values:
                document = placed(slot.pointer, value)
                if isinstance(document, dict):
                    yield self.make(slot.tool, document)

    def _unbound(self, names: Sequence[str], argument: str, text: str) -> Iterator[Call]:
        """Calls with the text in an argument that no binding names, at which denies look."""
        for name in names[:_MOST_TOOLS]:
            if not any(slot.pointer == (argument,) for slot in self.tools.bound(name)):
                yield self.make(name, {argument: text})

    def make(self, tool: str, arguments: dict[str, Any]) -> Call:
        """A call in the world of examples."""
        place = {"cwd": ROOT, "root": ROOT, "home": HOME}
        return call_of(snapshot({"tool": tool, "args": self.tools.filled(tool, arguments), **place}))


def in_examples(rules: Iterable[RawRule]) -> Iterator[Call]:
    """The calls of the rules' own examples, in the world of examples."""
    for rule in rules:
        for example in rule.fields.get("example") or ():
            for table in [*([example["call"]] if "call" in example else []), *example.get("calls", ())]:
                told = {key: value for key, value in table.items() if key not in _OF_EXAMPLES}
                try:
                    yield call_of(snapshot({"cwd": ROOT, "root": ROOT, "home": HOME, **told}))
                except CallError:
                    continue


def _under(when: Any, call: Call) -> Iterator[Call]:
    """The call as one for which a condition holds, as far as that can be arranged."""
    if not isinstance(when, Mapping):
        yield call
        return
    place: dict[str, Any] = {}
    for key in ("agent", "session", "mode"):
        globs = _many(when.get(key))
        if globs:
            place[key] = next(texts.names(Name(globs[0]), ()), "x")
    arguments = dict(call.arguments)
    for name, said in (when.get("args") or {}).items():
        check = said if isinstance(said, Mapping) else {"glob": said} if isinstance(said, str) else {"equals": said}
        if isinstance(said, list):
            check = {"one_of": said}
        document = _at(name, next(texts.values(check, ()), "x"))
        if isinstance(document, dict):
            arguments = _merged(arguments, document)
    yield attrs.evolve(call, arguments=snapshot(arguments), **place)


def _many(globs: Any) -> list[str] | None:
    return None if globs is None else [globs] if isinstance(globs, str) else list(globs)


def _at(name: str, value: Any) -> Any:
    try:
        return placed(pointer_to(name) if name else (), value)
    except BadPointer:
        return None


def _merged(one: dict[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(one)
    for key, value in other.items():
        own = merged.get(key)
        merged[key] = _merged(own, value) if isinstance(own, dict) and isinstance(value, dict) else value
    return merged
