"""Scopes: which agents have registrations of their own, and from whom they descend."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from ..errors import DuplicateName


class Scopes:
    """The family of agents. An agent without a scope of its own is nobody's descendant."""

    __slots__ = ("_lock", "_parents", "_uses")

    def __init__(self) -> None:
        self._parents: dict[str, str | None] = {}
        self._uses: dict[str, int] = {}
        self._lock = Lock()

    def add(self, agent: str, parent: str | None) -> Callable[[], None]:
        """Open one more scope of *agent* beneath *parent*; returns what closes it.

        Raises:
            DuplicateName: The agent descends from another parent already.
            ValueError: It has no name.
        """
        if not agent:
            raise ValueError("a scope is for an agent with a name")
        with self._lock:
            if agent == parent or self._parents.get(agent, parent) != parent:
                raise DuplicateName(f'agent "{agent}" already has a scope elsewhere')
            self._parents[agent] = parent
            self._uses[agent] = self._uses.get(agent, 0) + 1
        return lambda: self._close(agent)

    def _close(self, agent: str) -> None:
        with self._lock:
            self._uses[agent] -= 1
            if not self._uses[agent]:
                del self._uses[agent], self._parents[agent]

    def lineage(self, agent: str | None) -> tuple[str, ...]:
        """The scopes that govern a call of *agent*: its farthest ancestor first, itself last."""
        if agent is None or agent not in self._parents:
            return ()
        line = [agent]
        while (parent := self._parents.get(line[-1])) is not None:
            line.append(parent)
        return tuple(reversed(line))
