"""LangChain and LangGraph agents: middleware around every tool call, with the package `langchain`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from langchain.agents.middleware import AgentMiddleware
from langchain.tools.tool_node import ToolCallRequest
from langchain_core.messages import ToolMessage

from ..engine import PATIENCE
from ..kernel import TextBlock, ToolExecutionResult, thaw
from .bodies import Bodies, Body, blocks_of, dicts_of, json_or_none

if TYPE_CHECKING:
    from ..engine import Engine
    from ..plan.approval import Approver


class TidegateMiddleware(AgentMiddleware):
    """Every tool call of the agent passes the rules first: `create_agent(…, middleware=[TidegateMiddleware(engine)])`.

    A refusal is the `ToolMessage` of the call, with the status `error`. The session is the `thread_id` of the run, and
    the agent the name that `create_agent` was given. Put it first, so that other middleware stands inside of it; a
    call that one of those changes afterwards would run as it is. Sub-agents need it as well.

    A `Command` that a tool returns cannot be shaped, nor an artifact that is no JSON: the result is withheld where an
    output rule applies to the tool.
    """

    def __init__(
        self, engine: Engine, *, approver: Approver | None = None, patience: float = PATIENCE, **place: Any
    ) -> None:
        """Judge by *engine*; see `Bodies` for the rest."""
        super().__init__()
        self._bodies = Bodies(engine, approver=approver, patience=patience, place=place)

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> Any:
        """Take a call of a synchronous run through the rules."""
        call = request.tool_call
        return self._bodies.run(call["name"], call["args"], _body(request, handler), **_told(request))

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Any]]
    ) -> Any:
        """Take a call of an asynchronous run through the rules."""
        call = request.tool_call
        return await self._bodies.arun(call["name"], call["args"], _body(request, handler), **_told(request))


def _told(request: ToolCallRequest) -> dict[str, Any]:
    config = getattr(request.runtime, "config", None) or {}
    return {
        "call_id": request.tool_call.get("id"),
        "session": _text((config.get("configurable") or {}).get("thread_id")),
        "agent": _text((config.get("metadata") or {}).get("lc_agent_name")),
    }


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _body(request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> Body[Any]:
    call = request.tool_call

    def enter(arguments: dict[str, Any]) -> Any:
        return handler(request.override(tool_call={**call, "args": arguments}))

    def shown(raw: Any, result: ToolExecutionResult) -> ToolMessage:
        return ToolMessage(
            _content(raw, result),
            tool_call_id=call["id"],
            name=call["name"],
            id=raw.id if isinstance(raw, ToolMessage) else None,
            status="error" if result.is_error else "success",
            artifact=thaw(result.structured),
        )

    return Body(enter, _seen, shown)


def _seen(raw: Any) -> object:
    """The message's content and artifact; what is no message, or has an artifact that is no JSON, is opaque."""
    if not isinstance(raw, ToolMessage):
        return raw
    artifact = json_or_none(raw.artifact)
    if artifact is None and raw.artifact is not None:
        return raw
    return ToolExecutionResult("", blocks_of(raw.content), is_error=raw.status == "error", structured=artifact)


def _content(raw: Any, result: ToolExecutionResult) -> Any:
    """A text where it was one or where nothing else is in it, else blocks."""
    if all(isinstance(block, TextBlock) for block in result.content):
        one = raw is None or (isinstance(raw, ToolMessage) and isinstance(raw.content, str))
        if one or len(result.content) == 1:
            return result.text
    return dicts_of(result.content)
