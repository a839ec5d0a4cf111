"""A registry that is being unloaded: listeners go before tools, so that a call would run that nobody judges."""

import pytest

from tidegate.errors import InactiveContext, Veto
from tidegate.kernel import Context, ToolExecution, ToolRegistry, tool


def refuse(value, next):  # noqa: A002 - listeners have a `next`
    raise Veto("no")


def test_no_call_runs_while_and_after_everything_is_undone():
    """A disposer that still calls a tool, when the rules around it are gone already, is refused."""
    entered, refused, context = [], [], Context()
    tools = ToolRegistry(context)
    tools.register(tool("add", "adds", {"type": "object"}, lambda args: entered.append("body")))

    def farewell():
        with pytest.raises(InactiveContext) as raised:
            tools.execute_sync(ToolExecution("1", "add", {}))
        refused.append(raised.type)

    context.effect(farewell)
    context.on("tools/pre-execute", "waterfall")(refuse)
    before = tools.execute_sync(ToolExecution("0", "add", {}))
    context.stop()
    with pytest.raises(InactiveContext):
        tools.execute_sync(ToolExecution("2", "add", {}))

    assert (before.text, refused, entered) == ("Error: no", [InactiveContext], [])
