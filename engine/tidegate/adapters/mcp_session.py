"""The session with one MCP server: connecting, listing, calling, and hearing of changes.

It lives in a thread and an event loop of its own. The official SDK is imported only when a session is opened.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from math import inf
from typing import TYPE_CHECKING, Any

from ..errors import TidegateError, ToolFailed
from ..kernel import DataBlock, TextBlock, ToolError, ToolExecutionResult, thaw

if TYPE_CHECKING:
    from anyio import Event
    from anyio.abc import TaskStatus
    from anyio.from_thread import BlockingPortal
    from mcp import Client, StdioServerParameters
    from mcp.types import CallToolResult, ContentBlock, Tool

    from ..kernel import Block
    from ..kernel.events import Report
    from .mcp_client import McpServer

    OnChange = Callable[[Sequence[Tool]], None]

_MAX_PAGES = 1_000


class McpSession:
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
