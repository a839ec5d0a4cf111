"""Pydantic AI agents: a capability around every tool call, with the package `pydantic-ai-slim`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.messages import ToolReturn
from pydantic_core import PydanticSerializationError, to_jsonable_python

from ..engine import PATIENCE
from ..kernel import ToolExecutionResult, thaw
from .bodies import Bodies, Body

if TYPE_CHECKING:
    from ..engine import Engine
    from ..plan.approval import Approver

_CHANNELS = ("return_value", "content", "metadata")


class Tidegate(AbstractCapability[Any]):
    """Every tool call of the agent passes the rules first: `Agent(…, capabilities=[Tidegate(engine)])`.

    Rules see validated arguments, as JSON. A refusal is a failed tool return; it takes no retry. The agent is the
    agent's `name`, and the session its conversation. Put it last, so that hooks of other capabilities stand around it
    and none changes a call that was judged. Agents that a tool runs need it as well.

    An argument whose validated value is no JSON (a date, a model) cannot be rewritten: the call is refused.
    """

    def __init__(
        self, engine: Engine, *, approver: Approver | None = None, patience: float = PATIENCE, **place: Any
    ) -> None:
        """Judge by *engine*; see `Bodies` for the rest."""
        super().__init__()
        self._bodies = Bodies(engine, approver=approver, patience=patience, place=place)

    async def wrap_tool_execute(
        self, ctx: Any, *, call: Any, tool_def: Any, args: dict[str, Any], handler: Callable[[dict[str, Any]], Any]
    ) -> Any:
        """Take a call through the rules."""
        asked = _jsonable(args)

        def enter(arguments: dict[str, Any]) -> Any:
            return handler(_as_validated(args, asked, arguments))

        return await self._bodies.arun(
            tool_def.name,
            asked,
            Body(enter, _seen, _shown),
            call_id=call.tool_call_id,
            agent=getattr(ctx.agent, "name", None),
            session=ctx.conversation_id,
        )


def _jsonable(value: object) -> Any:
    """The value as JSON, itself where there is no such form: the rules then take it for what it is."""
    try:
        return to_jsonable_python(value)
    except (PydanticSerializationError, RecursionError):
        return value


def _as_validated(args: dict[str, Any], asked: Any, judged: dict[str, Any]) -> dict[str, Any]:
    """The judged arguments, with the validated value of each that is as it was.

    Raises:
        ToolFailed: One was rewritten that is no JSON, so that nothing here can make its value.
    """
    if judged == asked:
        return args
    made = {}
    for name, value in judged.items():
        same = name in args and asked[name] == value
        if not same and name in args and asked[name] != args[name]:
            raise ToolFailed(f"the argument `{name}` cannot be rewritten")
        made[name] = args[name] if same else value
    return made


def _seen(raw: Any) -> object:
    if isinstance(raw, ToolReturn):
        return _jsonable({channel: getattr(raw, channel) for channel in _CHANNELS})
    return _jsonable(raw)


def _shown(raw: Any, result: ToolExecutionResult) -> Any:
    if result.is_error:
        raise ToolFailed(result.text)
    value = thaw(result.structured) if result.structured is not None else result.text
    if isinstance(raw, ToolReturn) and isinstance(value, dict) and value.keys() == set(_CHANNELS):
        return ToolReturn(value["return_value"], content=value["content"], metadata=value["metadata"])
    return value
