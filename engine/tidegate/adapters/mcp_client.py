"""MCP servers as plugins: each discovers the tools of one server and registers them.

    fiber = await ctx.mount(McpServer("git", command=["uvx", "mcp-server-git"]))
    …
    await fiber.unload()          # ends the session and the server's process

A session lives in a thread and an event loop of its own, so that hosts under asyncio, trio, or without any loop
can mount and call it alike. Arguments go to the server unvalidated, which validates them itself.

Source: the MCP plugins of the official harness, for names, time limit and the swap of tools.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from ..errors import DuplicateName, TidegateError
from ..kernel import ToolDefinition
from ..kernel.told import Told
from ..served import TOOL, public_name
from .mcp_session import McpSession

if TYPE_CHECKING:
    from mcp.types import Tool

    from ..kernel import Context, ToolExecutionResult, ToolRegistry


@frozen
class McpServer:
    """A plugin that offers the tools of one MCP server as `mcp__<server>__<tool>`.

    Mount it with `await ctx.mount(…)`. When the server announces that its tools have changed, those that differ are
    swapped; if that fails, none are left and the failure is reported. `tools/change` is then emitted in the thread
    of the session.

    Attributes:
        server: The server's name, of the host's choosing; rules go by it.
        command: What starts the server, which then speaks over stdio.
        url: Where the server is, if it is not started; one of the two.
        env: Variables for the process, beside the few that every process needs.
        cwd: Its working directory.
        timeout: Seconds that one call may take, and the start as well.

    Raises (when mounted):
        TidegateError: The `mcp` package is missing, the server cannot be started or reached, does not answer in
            time, or offers tools that cannot be registered.
    """

    server: str
    command: Sequence[str] = ()
    url: str = ""
    env: Mapping[str, str] = field(factory=dict, repr=False)
    cwd: str | None = None
    timeout: float = 60.0

    inject = ("tools",)

    def __attrs_post_init__(self) -> None:
        if bool(self.command) == bool(self.url):
            raise ValueError("an MCP server has either a command or a url")

    @property
    def name(self) -> str:
        """The plugin's name."""
        return f"MCP server {self.server}"

    async def apply(self, ctx: Context) -> Callable[[], Any]:
        """Connect, and register what the server offers; returns what ends the session."""
        from anyio import CancelScope, to_thread

        session = McpSession(self, ctx.tree.report)
        offer = _Offer(self.server, ctx.tools, session)

        async def close() -> None:
            await to_thread.run_sync(session.close)

        tools = await to_thread.run_sync(session.open, offer.replace)
        try:
            offer.replace(tools)
        except BaseException:
            with CancelScope(shield=True):
                await close()
            raise
        return close


class _Offer:
    """The tools of one server as they are registered now."""

    def __init__(self, server: str, registry: ToolRegistry, session: McpSession) -> None:
        self._server = server
        self._registry = registry
        self._session = session
        self._registered: dict[str, tuple[ToolDefinition, Callable[[], Any]]] = {}

    def replace(self, tools: Sequence[Tool]) -> None:
        """Register *tools* instead of what was there, keeping what has not changed; all of them or none.

        Raises:
            TidegateError: They cannot be registered. None is left.
        """
        try:
            wanted = {definition.name: definition for definition in map(self._define, tools)}
            if len(wanted) != len(tools):
                raise DuplicateName(f'server "{self._server}" offers two tools of one name')
            for name, (definition, dispose) in list(self._registered.items()):
                if name not in wanted or _said(wanted[name]) != _said(definition):
                    dispose()
                    del self._registered[name]
            for name, definition in wanted.items():
                if name not in self._registered:
                    self._registered[name] = definition, self._registry.register(definition)
        except TidegateError:
            for _, dispose in self._registered.values():
                dispose()
            self._registered.clear()
            raise

    def _define(self, tool: Tool) -> ToolDefinition:
        raw_name = tool.name

        async def run(args: dict[str, Any]) -> ToolExecutionResult:
            return await self._session.call(raw_name, args)

        return ToolDefinition(
            public_name(self._server, raw_name),
            tool.description or "",
            tool.input_schema,
            run,
            origin=TOOL,
            server=self._server,
            raw_name=raw_name,
            told=_told(tool),
        )


def _said(definition: ToolDefinition) -> str:
    return definition.told.digest if definition.told is not None else ""


def _told(tool: Tool) -> Told:
    """All that the server says of a tool, as its entry has it on the wire."""
    hints = tool.annotations
    return Told.of(
        {
            "annotations": None if hints is None else hints.model_dump(mode="json", by_alias=True, exclude_none=True),
            "description": tool.description,
            "inputSchema": tool.input_schema,
            "outputSchema": tool.output_schema,
            "title": tool.title,
        }
    )
