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
from contextlib import ExitStack
from hashlib import sha256
from math import inf
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from ..errors import DuplicateName, TidegateError, ToolFailed
from ..kernel import DataBlock, TextBlock, ToolDefinition, ToolError, ToolExecutionResult, thaw

if TYPE_CHECKING:
    from anyio import Event
    from anyio.abc import TaskStatus
    from anyio.from_thread import BlockingPortal
    from mcp import Client, StdioServerParameters
    from mcp.types import CallToolResult, ContentBlock, Tool

    from ..kernel import Block, Context, ToolRegistry
    from ..kernel.events import Report

    OnChange = Callable[[Sequence[Tool]], None]

_MAX_NAME = 64
_MAX_PAGES = 1_000
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

        session = _Session(self, ctx.tree.report)
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

    def __init__(self, server: str, registry: ToolRegistry, session: _Session) -> None:
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


class _Session:
    """The session with one server, in a thread and an event loop of its own."""

    _portal: BlockingPortal
    _client: Client
    _closing: Event
    _changed: Event

    def __init__(self, server: McpServer, report: Report) -> None:
        self._server = server
        self._report = report
        self._stack = ExitStack()

    def open(self, on_change: OnChange) -> list[Tool]:
        """Start the server and give its tools; later ones go to *on_change*, in the session's thread."""
        target = _target(self._server)
        from anyio.from_thread import start_blocking_portal

        with ExitStack() as stack:
            self._portal = stack.enter_context(start_blocking_portal())
            try:
                ended, found = self._portal.start_task(self._serve, target, on_change)
            except Exception as error:
                raise TidegateError(f"{self._server.name} cannot be used: {_leaf(error)}") from error
            self._stack = stack.pop_all()
            self._stack.callback(ended.result)
            self._stack.callback(self._portal.call, self._end)
        tools: list[Tool] = found
        return tools

    def close(self) -> None:
        """End the session, and the process of the server; again does nothing."""
        self._stack.close()

    async def call(self, tool: str, args: dict[str, Any]) -> ToolExecutionResult:
        """Call a tool of the server, from any event loop."""
        from anyio import to_thread

        answer = self._portal.start_task_soon(self._ask, tool, args)
        try:
            return await to_thread.run_sync(answer.result, abandon_on_cancel=True)
        finally:
            answer.cancel()

    # What follows runs in the session's own event loop.

    async def _serve(
        self,
        target: StdioServerParameters | str,
        on_change: OnChange,
        *,
        task_status: TaskStatus[list[Tool]],
    ) -> None:
        from anyio import CancelScope, Event, create_task_group, current_time
        from mcp import Client

        self._closing, self._changed = Event(), Event()
        with CancelScope(deadline=current_time() + self._server.timeout) as starting:
            async with Client(target, message_handler=self._hear, cache=None) as self._client:
                tools = await _all_tools(self._client)
                starting.deadline = inf
                task_status.started(tools)
                async with create_task_group() as group:
                    group.start_soon(self._follow, on_change)
                    await self._closing.wait()
                    group.cancel_scope.cancel()
        if starting.cancelled_caught:
            raise TimeoutError(f"no answer within {self._server.timeout:g} s")

    def _end(self) -> None:
        self._closing.set()

    async def _hear(self, message: object) -> None:
        """Take note of announcements, as servers up to 2025-11-25 send them."""
        from mcp.types import ToolListChangedNotification

        if isinstance(message, ToolListChangedNotification):
            self._changed.set()

    async def _follow(self, on_change: OnChange) -> None:
        from anyio import Event
        from mcp.client.subscriptions import ListenNotSupportedError

        try:
            async with self._client.listen(tools_list_changed=True) as announcements:
                async for _ in announcements:
                    await self._renew(on_change)
        except ListenNotSupportedError:
            while True:
                await self._changed.wait()
                self._changed = Event()
                await self._renew(on_change)
        except Exception as error:  # noqa: BLE001 - calls still tell whether the server is there
            self._report(error, f"{self._server.name}, which announces no changes any more")

    async def _renew(self, on_change: OnChange) -> None:
        try:
            on_change(await _all_tools(self._client))
        except Exception as error:  # noqa: BLE001 - what cannot be listed or registered is not offered
            self._report(error, f"{self._server.name}, whose tools have changed")
            on_change(())

    async def _ask(self, tool: str, args: dict[str, Any]) -> ToolExecutionResult:
        from anyio import move_on_after

        with move_on_after(self._server.timeout):
            return _result(await self._client.call_tool(tool, thaw(args)))
        raise ToolFailed(f"tool call timed out after {self._server.timeout * 1000:g}ms", "TOOL_TIMEOUT")


def _target(server: McpServer) -> StdioServerParameters | str:
    try:
        from mcp import StdioServerParameters
    except ImportError as error:
        raise TidegateError('an MCP server needs the package `mcp`: pip install "tidegate[mcp]"') from error
    if server.url:
        return server.url
    program, *args = server.command
    return StdioServerParameters(command=program, args=args, env=dict(server.env), cwd=server.cwd)


def _leaf(error: BaseException) -> BaseException:
    """The first exception of nested groups, which says what is wrong."""
    return _leaf(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error


async def _all_tools(client: Client) -> list[Tool]:
    tools: list[Tool] = []
    cursor: str | None = None
    for _ in range(_MAX_PAGES):
        page = await client.list_tools(cursor=cursor)
        tools += page.tools
        cursor = page.next_cursor
        if cursor is None:
            return tools
    raise TidegateError(f"the server lists its tools on more than {_MAX_PAGES} pages")


def _result(answer: CallToolResult) -> ToolExecutionResult:
    error = ToolError("ToolFailed", "TOOL_FAILED") if answer.is_error else None
    blocks = map(_block, answer.content)
    return ToolExecutionResult(
        "", tuple(blocks), is_error=answer.is_error, structured=answer.structured_content, error=error
    )


def _block(block: ContentBlock) -> Block:
    if block.type == "text":
        return TextBlock(block.text)
    data = block.model_dump(mode="json", by_alias=True, exclude_none=True)
    return DataBlock(data.pop("type"), data)
