"""Cases 23 to 37 of the two reference systems: registering tools, and the simplest executions."""

# ruff: noqa: A002, A006 - listeners have a `next`, whether they use it or not

from __future__ import annotations

import json

import pytest

from tidegate.errors import DuplicateName, ToolArgsError, UnknownTool
from tidegate.kernel import (
    SystemPrompt,
    TextBlock,
    ToolError,
    ToolExecution,
    ToolExecutionResult,
    define_tool,
    tool,
)

pytestmark = pytest.mark.anyio

ADD_PARAMETERS = {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}}


def add_tool():
    return tool("add", "Add two numbers.", ADD_PARAMETERS, lambda args: args["a"] + args["b"])


def echo_tool(name="echo"):
    return define_tool(
        name=name,
        description="Say it again.",
        parameters={"text": {"type": "string", "required": True}},
        execute=lambda args: [TextBlock(args["text"])],
    )


def call_of(name, arguments=None, **place):
    return ToolExecution(call_id="c1", name=name, arguments=arguments or {}, **place)


def test_case_23_a_registered_tool_is_told_in_openai_format_until_disposed(tools):
    """Case 23: one function schema equal to the definition; after disposal there is no name left."""
    dispose = tools.register(add_tool())

    assert tools.schemas("openai") == [
        {
            "type": "function",
            "function": {"name": "add", "description": "Add two numbers.", "parameters": ADD_PARAMETERS},
        }
    ]
    dispose()
    assert tools.names() == []


async def test_case_24_pre_execute_rewrites_arguments(ctx, tools):
    """Case 24: a policy multiplies both arguments by ten, and `add(1, 2)` is 30."""
    tools.register(add_tool())

    def times_ten(call, next):
        return next(call.with_arguments(a=call.args["a"] * 10, b=call.args["b"] * 10))

    ctx.on("tools/pre-execute", "waterfall")(times_ten)

    assert await tools.call("add", {"a": 1, "b": 2}) == 30


async def test_case_24_post_execute_wraps_the_result(ctx, tools):
    """Case 24: a policy formats the value."""
    tools.register(add_tool())
    ctx.on("tools/post-execute", "waterfall")(
        lambda outcome, next: next(outcome.with_value(f"The result is {outcome.value}"))
    )

    assert await tools.call("add", {"a": 1, "b": 2}) == "The result is 3"


async def test_case_24_an_unknown_tool_raises_before_any_listener(ctx, tools):
    """Case 24: the short form names the tool, and no listener hears of the call."""
    heard = []
    ctx.on("tools/pre-execute", "waterfall")(lambda call, next: heard.append(call) or next())

    with pytest.raises(UnknownTool, match='unknown tool "nope"'):
        await tools.call("nope", {})
    assert heard == []


async def test_case_25_an_agent_loop_goes_on_after_bad_arguments(tools):
    """Case 25: what goes wrong in a call is told to the model as `<tool error…>`, and turns are limited."""
    tools.register(echo_tool())

    async def agent(turns, max_steps=8):
        steps, results = [], []
        for name, raw in turns:
            if len(steps) == max_steps:
                break
            steps.append(name)
            try:
                value = await tools.call(name, json.loads(raw))
                results.append(value if isinstance(value, str) else json.dumps(value))
            except Exception as error:  # noqa: BLE001 - that is the case
                results.append(f"<tool error: {error}>")
        return steps, results

    turns = [("echo", "{bad"), ("echo", "[]"), ("echo", '{"text": 1}'), ("nope", "{}"), ("echo", '{"text": "hi"}')]
    _, results = await agent(turns)
    steps, _ = await agent([("echo", '{"text": "again"}')] * 9, max_steps=3)

    assert all(result.startswith("<tool error: ") for result in results[:4])
    assert results[1:] == [
        '<tool error: "arguments" must be an object>',
        '<tool error: invalid arguments: "text" must be a string>',
        '<tool error: unknown tool "nope">',
        "hi",
    ]
    assert len(steps) == 3


async def test_case_26_schemas_are_everything_but_the_body_and_reach_the_prompt(ctx, tools):
    """Case 26: the readme's shape, also in an assembly of the system prompt that is there later."""
    tools.register(echo_tool())
    expected = [
        {
            "name": "echo",
            "description": "Say it again.",
            "parameters": {
                "type": "object",
                "properties": {"text": {"type": "string"}},
                "required": ["text"],
            },
        }
    ]

    ctx.plugin(SystemPrompt)
    assembly = await ctx.system_prompt.assemble()

    assert tools.schemas() == expected
    assert assembly == {"sections": [], "tools": expected}


def test_case_27_a_duplicate_name_is_refused(tools):
    """Case 27: the second registration raises, the first one stands."""
    first = echo_tool()
    tools.register(first)

    with pytest.raises(DuplicateName) as caught:
        tools.register(echo_tool())
    assert str(caught.value) == 'tool "echo" is already registered'
    assert tools.get("echo") is first


def test_case_27_a_plugins_tool_goes_with_the_plugin(ctx, tools):
    """Case 27: `echo` and `scoped` stand until the fiber is disposed, then `echo` alone."""
    tools.register(echo_tool())
    fiber = ctx.plugin(lambda child: child.tools.register(echo_tool("scoped")))

    before = tools.names()
    fiber.dispose()

    assert (before, tools.names()) == (["echo", "scoped"], ["echo"])


def test_case_28_a_disposer_counts_once_and_a_stale_one_is_harmless(ctx, tools):
    """Case 28: adding and removing are two changes, disposing again is none, and a replacement stays."""
    changes = []
    ctx.on("tools/change")(changes.append)

    dispose = tools.register(echo_tool())
    dispose()
    dispose()
    counted = len(changes)
    again = echo_tool()
    tools.register(again)
    dispose()

    assert counted == 2
    assert tools.get("echo") is again


def test_case_28_a_disposer_of_what_was_unregistered_leaves_the_replacement(tools):
    """Case 28: also where the same definition was registered again after `unregister`."""
    echo = echo_tool()
    dispose = tools.register(echo)
    tools.unregister("echo")
    tools.register(echo)

    dispose()
    tools.unregister("never there")

    assert tools.get("echo") is echo


def test_case_29_a_failing_observer_of_changes_changes_nothing(ctx, tools, reports):
    """Case 29, by the design: the tool is registered, once (the later reference rolls it back)."""

    def raises(_):
        raise ValueError("broke")

    undo = ctx.on("tools/change")(raises)
    dispose = tools.register(echo_tool())
    registered = tools.names()
    dispose()
    undo()
    tools.register(echo_tool())

    assert (registered, tools.names()) == (["echo"], ["echo"])
    assert [where for _, where in reports] == ["an observer of `tools/change`"] * 2
    reports.clear()


@pytest.mark.parametrize("form", ["plain", "openai"])
def test_case_30_schemas_are_detached_copies(tools, form):
    """Case 30: changing what `schemas()` returned does not change what it returns next."""
    tools.register(add_tool())
    before = tools.schemas(form)

    told = tools.schemas(form)[0]
    (told if form == "plain" else told["function"])["parameters"]["properties"]["a"]["type"] = "string"

    assert tools.schemas(form) == before


async def test_case_31_echo(tools):
    """Case 31: a call is answered under its id, with content and no error."""
    tools.register(echo_tool())

    result = await tools.execute(call_of("echo", {"text": "hi"}))

    assert result == ToolExecutionResult(call_id="c1", content=[TextBlock("hi")], is_error=False, value="hi")


async def test_case_32_an_unknown_tool_is_an_error_result_and_listeners_see_the_name(ctx, tools):
    """Case 32: the full form goes through the waterfalls."""
    seen = []
    ctx.on("tools/pre-execute", "waterfall")(lambda call, next: seen.append(call.name) or next())
    ctx.on("tools/execute", "waterfall")(lambda call, next: seen.append(call.name) or next())

    result = await tools.execute(call_of("nope"))

    assert (result.text, result.is_error) == ('Error: unknown tool "nope"', True)
    assert result.error == ToolError("UnknownTool", "UNKNOWN_TOOL")
    assert seen == ["nope", "nope"]


class Spoken(Exception):
    def __init__(self, message):
        super().__init__("not this")
        self.message = message


class Speechless(Exception):
    def __str__(self):
        raise ValueError("no words")


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (Exception("exploded"), "Error: exploded"),
        (Spoken("a message"), "Error: a message"),
        (Spoken(42), "Error: not this"),
        (KeyError("key"), "Error: 'key'"),
        (TimeoutError(), "Error: TimeoutError"),
        (Speechless(), "Error: Speechless"),
    ],
    ids=["str", "message", "no message", "repr", "empty", "speechless"],
)
async def test_case_33_the_error_text_is_the_exceptions_message(tools, error, text):
    """Case 33: its `message` if that is text, else its `str()`; Python has no bare strings to raise."""

    def body(_):
        raise error

    tools.register(tool("explodes", "", {}, body))

    result = await tools.execute(call_of("explodes"))

    assert (result.text, result.is_error, result.value, result.error) == (text, True, None, None)


async def test_case_34_a_listener_refuses_one_tool_without_next(ctx, tools):
    """Case 34: its result is the result and the body does not run; other tools pass."""
    entered = []
    for name in ("rm", "ls"):
        tools.register(tool(name, "", {}, lambda _, name=name: entered.append(name)))
    denial = ToolExecutionResult("c1", [TextBlock("denied")], is_error=True)
    ctx.on("tools/execute", "waterfall")(lambda call, next: denial if call.name == "rm" else next())

    refused = await tools.execute(call_of("rm"))
    passed = await tools.execute(call_of("ls"))

    assert refused is denial
    assert (passed.is_error, entered) == (False, ["ls"])


async def test_case_35_wrappers_nest(ctx, tools):
    """Case 35: the first registered is outermost."""
    seen = []
    tools.register(tool("t", "", {}, lambda _: seen.append("body")))

    def wrapper(name):
        async def wrap(_, next):
            seen.append(f"{name}:before")
            result = await next()
            seen.append(f"{name}:after")
            return result

        return wrap

    ctx.on("tools/execute", "waterfall")(wrapper("first"))
    ctx.on("tools/execute", "waterfall")(wrapper("second"))

    await tools.execute(call_of("t"))

    assert seen == ["first:before", "second:before", "body", "second:after", "first:after"]


@pytest.mark.parametrize("event", ["tools/pre-execute", "tools/execute"])
@pytest.mark.parametrize(
    ("error", "structured"),
    [
        (RuntimeError("permission hook broke"), None),
        (ToolArgsError(["permission hook broke"]), ToolError("ToolArgsError", "INVALID_ARGS")),
    ],
    ids=["plain", "coded"],
)
async def test_case_36_a_listener_that_raises_is_an_error_result(ctx, tools, reports, event, error, structured):
    """Case 36, as the later reference: never an exception to the caller; a code is kept."""
    tools.register(tool("t", "", {}, lambda _: pytest.fail("the body was entered")))

    def raises(_, next):
        raise error

    ctx.on(event, "waterfall")(raises)

    result = await tools.execute(call_of("t"))

    assert (result.text, result.is_error, result.error) == (f"Error: {error}", True, structured)
    assert reports == ([(error, f"a listener of `{event}`")] if structured is None else [])
    reports.clear()


async def test_case_37_a_raw_tool_is_not_validated(tools):
    """Case 37: a JSON Schema with a required path is told, not enforced."""
    schema = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
    tools.register(tool("raw", "", schema, sorted))

    result = await tools.execute(call_of("raw"))

    assert (result.is_error, result.structured) == (False, [])
