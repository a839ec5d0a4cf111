"""Which guard rules could say something of a call: the others are not asked.

The index may only leave out a rule whose answer is nothing; the law is that a call is decided with it as without.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import NamedTuple, TypeVar

from attrs import frozen

from ..call import Tool
from ..kind import Case, Guard, Seeks
from ..meaning.commands.table import Table
from ..meaning.effects import Effect, Invocation, Mention, PathTarget, UrlTarget
from ..meaning.indexes.commands import CommandIndex
from ..meaning.indexes.paths import PathIndex
from ..meaning.indexes.urls import UrlIndex
from ..meaning.values import Value
from ..predicates.index import TextIndex
from .rule import Rule

P = TypeVar("P")

Asked = tuple[Rule, bool]
"""A guard rule that applies to a tool, with whether its grants count."""


@frozen
class RuleIndex:
    """The guard rules of one layer by what they seek; their numbers are their places among `rules`.

    Names of programs are those of `table`. Each part is made when a call first needs it.
    """

    rules: tuple[Rule, ...]
    table: Table

    @cached_property
    def paths(self) -> PathIndex:
        """What paths find."""
        return PathIndex(self._each(lambda seeks: seeks.paths))

    @cached_property
    def urls(self) -> UrlIndex:
        """What URLs find."""
        return UrlIndex(self._each(lambda seeks: seeks.urls))

    @cached_property
    def commands(self) -> CommandIndex:
        """What simple commands find."""
        return CommandIndex(self._each(lambda seeks: seeks.commands), self.table)

    @cached_property
    def texts(self) -> TextIndex:
        """What arguments find."""
        return TextIndex(self._each(lambda seeks: seeks.texts))

    def _each(self, part: Callable[[Seeks], Iterable[P]]) -> list[tuple[P, int]]:
        sought = ((_seeks(rule), number) for number, rule in enumerate(self.rules))
        return [(pattern, number) for seeks, number in sought if seeks is not None for pattern in part(seeks)]

    def prepare(self) -> None:
        """Make what is else made when it is first needed."""
        self.paths.prepare()
        self.commands.prepare()
        _ = self.urls, self.texts


def _seeks(rule: Rule) -> Seeks | None:
    return rule.part.seeks if isinstance(rule.part, Guard) else None


class _Always(NamedTuple):
    """The numbers of the rules that are asked of every call, and where it has an effect that is not read."""

    calls: frozenset[int]
    unknown: frozenset[int]
    code: frozenset[int]
    fresh: frozenset[int]


class ToolIndex:
    """The rules of a layer that apply to one tool, found by what a call of it does."""

    __slots__ = ("_always", "_asked", "_commands", "_index", "_paths", "_texts", "_urls")

    def __init__(self, index: RuleIndex, asked: Iterable[Asked], tool: Tool) -> None:
        """Take the rules of *index* that are *asked* about *tool*."""
        numbers = {id(rule): number for number, rule in enumerate(index.rules)}
        self._index = index
        self._asked = {numbers[id(one[0])]: one for one in asked if _may_answer(one[0], tool)}
        self._always = _always([(number, rule) for number, (rule, _) in self._asked.items()])
        sought = [seeks for rule, _ in self._asked.values() if (seeks := _seeks(rule)) is not None]
        self._paths = any(seeks.paths for seeks in sought)
        self._urls = any(seeks.urls for seeks in sought)
        self._commands = any(seeks.commands for seeks in sought)
        self._texts = any(seeks.texts for seeks in sought)

    def candidates(self, case: Case) -> Sequence[Asked]:
        """The rules that could say something of the call, in file order."""
        always = self._always
        found = set(always.calls)
        for effect in case.effects:
            if effect.kind == "unknown":
                found |= always.unknown
            elif effect.kind == "code":
                found |= always.code
                if effect.fresh:
                    found |= always.fresh
        if self._texts:
            found.update(self._index.texts.possible(case.call.arguments))
        if self._paths:
            self._find_paths(case, found)
        if self._urls:
            self._find_urls(case, found)
        if self._commands:
            self._find_commands(case, found)
        asked = self._asked
        return [asked[number] for number in sorted(found) if number in asked]

    def _find_paths(self, case: Case, found: set[int]) -> None:
        paths = self._index.paths
        for names, recursive in dict.fromkeys(_paths(case.effects)):
            found.update(paths.possible(names, case.places, beneath=recursive))

    def _find_urls(self, case: Case, found: set[int]) -> None:
        for target in _urls(case.effects):
            some = self._index.urls.possible(target)
            found.update(self._asked if some is None else some)

    def _find_commands(self, case: Case, found: set[int]) -> None:
        for command in {id(command): command for command in _commands(case.effects)}.values():
            found.update(self._index.commands.possible(command, case.places))


def _may_answer(rule: Rule, tool: Tool) -> bool:
    """Whether the rule can say anything of calls of that tool."""
    seeks = _seeks(rule)
    if seeks is not None and seeks.tool is not None and not seeks.tool(tool):
        return False
    named = None if rule.when is None else rule.when.words.get("tool")
    return named is None or named(tool.name)


def _always(rules: Iterable[tuple[int, Rule]]) -> _Always:
    calls, unknown = set[int](), set[int]()
    code, fresh = set[int](), set[int]()
    for number, rule in rules:
        guard = rule.part
        assert isinstance(guard, Guard)  # noqa: S101 - the plan sorts rules by phase
        if guard.seeks is None or guard.seeks.anything:
            calls.add(number)
            continue
        if "unknown" in guard.about and rule.unknown != "allow":
            unknown.add(number)
        if "code" in guard.about and rule.code != "allow":
            (fresh if rule.code is None else code).add(number)
    return _Always(frozenset(calls), frozenset(unknown), frozenset(code), frozenset(fresh))


def _paths(effects: Iterable[Effect]) -> Iterable[tuple[tuple[Value, ...], bool]]:
    for effect in effects:
        target = effect.target
        if isinstance(target, Mention):
            target = target.path  # type: ignore[assignment]
        if isinstance(target, PathTarget):
            yield target.names, effect.recursive


def _urls(effects: Iterable[Effect]) -> Iterable[UrlTarget]:
    for effect in effects:
        target = effect.target
        if isinstance(target, Mention):
            target = target.url  # type: ignore[assignment]
        if isinstance(target, UrlTarget):
            yield target


def _commands(effects: Iterable[Effect]) -> Iterable[Invocation]:
    for effect in effects:
        command = effect.target if isinstance(effect.target, Invocation) else effect.by
        if command is not None:
            yield command
