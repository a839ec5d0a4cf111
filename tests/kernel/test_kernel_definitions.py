"""Defining tools: bodies, schemas, typed arguments."""

from __future__ import annotations

import functools
from typing import TypedDict

import pytest
from attrs.exceptions import FrozenInstanceError

from tidegate.errors import SchemaError
from tidegate.kernel import ToolDefinition, ToolExecution, define_tool, tool

pytestmark = pytest.mark.anyio

PARAMETERS = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}


class Bodies:
    def method(self, args):
        return f"method {args['n']}"

    def method_with(self, args, exec):  # noqa: A002 - the name that a body gives it
        return f"method {args['n']} of {exec.call_id}"

    def __call__(self, args):
        return f"called {args['n']}"


def with_default(args, verbose=False):
    return f"{args['n']} {verbose}"


def with_optional(args, exec=None):  # noqa: A002 - the name that a body gives it
    return f"{args['n']} of {exec.call_id}"


async def asynchronous(args, call):
    return f"{args['n']} of {call.call_id}"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (lambda args: f"{args['n']}", "1"),
        (lambda args, call: f"{args['n']} of {call.call_id}", "1 of c1"),
        (lambda *args: f"{len(args)}", "1"),
        (Bodies().method, "method 1"),
        (Bodies().method_with, "method 1 of c1"),
        (Bodies(), "called 1"),
        (with_default, "1 False"),
        (with_optional, "1 of c1"),
        (asynchronous, "1 of c1"),
        (functools.partial(lambda prefix, args: f"{prefix}{args['n']}", "p"), "p1"),
        (sorted, '["n"]'),
        (dict, '{"n":1}'),
    ],
    ids=[
        *("args", "both", "any number", "method", "method with both", "callable object", "default", "optional exec"),
        *("async", "partial", "builtin", "type"),
    ],
)
async def test_a_body_takes_the_arguments_or_the_call_as_well(tools, body, text):
    """A second parameter gets the call if it is required, or named `exec`."""
    tools.register(tool("t", "", {}, body))

    assert (await tools.execute(ToolExecution("c1", "t", {"n": 1}))).text == text


@pytest.mark.parametrize(
    "body",
    [lambda: 1, lambda a, b, c: 1, lambda args, *, key: 1, "no callable"],
    ids=["none", "three", "keyword", "text"],
)
def test_a_body_that_cannot_be_called_is_refused(body):
    """When the tool is defined, not when the model calls it."""
    with pytest.raises(TypeError):
        tool("t", "", {}, body)


@pytest.mark.parametrize("name", ["", None, 3])
def test_a_tool_needs_a_name(name):
    """Text, and some."""
    with pytest.raises(TypeError, match="a tool's name is text, and not empty"):
        tool(name, "", {}, print)


@pytest.mark.parametrize(
    ("parameters", "text"),
    [([], "parameters must be a JSON Schema"), ({"a": float("nan")}, "parameters nan is not JSON")],
)
def test_parameters_are_a_json_object(parameters, text):
    """Anything else is refused when the tool is defined."""
    with pytest.raises(SchemaError, match=text):
        tool("t", "", parameters, print)


def test_a_definition_is_immutable():
    """Neither itself nor its schema, nor by what it was made of."""
    properties = {"a": {"type": "string"}}
    definition = tool("t", "", {"type": "object", "properties": properties}, print)
    properties["b"] = {}

    with pytest.raises(FrozenInstanceError):
        definition.name = "other"
    with pytest.raises(TypeError):
        definition.parameters["properties"]["a"]["type"] = "number"
    assert definition.parameters["properties"] == {"a": {"type": "string"}}


@pytest.mark.parametrize("strict", [None, True, False])
def test_strict_is_told_if_given(strict):
    """In both forms, whether true or false."""
    definition = define_tool(
        name="t",
        description="d",
        parameters={"path": {"type": "string", "required": True}},
        execute=print,
        strict=strict,
    )
    told = {"name": "t", "description": "d", "parameters": PARAMETERS}
    if strict is not None:
        told["strict"] = strict

    assert definition.schema() == told
    assert definition.schema("openai") == {"type": "function", "function": told}


def test_an_unknown_form_is_refused(tools):
    """Rather than guessed."""
    tools.register(tool("t", "", {}, print))

    with pytest.raises(ValueError, match="no schema form `open-ai`"):
        tools.schemas("open-ai")


def test_only_definitions_are_registered(tools):
    """A function is no tool yet."""
    with pytest.raises(TypeError, match="takes a ToolDefinition, not function"):
        tools.register(lambda args: args)


def test_the_identity_of_an_mcp_tool_is_kept_apart():
    """Origin, server and raw name, beside the joined one."""
    definition = ToolDefinition(
        "mcp__git__log", "", {}, print, origin="mcp", server="git", raw_name="log", concurrency_safe=True
    )

    assert (definition.origin, definition.server, definition.raw_name) == ("mcp", "git", "log")
    assert definition.schema() == {"name": "mcp__git__log", "description": "", "parameters": {}}


class ReadFile(TypedDict, total=False):
    path: str
    limit: int


async def test_a_spec_made_later_does_not_change_the_tool(tools):
    """What was declared is what is validated."""
    spec = {"path": {"type": "string", "required": True}}

    def execute(args: ReadFile) -> str:
        return args["path"]

    tools.register(define_tool(name="t", description="", parameters=spec, execute=execute))
    spec["path"]["type"] = "number"

    assert (await tools.execute(ToolExecution("c1", "t", {"path": "a"}))).text == "a"
