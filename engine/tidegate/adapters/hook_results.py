"""Results of other programs through the output rules of one call, in whatever shape they come."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..kernel.call import ToolExecution, ToolOutcome
from ..kernel.content import Block, DataBlock, TextBlock, ToolExecutionResult
from ..plan.shaping import shape
from ..plan.sitting import Sitting


def _no_mark(_: str) -> bool:
    return False


class Shaper:
    """Puts texts and content blocks through the output rules of one call.

    *is_mark* tells under which keys strings tell shapes apart; they are left alone.
    """

    def __init__(self, sitting: Sitting, is_mark: Callable[[str], bool] = _no_mark) -> None:
        self._sitting = sitting
        self._is_mark = is_mark
        call = sitting.original
        self._execution = ToolExecution(call.call_id, call.tool.name, dict(call.arguments), cwd=call.cwd)

    def any(self, value: Any, key: str = "") -> Any:
        """A value of any shape with all its texts shaped."""
        if isinstance(value, str):
            return value if self._is_mark(key) or not value else self.text(value)
        if isinstance(value, Mapping):
            return {name: self.any(item, name) for name, item in value.items()}
        if isinstance(value, list):
            return self._blocks(value) if _are_blocks(value) else [self.any(item, key) for item in value]
        return value

    def text(self, text: str) -> str:
        """One text, shaped."""
        return self._through(ToolExecutionResult(self._execution.call_id, text)).text

    def _blocks(self, values: list[Any]) -> list[Any]:
        blocks = [_block(value) for value in values]
        result = self._through(ToolExecutionResult(self._execution.call_id, blocks))
        if result.content == tuple(blocks):
            return values
        return [_as_json(block) for block in result.content]

    def _through(self, result: ToolExecutionResult) -> ToolExecutionResult:
        outcome = ToolOutcome(self._execution, result, entered=True)
        return shape(self._sitting.rules.shapes, outcome, self._sitting.cases)[0].result


def _are_blocks(values: list[Any]) -> bool:
    """Whether these are content blocks as MCP defines them, at least one of them text."""
    kinds = [value.get("type") if isinstance(value, Mapping) else None for value in values]
    return "text" in kinds and all(isinstance(kind, str) for kind in kinds)


def _block(value: Mapping[str, Any]) -> Block:
    if value["type"] == "text" and isinstance(value.get("text"), str):
        return TextBlock(value["text"])
    return DataBlock(value["type"], {key: item for key, item in value.items() if key != "type"})


def _as_json(block: Block) -> dict[str, Any]:
    if isinstance(block, TextBlock):
        return {"type": "text", "text": block.text}
    return {"type": block.type, **block.data}


def shown(value: Any) -> str:
    """What of a result is text, one below the other; what is not is left out, and that is said."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(filter(None, map(shown, value)))
    if not isinstance(value, Mapping):
        return "" if value is None else str(value)
    for key in ("text", "content", "llmContent"):
        if key in value:
            return shown(value[key])
    return f"[{', '.join(value)} left out]" if value else ""
