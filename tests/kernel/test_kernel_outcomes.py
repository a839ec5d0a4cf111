"""Calls, results and outcomes as values."""

# ruff: noqa: A006 - listeners have a `next`

from __future__ import annotations

from pathlib import Path

import attrs
import pytest
from attrs.exceptions import FrozenInstanceError

from tidegate.errors import CallError, ToolFailed, Veto
from tidegate.kernel import (
    DataBlock,
    TextBlock,
    ToolError,
    ToolExecution,
    ToolExecutionResult,
    ToolOutcome,
    tool,
)

pytestmark = pytest.mark.anyio

IMAGE = DataBlock("image", {"data": "aGk=", "mimeType": "image/png"})
OPAQUE = Path("opaque")


def call_of(**fields):
    return ToolExecution(**{"call_id": "c1", "name": "t", "arguments": {}, **fields})


class TestExecution:
    @pytest.mark.parametrize(
        ("fields", "text"),
        [
            ({"arguments": None}, '"arguments" must be an object'),
            ({"arguments": "{bad"}, '"arguments" must be an object'),
            ({"arguments": []}, '"arguments" must be an object'),
            ({"arguments": {"a": float("nan")}}, '"arguments" nan is not JSON'),
            ({"name": None}, "a call's id and name are text, not NoneType"),
            ({"call_id": 1}, "a call's id and name are text, not int"),
            ({"name": "\ud800"}, "text with a lone surrogate is not JSON"),
            ({"agent": 1}, "where a call happens is told as text, not as int"),
            ({"cwd": Path("/")}, f"where a call happens is told as text, not as {type(OPAQUE).__name__}"),
        ],
    )
    def test_what_is_no_call_is_refused(self, fields, text):
        """When it is made, before any rule sees it."""
        with pytest.raises(CallError) as caught:
            call_of(**fields)

        assert str(caught.value) == text

    def test_a_rewrite_is_another_call_with_the_same_notes(self):
        """`with_arguments` adds and replaces; the original stays, and the notes are shared."""
        call = call_of(arguments={"path": "a", "list": [1]}, agent="x", context={"note": 1})
        changed = call.with_arguments(path="b", self="me", new=[2])

        assert changed.arguments == changed.args == {"path": "b", "list": [1], "self": "me", "new": [2]}
        assert call.arguments == {"path": "a", "list": [1]}
        assert changed.arguments["list"] is call.arguments["list"]
        assert changed.context is call.context
        assert (changed.agent, changed.call_id) == ("x", "c1")
        with pytest.raises(TypeError):
            changed.arguments["new"].append(3)

    def test_a_call_is_equal_to_itself_only(self):
        """Two calls with the same content are two calls."""
        call = call_of()

        assert call != attrs.evolve(call)
        assert len({call, call, attrs.evolve(call)}) == 2

    def test_names_become_plain_text(self):
        """Whatever a subclass of `str` would say of itself."""

        class Name(str):
            __slots__ = ()

        call = call_of(name=Name("t"), call_id=Name("ä"))

        assert (type(call.name), type(call.call_id)) == (str, str)


class TestResult:
    @pytest.mark.parametrize(
        ("returned", "content", "structured", "value"),
        [
            ("text", [TextBlock("text")], None, "text"),
            ("", [TextBlock("")], None, ""),
            (None, [TextBlock("null")], None, None),
            (True, [TextBlock("true")], True, True),
            (3, [TextBlock("3")], 3, 3),
            (1.5, [TextBlock("1.5")], 1.5, 1.5),
            ({"a": "ä"}, [TextBlock('{"a":"ä"}')], {"a": "ä"}, {"a": "ä"}),
            ([1, "b"], [TextBlock('[1,"b"]')], [1, "b"], [1, "b"]),
            ([], [TextBlock("[]")], [], []),
            (TextBlock("one"), [TextBlock("one")], None, "one"),
            ([TextBlock("one")], [TextBlock("one")], None, "one"),
            ([TextBlock("one"), IMAGE], [TextBlock("one"), IMAGE], None, (TextBlock("one"), IMAGE)),
            (IMAGE, [IMAGE], None, (IMAGE,)),
            ([{"type": "text", "text": "one"}], [TextBlock("one")], None, "one"),
            ([{"type": "text", "text": "one"}, IMAGE], [TextBlock("one"), IMAGE], None, (TextBlock("one"), IMAGE)),
            ([{"type": "text"}], [TextBlock('[{"type":"text"}]')], [{"type": "text"}], [{"type": "text"}]),
            (
                [{"type": "text", "text": 1}],
                [TextBlock('[{"type":"text","text":1}]')],
                [{"type": "text", "text": 1}],
                [{"type": "text", "text": 1}],
            ),
            (OPAQUE, [TextBlock("opaque")], None, OPAQUE),
            ((1, 2), [TextBlock("(1, 2)")], None, (1, 2)),
            (float("inf"), [TextBlock("inf")], None, float("inf")),
            ([OPAQUE], [TextBlock(str([OPAQUE]))], None, [OPAQUE]),
            (b"raw", [TextBlock("b'raw'")], None, b"raw"),
        ],
        ids=repr,
    )
    async def test_what_a_body_returns_becomes_a_result(self, tools, returned, content, structured, value):
        """Blocks as they are, text as text, JSON as text and structured, anything else opaque."""
        tools.register(tool("t", "", {}, lambda _: returned))

        result = await tools.execute(call_of())

        assert result == ToolExecutionResult("c1", content, structured=structured, value=value)
        assert await tools.call("t", {}) == value

    async def test_a_body_may_return_a_result(self, tools):
        """Also an error, with content of its own; it is answered under the call's id."""
        made = ToolExecutionResult("", [IMAGE], is_error=True, structured={"code": 7})
        tools.register(tool("t", "", {}, lambda _: made))

        assert await tools.execute(call_of()) == attrs.evolve(made, call_id="c1")
        with pytest.raises(ToolFailed) as caught:
            await tools.call("t", {})
        assert (str(caught.value), caught.value.code) == ("", "TOOL_FAILED")

    async def test_a_value_that_cannot_be_shown_fails_the_call(self, tools):
        """As any other failure of the body."""

        class Silent:
            def __str__(self):
                raise ValueError("no words")

        tools.register(tool("t", "", {}, lambda _: Silent()))

        assert (await tools.execute(call_of())).text == "Error: no words"

    def test_a_result_is_immutable(self):
        """Its fields, its content and its structured content; what it was made of is not changed with it."""
        structured, data = {"a": [1]}, {"data": "x"}
        result = ToolExecutionResult("c1", [DataBlock("image", data)], structured=structured)
        structured["a"].append(2)
        data["data"] = "y"

        assert (result.structured, result.content[0].data) == ({"a": [1]}, {"data": "x"})
        with pytest.raises(FrozenInstanceError):
            result.is_error = True
        with pytest.raises(TypeError):
            result.content[0].data["data"] = "z"

    @pytest.mark.parametrize(
        "content",
        [[{"type": "text", "text": "a"}], TextBlock("a"), [TextBlock(1)], [DataBlock(1, {})], [None]],
        ids=repr,
    )
    def test_content_consists_of_blocks(self, content):
        """Of nothing else, so that no rule over results meets anything else."""
        with pytest.raises(TypeError, match="content consists of blocks"):
            ToolExecutionResult("c1", content)

    def test_the_text_of_a_result(self):
        """All text blocks, one below the other."""
        assert ToolExecutionResult("c1", [TextBlock("a"), IMAGE, TextBlock("b")]).text == "a\nb"


def outcome_of(**result):
    return ToolOutcome(call_of(), ToolExecutionResult("c1", **result), entered=True)


SUCCESS = {"content": '{"key":"secret"}', "structured": {"key": "secret"}}
FAILURE = {"content": "Error: secret", "is_error": True, "error": ToolError("KeyError", "NO_KEY")}


class TestOutcome:
    @pytest.mark.parametrize(
        ("change", "expected"),
        [
            (lambda one: one.with_value({"key": "***"}), ('{"key":"***"}', {"key": "***"}, {"key": "***"})),
            (lambda one: one.with_value("***"), ("***", None, "***")),
            (lambda one: one.with_value(OPAQUE), ("opaque", None, OPAQUE)),
            (lambda one: one.with_content("***"), ("***", None, "***")),
            (lambda one: one.with_content([TextBlock("***")]), ("***", None, "***")),
            (lambda one: one.with_content("***", {"k": 1}), ("***", {"k": 1}, {"k": 1})),
            (lambda one: one.with_content([IMAGE]), ("", None, (IMAGE,))),
        ],
    )
    def test_replacing_one_channel_replaces_all(self, change, expected):
        """Text, structured content and value never tell different stories."""
        changed = change(outcome_of(**SUCCESS))

        assert (changed.result.text, changed.result.structured, changed.value) == expected
        assert "secret" not in repr(changed.result)
        assert not changed.is_error

    @pytest.mark.parametrize("content", ["***", [TextBlock("***")]])
    def test_a_failure_can_be_reworded_and_stays_one(self, content):
        """With its kind; it has no value."""
        for changed in (outcome_of(**FAILURE).with_content(content, {"a": 1}), outcome_of(**FAILURE).with_value("***")):
            assert changed.result == ToolExecutionResult(
                "c1", "***", is_error=True, error=ToolError("KeyError", "NO_KEY")
            )
            assert changed.value is None

    @pytest.mark.parametrize("before", [SUCCESS, FAILURE])
    def test_with_error_leaves_nothing_of_the_result(self, before):
        """Only what it says, under its own kind."""
        changed = outcome_of(**before).with_error("too long", code="TOO_LONG")

        assert changed.result == ToolExecutionResult(
            "c1", "Error: too long", is_error=True, error=ToolError("Veto", "TOO_LONG")
        )
        assert "secret" not in repr(changed)

    def test_an_outcome_knows_of_which_it_was_made(self):
        """Through any number of changes, and never the other way round."""
        first = outcome_of(**SUCCESS)
        second = first.with_value("a")
        third = attrs.evolve(second.with_error("b"), entered=False)

        assert third.made_of(third)
        assert third.made_of(second)
        assert third.made_of(first)
        assert not first.made_of(second)
        assert not second.made_of(third)
        assert not outcome_of(**SUCCESS).made_of(first)

    def test_the_short_names(self):
        """Name, arguments, value, and whether it is an error."""
        outcome = ToolOutcome(call_of(arguments={"a": 1}), ToolExecutionResult("c1", "x"), entered=False)

        assert (outcome.name, outcome.args, outcome.value, outcome.is_error) == ("t", {"a": 1}, "x", False)


class TestCall:
    async def test_the_tools_own_exception_is_raised(self, tools):
        """The very object."""
        error = KeyError("key")

        def body(_):
            raise error

        tools.register(tool("t", "", {}, body))

        with pytest.raises(KeyError) as caught:
            await tools.call("t", {})
        assert caught.value is error

    async def test_a_reworded_failure_raises_the_new_words(self, ctx, tools):
        """The original exception might tell what was redacted."""

        def body(_):
            raise RuntimeError("token=secret")

        tools.register(tool("t", "", {}, body))
        ctx.on("tools/post-execute", "waterfall")(lambda outcome, next: next(outcome.with_content("Error: token=***")))

        with pytest.raises(ToolFailed) as caught:
            await tools.call("t", {})
        assert (str(caught.value), caught.value.code) == ("token=***", "TOOL_FAILED")
        assert caught.value.__cause__ is None
        assert caught.value.__context__ is None

    async def test_a_reworded_refusal_is_still_a_veto(self, ctx, tools):
        """With its code."""
        tools.register(tool("t", "", {}, print))
        tools.guard(lambda _: "rule 7 says no")
        ctx.on("tools/post-execute", "waterfall")(lambda outcome, next: next(outcome.with_content("no")))

        with pytest.raises(Veto) as caught:
            await tools.call("t", {})
        assert (caught.value.reason, caught.value.code) == ("no", "VETOED")

    async def test_a_withheld_result_raises_a_veto(self, ctx, tools):
        """Its code is that of the withholding."""
        tools.register(tool("t", "", {}, lambda _: "secret"))
        ctx.on("tools/post-execute", "waterfall")(
            lambda outcome, next: next(outcome.with_error("no", name="X", code="Y"))
        )

        with pytest.raises(ToolFailed, match="no") as caught:
            await tools.call("t", {})
        assert caught.value.code == "Y"

    async def test_a_call_has_an_id_and_the_place_that_is_given(self, ctx, tools):
        """Ids count up; within a scope the agent is the scope's."""
        seen = []
        tools.register(tool("t", "", {}, lambda _, call: seen.append((call.call_id, call.agent, call.session))))

        await tools.call("t", {}, session="s")
        await ctx.scope(agent="a").tools.call("t", {})

        assert seen == [("call-1", None, "s"), ("call-2", "a", None)]

    async def test_execute_takes_calls_only(self, tools):
        """Not a name, and not something that looks like one."""

        class Execution(ToolExecution):
            pass

        for call in ("t", {"name": "t"}, Execution("c1", "t", {})):
            with pytest.raises(CallError, match="a call is a ToolExecution"):
                await tools.execute(call)
