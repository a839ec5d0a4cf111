"""The tool runner of the Anthropic SDK: tools whose calls pass the rules, with the package `anthropic`."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Any

from anthropic.lib.tools import ToolError

from ..engine import PATIENCE
from ..kernel import TextBlock, ToolExecutionResult
from .bodies import Bodies, Body, blocks_of, dicts_of

if TYPE_CHECKING:
    from ..engine import Engine
    from ..plan.approval import Approver


def guarded_tools(
    engine: Engine, tools: Iterable[Any], *, approver: Approver | None = None, patience: float = PATIENCE, **place: Any
) -> list[Any]:
    """Twins of tools whose every call passes the rules first: `tool_runner(tools=guarded_tools(engine, tools), …)`.

    They are what `@beta_tool` and `@beta_async_tool` make. A refusal is a tool result with `is_error`. The SDK tells
    neither agent nor session: say them in *place*. What a rule takes too long about, the SDK's own time limits end.

    Tools that run at Anthropic (web search, code execution) do not come here: they run past the rules.

    Raises:
        TypeError: One of them has no `call` and runs elsewhere, so that nothing here could govern it.
    """
    bodies = Bodies(engine, approver=approver, patience=patience, place=place)
    return [_guarded(bodies, tool) for tool in tools]


def _guarded(bodies: Bodies, tool: Any) -> Any:
    inner = getattr(tool, "call", None)
    if inner is None or isinstance(tool, dict):
        raise TypeError(f"a tool of the type `{type(tool).__name__}` runs where no rule can see it")
    twin = copy(tool)
    if iscoroutinefunction(inner):

        async def enter_later(arguments: dict[str, Any]) -> Any:
            return _listed(await inner(arguments))

        async def call_later(input: object) -> Any:  # noqa: A002 - the SDK's word
            return await bodies.arun(tool.name, input, Body(enter_later, _seen, _shown))

        twin.call = call_later
        return twin

    def call(input: object) -> Any:  # noqa: A002 - the SDK's word
        return bodies.run(tool.name, input, Body(lambda arguments: _listed(inner(arguments)), _seen, _shown))

    twin.call = call
    return twin


def _listed(result: Any) -> Any:
    """The result with its blocks read once: they may come from a generator."""
    return result if isinstance(result, str) else list(result)


def _seen(raw: Any) -> object:
    return raw if isinstance(raw, str) else blocks_of(raw)


def _shown(raw: Any, result: ToolExecutionResult) -> Any:
    if result.is_error:
        raise ToolError(result.text)
    if isinstance(raw, str) and all(isinstance(block, TextBlock) for block in result.content):
        return result.text
    return dicts_of(result.content)
