"""Compiled bindings: what the arguments of tools mean, looked up by tool."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from attrs import field, frozen

from ..pointers import MISSING, Pointer, values_at
from .condition import Condition

Role = Literal["path", "cwd", "command", "argv", "url", "host", "sql", "patch", "text"]
Access = Literal["read", "write", "delete", "list"]

MOST_TOOLS = 4_096
"""How many tool names are remembered; names come from calls, and a hostile caller has many."""


@frozen
class Binding:
    """What one argument of the tools that `tool` names means; `compile/bindings.py` documents the fields.

    `exact` tells that the tool is named without a glob. `when` narrows the binding to some calls.
    """

    tool: Callable[[str], bool]
    pointer: Pointer
    role: Role
    exact: bool = False
    access: tuple[Access, ...] = ()
    recursive: bool = False
    shell: str = "bash"
    persistent: bool = False
    default: str | None = None
    dialect: str | None = None
    when: Condition | None = None


class Argument(NamedTuple):
    """One bound argument of a call: its binding, where it stands, and its value."""

    binding: Binding
    pointer: str
    value: Any


@frozen
class Bindings:
    """All bindings in the order in which they count.

    The highest layer comes first and the well-known ones last; within a layer those that name a tool exactly come
    before globs.
    """

    all: tuple[Binding, ...]
    _by_tool: dict[str, tuple[Binding, ...]] = field(factory=dict, init=False, repr=False, eq=False)

    def of_tool(self, tool: str) -> tuple[Binding, ...]:
        """The bindings of one tool."""
        found = self._by_tool.get(tool)
        if found is None:
            found = tuple(binding for binding in self.all if binding.tool(tool))
            if len(self._by_tool) >= MOST_TOOLS:
                self._by_tool.clear()
            self._by_tool[tool] = found
        return found

    def arguments(self, tool: str, arguments: Mapping[str, Any]) -> list[Argument]:
        """Each bound argument that is there or has a default, once, by the first binding that names it."""
        seen = set()
        bound: list[Argument] = []
        for binding in self.of_tool(tool):
            for pointer, found in values_at(arguments, binding.pointer):
                value = binding.default if found is MISSING else found
                if pointer not in seen and not (found is MISSING and binding.default is None):
                    seen.add(pointer)
                    bound.append(Argument(binding, pointer, value))
        return bound
