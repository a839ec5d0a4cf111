"""The OpenAI Agents SDK: function tools whose calls pass the rules, with the package `openai-agents`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from agents import FunctionTool

from ..engine import PATIENCE
from ..kernel import ToolExecutionResult, thaw
from .bodies import Bodies, Body

if TYPE_CHECKING:
    from ..engine import Engine
    from ..plan.approval import Approver


def guarded_tools(
    engine: Engine, tools: Iterable[Any], *, approver: Approver | None = None, patience: float = PATIENCE, **place: Any
) -> list[Any]:
    """Twins of function tools whose every call passes the rules first: `Agent(…, tools=guarded_tools(engine, tools))`.

    A refusal is what the model reads as the tool's output. The agent is the agent's name, and the session the
    `group_id` of the run's configuration. Also what `agent.as_tool()` gives is such a tool; the tools of that agent
    need twins of their own.

    Hosted tools, shells, computers, MCP servers of an agent and handoffs do not come here: they run past the rules.

    Raises:
        TypeError: One of them is no function tool, so that nothing here could govern it.
    """
    bodies = Bodies(engine, approver=approver, patience=patience, place=place)
    return [_guarded(bodies, tool) for tool in tools]


def _guarded(bodies: Bodies, tool: Any) -> Any:
    if not isinstance(tool, FunctionTool):
        raise TypeError(f"a tool of the type `{type(tool).__name__}` runs where no rule can see it")
    inner = tool.on_invoke_tool

    async def invoke(context: Any, text: str) -> Any:
        def enter(arguments: dict[str, Any]) -> Any:
            return inner(context, json.dumps(arguments, ensure_ascii=False))

        config = context.run_config
        return await bodies.arun(
            tool.name,
            _arguments(text),
            Body(enter, _seen, _shown),
            call_id=context.tool_call_id,
            agent=getattr(context.agent, "name", None),
            session=None if config is None else config.group_id,
        )

    return replace(tool, on_invoke_tool=invoke)


def _arguments(text: str) -> object:
    """What the model wrote; where it is no JSON it stays text, and is refused as such."""
    try:
        return json.loads(text) if text.strip() else {}
    except ValueError:
        return text


def _seen(raw: Any) -> object:
    return raw


def _shown(_: Any, result: ToolExecutionResult) -> Any:
    return result.text if result.is_error or result.structured is None else thaw(result.structured)
