"""Google's Agent Development Kit: a plugin around every tool call, with the package `google-adk`."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from attrs import field, frozen
from google.adk.plugins.base_plugin import BasePlugin

from ..engine import PATIENCE
from ..kernel import ToolExecutionResult, thaw
from .bodies import Bodies, Body

if TYPE_CHECKING:
    from ..engine import Engine
    from ..plan.approval import Approver


@frozen(eq=False)
class _Crossing:
    """A call on its way through the rules while ADK runs its body: `entered` has the arguments, `left` the result."""

    entered: asyncio.Future[dict[str, Any]] = field(factory=lambda: asyncio.get_running_loop().create_future())
    left: asyncio.Future[Any] = field(factory=lambda: asyncio.get_running_loop().create_future())

    async def body(self, arguments: dict[str, Any]) -> Any:
        self.entered.set_result(arguments)
        return await self.left


class TidegatePlugin(BasePlugin):
    """Every tool call passes the rules first: `Runner(…, plugins=[TidegatePlugin(engine)])`.

    A refusal is the response `{"error": …}`. The agent is the agent's name, and the session ADK's. Put it last
    among plugins: one that answers before it is asked instead of the tool. Plugins go down to the agents in
    `AgentTool`. ADK has callbacks before and after a tool, and this one lets a call wait between them, so that
    limits, time limits and records are those of a tool that was really entered.

    A `before_tool_callback` of the agent itself comes after the plugins: what it changes is not judged again. A tool
    that takes too long is not ended, and its result is withheld. Live mode is not covered.
    """

    def __init__(
        self, engine: Engine, *, approver: Approver | None = None, patience: float = PATIENCE, **place: Any
    ) -> None:
        """Judge by *engine*; see `Bodies` for the rest."""
        super().__init__(name="tidegate")
        self._bodies = Bodies(engine, approver=approver, patience=patience, place=place)
        self._under_way: dict[int, tuple[Any, _Crossing, asyncio.Task[Any]]] = {}

    async def before_tool_callback(self, *, tool: Any, tool_args: dict[str, Any], tool_context: Any) -> Any:
        """Judge the call; the rest of its way waits for the tool."""
        crossing = _Crossing()
        way = asyncio.create_task(
            self._bodies.arun(
                tool.name,
                tool_args,
                Body(crossing.body, _seen, _shown),
                call_id=tool_context.function_call_id,
                agent=tool_context.agent_name,
                session=tool_context.session.id,
            )
        )
        try:
            await asyncio.wait({way, crossing.entered}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            way.cancel()
            raise
        if not crossing.entered.done():
            return await way
        self._under_way[id(tool_context)] = (tool_context, crossing, way)
        judged = crossing.entered.result()
        tool_args.clear()
        tool_args.update(judged)
        return None

    async def after_tool_callback(self, *, tool: Any, tool_args: Any, tool_context: Any, result: Any) -> Any:  # noqa: ARG002 - as in ADK
        """Shape the result; `None` leaves it as it is."""
        _, crossing, way = self._under_way.pop(id(tool_context), (None, None, None))
        if crossing is None or way is None:
            return None  # it is our own refusal
        if not crossing.left.done():
            crossing.left.set_result(result)
        shaped = await way
        return None if shaped is result else shaped

    async def on_tool_error_callback(self, *, tool: Any, tool_args: Any, tool_context: Any, error: Any) -> Any:  # noqa: ARG002 - as in ADK
        """Shape the failure; `None` lets it be raised as it is."""
        _, crossing, way = self._under_way.pop(id(tool_context), (None, None, None))
        if crossing is None or way is None:
            return None
        if isinstance(error, asyncio.CancelledError):
            way.cancel()
            with suppress(asyncio.CancelledError):
                await way
            return None
        if not crossing.left.done():
            crossing.left.set_exception(error)
        try:
            return await way
        except Exception as raised:
            if raised is error:
                return None
            raise


def _seen(raw: Any) -> object:
    return raw


def _shown(_: Any, result: ToolExecutionResult) -> dict[str, Any]:
    if result.is_error:
        return {"error": result.text}
    structured = thaw(result.structured)
    return structured if isinstance(structured, dict) else {"result": result.text if structured is None else structured}
