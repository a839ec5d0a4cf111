"""The last guard: what is used up right before a body, and only then."""

from types import SimpleNamespace

import pytest

from tidegate.kernel import Context, ToolExecution, ToolRegistry, define_tool, tool


@pytest.fixture
def tools():
    registry = ToolRegistry(Context())
    registry.register(
        define_tool(
            name="add",
            description="adds",
            parameters={"left": {"type": "number", "required": True}},
            execute=lambda args: args["left"] + 1,
        )
    )
    return registry


def test_last_guard_is_asked_when_nothing_else_refuses(tools):
    """It is asked once for a call whose body is entered, and never for one that a guard or validation refuses."""
    asked = []
    tools.guard(lambda call: asked.append(call.call_id), last=True)
    lift = tools.guard(lambda call: "no" if call.call_id == "refused" else None)

    assert tools.execute_sync(ToolExecution("refused", "add", {"left": 1})).is_error
    assert tools.execute_sync(ToolExecution("invalid", "add", {"left": "x"})).is_error
    assert tools.execute_sync(ToolExecution("unknown", "nope", {})).is_error

    lift()

    assert not tools.execute_sync(ToolExecution("entered", "add", {"left": 1})).is_error
    assert asked == ["entered"]


def test_last_guard_can_refuse(tools):
    """Its reason refuses the call like that of any guard, and lifting it lets calls through again."""
    lift = tools.guard(lambda call: "too late", last=True)

    assert tools.execute_sync(ToolExecution("1", "add", {"left": 1})).text == "Error: too late"

    lift()

    assert tools.execute_sync(ToolExecution("2", "add", {"left": 1})).value == 2


@pytest.mark.parametrize("change", ["unregistered", "replaced", "aborted"])
def test_what_changes_while_the_last_guard_is_asked_refuses(change):
    """A tool that goes, or an abort that comes, after everything else was asked still keeps the body shut."""
    entered = []
    tools, signal = ToolRegistry(Context()), SimpleNamespace(cancel_called=False)
    tools.register(tool("add", "adds", {"type": "object"}, lambda args: entered.append("first")))

    async def slow(call):
        if change == "aborted":
            signal.cancel_called = True
        else:
            tools.unregister("add")
        if change == "replaced":
            tools.register(tool("add", "adds", {"type": "object"}, lambda args: entered.append("second")))

    tools.guard(slow, last=True)
    result = tools.execute_sync(ToolExecution("1", "add", {}, signal=signal))

    assert (result.is_error, entered) == (True, [])
