"""The system prompt: what plugins contribute to it, and how it is put together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from typing import Any, TypedDict, cast

from .context import Context
from .effects import Effect
from .phases import ASSEMBLE

ToolsProvider = Callable[[str | None], Iterable[dict[str, Any]]]
"""Gives the schemas that the named agent (`None`: no particular one) is to see."""

SectionProvider = Callable[[], str]


class Assembly(TypedDict):
    """What a system prompt is made of; listeners of `system-prompt/assemble` may add keys of their own."""

    sections: list[str]
    tools: list[dict[str, Any]]


class SystemPrompt:
    """The service `system_prompt`. Providers are asked anew each time, in order of registration."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._tools: list[ToolsProvider] = []
        self._sections: list[SectionProvider] = []
        context.provide("system_prompt", self)

    def bound_to(self, context: Context) -> SystemPrompt:
        """The same service for *context*, to which what is registered then belongs."""
        view = copy(self)
        view._context = context  # noqa: SLF001 - a copy of ourselves
        return view

    def tools(self, provider: ToolsProvider) -> Effect:
        """Contribute tool schemas; returns a disposer. A `ToolRegistry` does it by itself."""
        return self._contribute(self._tools, provider)

    def section(self, provider: SectionProvider) -> Effect:
        """Contribute a section of text; returns a disposer."""
        return self._contribute(self._sections, provider)

    async def assemble(self, *, agent: str | None = None) -> Assembly:
        """Put the prompt together for *agent* and let it fall through `system-prompt/assemble`.

        Leaving a tool out there hides it, and does not stop calls of it; `tools.restrict` does both.
        """
        agent = agent or self._context.agent
        tree = self._context.tree
        assembly: Assembly = {
            "sections": [provider() for provider in self._sections],
            "tools": [schema for provider in self._tools for schema in provider(agent)],
        }
        return cast("Assembly", await tree.events.waterfall(ASSEMBLE, assembly, None, tree.scopes.lineage(agent)))

    def _contribute(self, providers: list[Any], provider: object) -> Effect:
        effect = self._context.effects.push(lambda: providers.remove(provider), "part of the system prompt")
        providers.append(provider)
        return effect
