"""A declarative policy engine for the tool calls of AI agents."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .decision import Decision
    from .engine import Engine
    from .errors import CallError, Finding, RuleError, TidegateError, ToolArgsError, Veto
    from .kernel import Context, ToolExecution, ToolExecutionResult, ToolRegistry, define_tool, tool
    from .plan.approval import Approved, Approver, Question

# Names are found when they are first used, so that `import tidegate` costs a hook nothing that it does not need.
_HOMES = {
    "Approved": "plan.approval",
    "Approver": "plan.approval",
    "CallError": "errors",
    "Context": "kernel",
    "Decision": "decision",
    "Engine": "engine",
    "Finding": "errors",
    "Question": "plan.approval",
    "RuleError": "errors",
    "TidegateError": "errors",
    "ToolArgsError": "errors",
    "ToolExecution": "kernel",
    "ToolExecutionResult": "kernel",
    "ToolRegistry": "kernel",
    "Veto": "errors",
    "define_tool": "kernel",
    "tool": "kernel",
}

__all__ = [
    "Approved",
    "Approver",
    "CallError",
    "Context",
    "Decision",
    "Engine",
    "Finding",
    "Question",
    "RuleError",
    "TidegateError",
    "ToolArgsError",
    "ToolExecution",
    "ToolExecutionResult",
    "ToolRegistry",
    "Veto",
    "define_tool",
    "tool",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{home}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
