"""The catalogue: which tools stand where, and which of them an agent sees."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from ..errors import DuplicateName
from .definitions import ToolDefinition
from .events import Lineage


class Slot(NamedTuple):
    """One registration of a tool; the same tool registered again is another."""

    definition: ToolDefinition


class Restriction(NamedTuple):
    """Which of the tools that a scope inherits it lets through."""

    allow: frozenset[str] | None
    deny: frozenset[str]

    def admits(self, name: str) -> bool:
        """Whether a tool of that name gets through."""
        return name not in self.deny and (self.allow is None or name in self.allow)


class Catalogue:
    """A global layer of tools and one for each scope, whose tools shadow those that it inherits.

    A restriction filters what its scope inherits, from the global layer and from ancestors alike; the scope's
    own tools are exempt, and its descendants inherit what is left.
    """

    __slots__ = ("_global", "_layers", "_restrictions")

    def __init__(self) -> None:
        self._global: dict[str, Slot] = {}
        self._layers: dict[str, dict[str, Slot]] = {}
        self._restrictions: dict[str, list[Restriction]] = {}

    def add(self, definition: ToolDefinition, agent: str | None) -> Slot:
        """Register a tool for everyone, or in the scope of *agent*.

        Raises:
            DuplicateName: The layer has a tool of that name.
        """
        layer = self._global if agent is None else self._layers.setdefault(agent, {})
        slot = Slot(definition)
        if layer.setdefault(definition.name, slot) is not slot:
            raise DuplicateName(f'tool "{definition.name}" is already registered')
        return slot

    def remove(self, slot: Slot, agent: str | None) -> bool:
        """Take away exactly that registration; tells whether it was still there."""
        layer = self._global if agent is None else self._layers.get(agent, {})
        name = slot.definition.name
        if layer.get(name) is not slot:
            return False
        del layer[name]
        return True

    def own(self, name: str, agent: str | None) -> Slot | None:
        """The registration of *name* in that very layer."""
        return (self._global if agent is None else self._layers.get(agent, {})).get(name)

    def find(self, name: str, lineage: Lineage) -> Slot | None:
        """The tool of that name as the last agent of *lineage* sees it."""
        for agent in reversed(lineage):
            own = self._layers.get(agent)
            if own is not None and (slot := own.get(name)) is not None:
                return slot
            if not self._admits(agent, name):
                return None
        return self._global.get(name)

    def visible(self, lineage: Lineage) -> dict[str, ToolDefinition]:
        """All tools that the last agent of *lineage* sees, in order of registration, global ones first."""
        seen = dict(self._global)
        for agent in lineage:
            seen = {name: slot for name, slot in seen.items() if self._admits(agent, name)}
            seen |= self._layers.get(agent, {})
        return {name: slot.definition for name, slot in seen.items()}

    def inherited(self, lineage: Lineage) -> set[str]:
        """The names that the last agent of *lineage* could inherit, its own restrictions aside."""
        return set(self.visible(lineage[:-1]))

    def restrict(self, agent: str, allow: Iterable[str] | None, deny: Iterable[str]) -> Callable[[], None]:
        """Add a restriction to the scope of *agent*; returns what lifts it. Several ones intersect."""
        added = Restriction(None if allow is None else frozenset(allow), frozenset(deny))
        restrictions = self._restrictions.setdefault(agent, [])
        restrictions.append(added)
        return lambda: restrictions.remove(added)

    def _admits(self, agent: str, name: str) -> bool:
        return all(one.admits(name) for one in tuple(self._restrictions.get(agent, ())))
