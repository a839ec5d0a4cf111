"""FastMCP servers and proxies: middleware around every tool call, with the package `fastmcp`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastmcp.server.middleware import Middleware, MiddlewareContext
from fastmcp.tools.base import ToolResult
from mcp.types import ContentBlock
from pydantic import TypeAdapter

from ..engine import PATIENCE
from ..kernel import DataBlock, ToolExecutionResult, snapshot, thaw
from .bodies import Bodies, Body, blocks_of, dicts_of

if TYPE_CHECKING:
    from ..engine import Engine
    from ..plan.approval import Approver

_META = "tidegate/meta"


class TidegateMiddleware(Middleware):
    """Every tool call passes the rules first: `server.add_middleware(TidegateMiddleware(engine))`.

    A refusal is a result with `isError`. The session is that of MCP, which a client can begin anew as often as it
    likes: say `session` where a limit must hold over several. Add it last, so that it stands next to the tools.
    It governs tools; resources, prompts and the list of tools are those of the server. `tidegate mcp` governs all.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        server: str = "",
        approver: Approver | None = None,
        patience: float = PATIENCE,
        **place: Any,
    ) -> None:
        """Judge by *engine*; *server* is the name by which rules of the kind `mcp` know the server."""
        super().__init__()
        self._bodies = Bodies(engine, server=server, approver=approver, patience=patience, place=place)

    async def on_call_tool(self, context: MiddlewareContext[Any], call_next: Any) -> Any:
        """Take a call through the rules."""
        message = context.message

        def enter(arguments: dict[str, Any]) -> Any:
            return call_next(context.copy(message=message.model_copy(update={"arguments": arguments})))

        return await self._bodies.arun(
            message.name, message.arguments or {}, Body(enter, _seen, _shown), **_told(context.fastmcp_context)
        )


def _told(context: Any) -> dict[str, Any]:
    if context is None or context.request_context is None:
        return {}
    return {"session": context.session_id, "agent": context.client_id, "call_id": context.request_id}


def _seen(raw: Any) -> object:
    """The content, the structured content, and what stands under `_meta`."""
    blocks = blocks_of([block.model_dump(mode="json", by_alias=True, exclude_none=True) for block in raw.content])
    if raw.meta is not None:
        blocks = (*blocks, DataBlock(_META, snapshot(raw.meta)))
    return ToolExecutionResult("", blocks, is_error=raw.is_error, structured=raw.structured_content)


def _shown(_: Any, result: ToolExecutionResult) -> Any:
    meta = next((thaw(one.data) for one in result.content if isinstance(one, DataBlock) and one.type == _META), None)
    content = dicts_of(block for block in result.content if block.type != _META)
    structured = thaw(result.structured)
    if structured is not None and not isinstance(structured, dict):
        structured = None  # what a rule made of it is no object any more; it stands in the content as well
    return ToolResult(
        TypeAdapter(list[ContentBlock]).validate_python(content),
        structured_content=structured,
        meta=meta,
        is_error=result.is_error,
    )
