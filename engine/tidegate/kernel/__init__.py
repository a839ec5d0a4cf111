"""Enforcement: contexts, events, the tool registry and its guarded pipeline. Knows no TOML, no rule, no meaning."""

from .call import Signal, ToolExecution, ToolOutcome
from .content import Block, DataBlock, Denial, TextBlock, ToolError, ToolExecutionResult
from .context import Context
from .definitions import ToolDefinition, define_tool, tool
from .events import Mode
from .fiber import Fiber
from .json_values import snapshot, thaw
from .prompt import Assembly, SystemPrompt
from .registry import ToolRegistry
from .schema import PropSpec, SchemaSpec, schema_spec_to_json_schema
from .sync import asks_for_loop, need_loop, without_loop
from .validation import validate_args
from .waterfall import Next

__all__ = [
    "Assembly",
    "Block",
    "Context",
    "DataBlock",
    "Denial",
    "Fiber",
    "Mode",
    "Next",
    "PropSpec",
    "SchemaSpec",
    "Signal",
    "SystemPrompt",
    "TextBlock",
    "ToolDefinition",
    "ToolError",
    "ToolExecution",
    "ToolExecutionResult",
    "ToolOutcome",
    "ToolRegistry",
    "asks_for_loop",
    "define_tool",
    "need_loop",
    "schema_spec_to_json_schema",
    "snapshot",
    "thaw",
    "tool",
    "validate_args",
    "without_loop",
]
