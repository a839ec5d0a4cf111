"""What a type checker says of tools with typed arguments. Checked, never run.

Every expected error stands in a `type: ignore`; one that is not needed is an error itself.
"""

from __future__ import annotations

from typing import NotRequired, TypedDict

from tidegate.kernel import TextBlock, ToolExecution, ToolOutcome, define_tool, tool


class ReadFile(TypedDict):
    """What the model has to give."""

    path: str
    limit: NotRequired[int]


async def read_file(args: ReadFile, exec: ToolExecution) -> list[TextBlock]:  # noqa: A002 - the name that a body gives it
    """A body with typed arguments."""
    limit: int = args.get("limit", 10)
    path: str = args["path"]
    args["pth"]  # type: ignore[typeddict-item]
    wrong: int = args["path"]  # type: ignore[assignment]
    return [TextBlock(f"{path} {limit} {wrong} {exec.call_id}")]


def is_small(args: ReadFile) -> bool:
    """A classifier with typed arguments."""
    return args.get("limit", 0) < 100


TYPED = define_tool(
    name="read_file",
    description="Read a file from disk.",
    parameters={
        "path": {"type": "string", "required": True, "description": "Absolute file path"},
        "limit": {"type": "integer"},
    },
    execute=read_file,
    concurrency_safe=is_small,
)
MISSPELT = define_tool(
    name="t",
    description="",
    parameters={"path": {"type": "str"}},  # type: ignore[typeddict-item]
    execute=read_file,
)
NO_BODY = define_tool(name="t", description="", parameters={}, execute=3)  # type: ignore[arg-type]
UNTYPED = tool("add", "", {"type": "object"}, lambda args: args["a"] + args["b"])


def redact(outcome: ToolOutcome) -> ToolOutcome:
    """Outcomes are immutable."""
    outcome.entered = True  # type: ignore[misc]
    return outcome.with_value("***")
