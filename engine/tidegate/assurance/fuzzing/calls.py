"""Calls as Hypothesis draws them: those that people wrote, varied, and new ones of the words that rules mention."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from attrs import field, frozen
from hypothesis import strategies as st

from ...plan.binding import Binding, Bindings
from ...pointers import EACH, MISSING, Pointer, values_at
from .neighbours import BESIDE, of_number
from .schemas import arguments_of
from .vocabulary import Table, Vocabulary

Draw = Callable[[st.SearchStrategy[Any]], Any]

SORTS: Mapping[str, str] = {"path": "path", "cwd": "path", "command": "command", "url": "url", "host": "url"}
"""What the text of an argument is, by its role."""

_BESIDES = frozenset({"text", "cwd"})
"""Roles of arguments that a call can mostly do without."""

_MOST_CHANGES = 2
_MADE_AT_MOST = 4


@frozen
class Maker:
    """Makes calls of a vocabulary for tools whose arguments *bindings* explain."""

    words: Vocabulary
    bindings: Bindings
    _made: dict[str, tuple[Binding, ...]] = field(factory=dict, init=False, repr=False)

    def calls(self) -> st.SearchStrategy[Table]:
        """Calls as tables of an example: one that people wrote, as it is or varied, or a new one."""
        made = st.composite(lambda draw: self._varied(draw, self._new(draw)))()
        if not self.words.seeds:
            return made
        seeds = st.sampled_from(self.words.seeds)
        varied = st.composite(lambda draw: self._varied(draw, draw(seeds)))()
        return st.one_of(varied, made)

    def sort_of(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Binding]:
        """What is bound of the arguments of a call, by pointer."""
        return {one.pointer: one.binding for one in self.bindings.arguments(tool, arguments) if one.value is not None}

    def _new(self, draw: Draw) -> Table:
        """A call of a tool, with a word for each argument that its bindings name."""
        tool = draw(st.sampled_from(self.words.tools))
        schema = self.words.schemas.get(tool)
        arguments = {} if schema is None else draw(arguments_of(schema, self._texts()))
        for binding in self._to_make(tool):
            place = binding.pointer
            if binding.role in _BESIDES and not draw(st.booleans()):
                continue
            if schema is None or any(found is not MISSING for _, found in values_at(arguments, place)):
                word = draw(self._words(SORTS.get(binding.role, "text"), binding.role))
                arguments = _with(arguments, place, word)
        return {"tool": tool, "args": arguments}

    def _to_make(self, tool: str) -> tuple[Binding, ...]:
        """The bindings of a tool of which a new call is made: one for each thing that they say."""
        found = self._made.get(tool)
        if found is None:
            kinds: dict[object, Binding] = {}
            for binding in self.bindings.of_tool(tool):
                kinds.setdefault((binding.role, binding.access) if binding.role != "text" else binding.pointer, binding)
            found = self._made[tool] = tuple(kinds.values())[:_MADE_AT_MOST]
        return found

    def _varied(self, draw: Draw, call: Table) -> Table:
        """The call with a few of its values changed, or as it is."""
        arguments = call["args"]
        for _ in range(draw(st.integers(0, _MOST_CHANGES))):
            arguments = self._changed(draw, str(call["tool"]), arguments)
        call = {**call, "args": arguments}
        if self.words.agents and draw(st.booleans()):
            call["agent"] = draw(st.sampled_from(self.words.agents))
        return call

    def _changed(self, draw: Draw, tool: str, arguments: Any) -> Any:
        leaves = list(_leaves(arguments, ()))
        if not leaves:
            return arguments
        place, value = draw(st.sampled_from(leaves))
        if isinstance(value, bool) or value is None:
            return _with(arguments, place, not value)
        if isinstance(value, int | float):
            return _with(arguments, place, draw(st.sampled_from([*of_number(value), *self.words.numbers])))
        binding = self.sort_of(tool, arguments).get("".join(f"/{_escaped(part)}" for part in place))
        sort = SORTS.get(binding.role, "text") if binding is not None else "text"
        beside = st.sampled_from(BESIDE[sort](value))
        return _with(arguments, place, draw(st.one_of(beside, self._words(sort, binding.role if binding else "text"))))

    def _words(self, sort: str, role: str) -> st.SearchStrategy[Any]:
        """Words of one sort as an argument of that role takes them, as they are or with something beside."""
        if sort == "text":
            return st.one_of(self._texts(), st.sampled_from((*self.words.paths, *self.words.urls)))
        words = st.sampled_from(self.words.of(sort))
        mentioned = [st.sampled_from(self.words.mentioned)] if self.words.mentioned else []
        regexes = [st.from_regex(regex) for regex in self._regexes()]
        beside = words.flatmap(lambda word: st.sampled_from(BESIDE[sort](word)))
        either = st.one_of(words, beside, *mentioned, *regexes)
        return either.map(lambda url: url.partition("://")[2].partition("/")[0]) if role == "host" else either

    def _texts(self) -> st.SearchStrategy[str]:
        texts = st.sampled_from(self.words.texts)
        beside = texts.flatmap(lambda text: st.sampled_from(BESIDE["text"](text)))
        regexes = [st.from_regex(regex) for regex in self._regexes()]
        return st.one_of(texts, beside, st.text(max_size=5), *regexes)

    def _regexes(self) -> Iterator[re.Pattern[str]]:
        """The regular expressions of the rules that Python reads as well; they only serve to find texts."""
        for text in self.words.regexes:
            with suppress(re.error):
                yield re.compile(text)


def _leaves(value: Any, place: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every text, number and boolean beneath a value, with the keys that lead there."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _leaves(item, (*place, str(key)))
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _leaves(item, (*place, str(index)))
    elif place:
        yield place, value


def _with(value: Any, place: Pointer, new: Any) -> Any:
    """*value* with *new* at a place, made where it is not there."""
    if not place:
        return new
    head, rest = place[0], place[1:]
    if head is EACH:
        return (
            [_with(item, rest, new) for item in value]
            if isinstance(value, list | tuple) and value
            else [_with({} if rest else None, rest, new)]
        )
    if isinstance(value, list | tuple):
        return [_with(item, rest, new) if str(index) == head else item for index, item in enumerate(value)]
    inner = value.get(head, {}) if isinstance(value, Mapping) else {}
    return {**(value if isinstance(value, Mapping) else {}), head: _with(inner, rest, new)}


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
