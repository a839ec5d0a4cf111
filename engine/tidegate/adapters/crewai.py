"""CrewAI: tools whose calls pass the rules first, with the package `crewai`.

CrewAI has hooks before and after a tool, and swallows whatever goes wrong in them, so that the tool runs. Here the
rules stand around the tool itself: what goes wrong in them is a refusal, and the body is not entered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from crewai.tools import BaseTool
from crewai.tools.tool_failure import ToolFailure
from crewai.utilities.string_utils import sanitize_tool_name
from pydantic import PrivateAttr

from ..engine import PATIENCE
from ..kernel import ToolExecutionResult, thaw
from .bodies import Bodies, Body

if TYPE_CHECKING:
    from ..engine import Engine
    from ..plan.approval import Approver


def guarded_tools(
    engine: Engine, tools: Iterable[Any], *, approver: Approver | None = None, patience: float = PATIENCE, **place: Any
) -> list[Any]:
    """Twins of tools whose every call passes the rules first: `Agent(…, tools=guarded_tools(engine, tools))`.

    They are instances of `BaseTool`; what `@tool` makes is one. The name is the one that the model uses. A refusal is
    what the model reads as the tool's output, and a `ToolFailure` to CrewAI. CrewAI tells a tool neither agent nor
    session: say them in *place*. A twin is not cached, since a result from the cache would come without a judgement.

    Tools that CrewAI adds itself (delegation, files, memory) and those of MCP servers and apps that an agent names do
    not come here: they run past the rules.

    Raises:
        TypeError: One of them is no `BaseTool`, so that nothing here could govern it.
    """
    bodies = Bodies(engine, approver=approver, patience=patience, place=place)
    return [_guarded(bodies, tool) for tool in tools]


class _Guarded(BaseTool):
    """A tool around another one, however that runs its body."""

    _bodies: Bodies = PrivateAttr()
    _inner: BaseTool = PrivateAttr()

    @classmethod
    def around(cls, inner: BaseTool, bodies: Bodies) -> _Guarded:
        """The twin; how often it may be used is for *inner* to count, which counts only what is entered."""
        told = {name: getattr(inner, name) for name in _TOLD}
        twin = cls(cache_function=_never, **told)
        twin._bodies, twin._inner = bodies, inner
        return twin

    def _run(self, **arguments: Any) -> Any:
        return self._bodies.run(sanitize_tool_name(self.name), arguments, _body(self._inner.run))

    async def _arun(self, **arguments: Any) -> Any:
        return await self._bodies.arun(sanitize_tool_name(self.name), arguments, _body(self._inner.arun))


_TOLD = ("name", "description", "args_schema", "result_schema", "result_as_answer", "tool_failure_policy", "env_vars")


def _guarded(bodies: Bodies, tool: Any) -> Any:
    if not isinstance(tool, BaseTool):
        raise TypeError(f"a tool of the type `{type(tool).__name__}` runs where no rule can see it")
    return _Guarded.around(tool, bodies)


def _never(_arguments: Any = None, _result: Any = None) -> bool:
    return False


def _body(inner: Callable[..., Any]) -> Body[Any]:
    return Body(lambda arguments: inner(**arguments), _seen, _shown)


def _seen(raw: Any) -> object:
    return raw.message if isinstance(raw, ToolFailure) else raw


def _shown(raw: Any, result: ToolExecutionResult) -> Any:
    if result.is_error or isinstance(raw, ToolFailure):
        return ToolFailure(message=result.text)
    return result.text if result.structured is None else thaw(result.structured)
