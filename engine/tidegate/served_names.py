"""Patterns for what MCP servers serve, and what they ask for: tools, resources, prompts, requests, by server."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from .call import Tool
from .meaning.names import NameTest, is_glob, name_test, widened_name_test
from .meaning.regexes import BadPattern
from .served import PROMPT, REQUEST, RESOURCE, TOOL

_ORIGINS: Mapping[str, str] = {"resource": RESOURCE, "prompt": PROMPT, "request": REQUEST}
_UNFIT = re.compile(r"[^A-Za-z0-9_*?-]")
_JOINED = ("mcp__{}__{}", "mcp_{}_{}")
"""How harnesses join names: Claude Code and ours, Gemini CLI."""


class ServedPattern(NamedTuple):
    """One pattern: of which origin, and globs of the server and of the name."""

    origin: str
    server: str
    name: str

    @classmethod
    def of(cls, text: str) -> ServedPattern:
        """Read a pattern.

        Raises:
            BadPattern: It names no server, or nothing of one.
        """
        what, colon, rest = text.partition(":")
        origin = _ORIGINS.get(what, TOOL) if colon else TOOL
        server, _, name = (rest if origin != TOOL else text).partition("/")
        if not server or not name:
            raise BadPattern("it has not the form `server/tool`", f"write such as `{server or 'server'}/*`")
        name_test([server, name])
        return cls(origin, server, name)

    @property
    def literal(self) -> bool:
        """Whether it names one thing."""
        return not is_glob(self.server) and not is_glob(self.name)


class ServedNames:
    """What several patterns name, exactly and as a deny sees it."""

    __slots__ = ("_exact", "_joined", "_literal", "_wide")

    def __init__(self, patterns: Iterable[ServedPattern]) -> None:
        patterns = tuple(patterns)
        self._literal = frozenset(patterns)
        self._exact = tuple(_pair(one, name_test) for one in patterns if not one.literal)
        self._wide = tuple(_pair(one, widened_name_test) for one in patterns)
        tools = [one for one in patterns if one.origin == TOOL]
        self._joined = widened_name_test(
            [form.format(_UNFIT.sub("_", one.server), _UNFIT.sub("_", one.name)) for one in tools for form in _JOINED]
        )

    def exact(self, tool: Tool) -> bool:
        """Whether a pattern names it as it is."""
        if not tool.server or not tool.raw:
            return False
        return (tool.origin, tool.server, tool.raw) in self._literal or any(one(tool) for one in self._exact)

    def wide(self, tool: Tool) -> bool:
        """Whether a pattern names it, or something that it looks like; also by its joined name, if that is all."""
        if tool.server and tool.raw:
            return any(one(tool) for one in self._wide)
        return self._joined(tool.name)


def _pair(pattern: ServedPattern, test: Callable[[list[str]], NameTest]) -> Callable[[Tool], bool]:
    origin, server, name = pattern.origin, test([pattern.server]), test([pattern.name])
    return lambda tool: tool.origin == origin and server(tool.server) and name(tool.raw)
