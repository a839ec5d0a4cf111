"""MCP servers as plugins: each discovers the tools of one server and registers them.

    fiber = await ctx.mount(McpServer("git", command=["uvx", "mcp-server-git"]))
    …
    await fiber.unload()          # ends the session and the server's process

A session lives in a thread and an event loop of its own, so that hosts under asyncio, trio, or without any loop
can mount and call it alike. Arguments go to the server unvalidated, which validates them itself.

Source: the MCP plugins of the official harness, for names, time limit and the swap of tools.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from ..errors import DuplicateName, TidegateError
from ..kernel import ToolDefinition
from .mcp_session import McpSession

if TYPE_CHECKING:
    from mcp.types import Tool

    from ..kernel import Context, ToolExecutionResult, ToolRegistry

_MAX_NAME = 64
_UNFIT = re.compile(r"[^A-Za-z0-9_-]")


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


def public_name(server: str, tool: str) -> str:
    """The name under which a server's tool is registered: at most 64 letters, digits, `_` and `-`.

    A name that does not fit is changed and ends in a digest of what it was, so that two never become one.
    """
    joined = f"mcp__{server}__{tool}"
    fit = _UNFIT.sub("_", joined)
    if fit == joined and len(fit) <= _MAX_NAME:
        return fit
    digest = sha256(f"{server}\0{tool}".encode(errors="surrogatepass")).hexdigest()[:12]
    return f"{fit[: _MAX_NAME - 13]}_{digest}"


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
                if name not in wanted or wanted[name].schema() != definition.schema():
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
            origin="mcp",
            server=self._server,
            raw_name=raw_name,
        )
