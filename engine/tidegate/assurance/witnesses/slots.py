"""Where in the calls of which tools a value goes: the arguments that are bound, as rules and schemas tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen

from ...compile.catalogue import Described, known_names
from ...compile.compiler import Outcome
from ...meaning.names import is_glob, name_test
from ...plan.binding import Role
from ...plan.reading import Reader
from ...pointers import EACH, Pointer
from ..languages import NotDecided, example, name_language
from ..languages.algebra import Machine
from ..languages.regexes import regex_pieces

_PLAIN = r"[A-Za-z0-9_:.-]+"


@frozen
class Slot:
    """One bound argument of one tool."""

    tool: str
    pointer: Pointer
    role: Role
    access: frozenset[str]


class Tools:
    """The tools that calls can be made of, and what their arguments mean."""

    def __init__(self, outcome: Outcome, catalogue: Sequence[Described] | None = None) -> None:
        self._rule_sets = outcome.rule_sets
        self._reader = outcome.readers[-1]
        self._catalogue = catalogue
        self.names: tuple[str, ...] = tuple(dict.fromkeys(self._all_names()))

    def _all_names(self) -> Iterator[str]:
        """The tools that rules name first, then those that are known."""
        if self._catalogue is not None:
            yield from (tool.name for tool in self._catalogue)
            return
        for rule_set in self._rule_sets:
            for rule in rule_set.rules:
                yield from (name for name in rule.fields.get("tools") or () if not is_glob(name))
        yield from (name for name in known_names(self._rule_sets) if not is_glob(name))

    def of(self, globs: Sequence[str] | None) -> list[str]:
        """The tools that one of *globs* names exactly; where none is known, one that could be."""
        test = name_test(globs) if globs is not None else lambda _: True
        found = [name for name in self.names if test(name)]
        for glob in globs or () if self._catalogue is None else ():
            if not any(map(name_test([glob]), found)):
                found += self._made_up(glob)
        return found

    def _made_up(self, glob: str) -> Iterator[str]:
        """A name that the glob has, and such as bindings by glob know."""
        bound = [binding.tool for rule_set in self._rule_sets for binding in rule_set.bindings if is_glob(binding.tool)]
        own = name_language([glob]) & Machine(regex_pieces(_PLAIN))
        for language in [*(own & name_language([other]) for other in bound), own]:
            try:
                name = example(language)
            except NotDecided:
                continue
            if name:
                yield name

    def slots(self, names: Sequence[str], roles: frozenset[str]) -> list[Slot]:
        """The arguments with one of *roles*, of tools of these names, each pointer once."""
        return [slot for name in names for slot in slots_of(self._reader, name) if slot.role in roles]

    def bound(self, name: str) -> list[Slot]:
        """All bound arguments of one tool."""
        return list(slots_of(self._reader, name))

    def filled(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments with those that the schema of the tool asks for."""
        described = next((one for one in self._catalogue or () if one.name == tool), None)
        if described is None:
            return arguments
        needed = described.parameters.get("required")
        for name in needed if isinstance(needed, list) else ():
            if isinstance(name, str) and name not in arguments:
                arguments = {**arguments, name: _simple(described.properties.get(name))}
        return arguments


def slots_of(reader: Reader, tool: str) -> Iterator[Slot]:
    """The bound arguments of one tool."""
    seen = set()
    for binding in reader.bindings.of_tool(tool):
        if binding.pointer not in seen and binding.when is None:
            seen.add(binding.pointer)
            yield Slot(tool, binding.pointer, binding.role, frozenset(binding.access))


def placed(pointer: Pointer, value: Any) -> Any:
    """A document that has nothing but *value*, where *pointer* leads."""
    for segment in reversed(pointer):
        value = [value] if segment is EACH else {segment: value}
    return value


def _simple(schema: Any) -> Any:
    """A value that the schema of an argument takes, as far as its type tells."""
    if not isinstance(schema, Mapping):
        return "x"
    for key in ("const", "default"):
        if key in schema:
            return schema[key]
    if isinstance(schema.get("enum"), list) and schema["enum"]:
        return schema["enum"][0]
    kinds: Mapping[Any, Any] = {"integer": 1, "number": 1, "boolean": True, "array": [], "object": {}, "null": None}
    kind = schema.get("type")
    return kinds.get(kind, "x") if isinstance(kind, str) else "x"
