"""The way of a call where timing and foreign code make it hard: late wrappers, changing tools, odd guards."""

# ruff: noqa: A002, A006 - listeners have a `next`, whether they use it or not

from __future__ import annotations

import pytest

from tidegate.errors import CalledTwice, Veto
from tidegate.kernel import Denial, ToolExecution, ToolExecutionResult, tool

pytestmark = pytest.mark.anyio


def call_of(arguments=None, **fields):
    return ToolExecution("c1", "t", arguments or {}, **fields)


@pytest.fixture
def entered(tools):
    """What entered the body of the tool `t`."""
    found = []
    tools.register(tool("t", "", {}, lambda args: found.append(args) or "done"))
    return found


class TestToolsThatChange:
    """The tool that runs is the one that was there when the call was admitted."""

    async def test_a_tool_that_was_replaced_meanwhile_does_not_run(self, ctx, tools, entered):
        """It was not what the listeners judged."""

        def replaces(call, next):
            tools.unregister("t")
            tools.register(tool("t", "", {}, lambda _: entered.append("replacement")))
            return next()

        ctx.on("tools/pre-execute", "waterfall")(replaces)

        result = await tools.execute(call_of())

        assert (result.text, entered) == ('Error: tool "t" was changed while its call was judged', [])
        assert result.error.code == "TOOL_CHANGED"

    async def test_nor_does_one_that_was_registered_again(self, ctx, tools):
        """Even the same definition: between the two it was gone."""
        entered = []
        definition = tool("t", "", {}, entered.append)
        dispose = tools.register(definition)

        def blinks(call, next):
            dispose()
            tools.register(definition)
            return next()

        ctx.on("tools/pre-execute", "waterfall")(blinks)

        assert (await tools.execute(call_of())).error.code == "TOOL_CHANGED"
        assert entered == []

    async def test_nor_one_that_appeared_or_went(self, ctx, tools):
        """A tool that listeners judged as unknown stays unknown for that call."""
        late = []
        ctx.on("tools/pre-execute", "waterfall")(
            lambda call, next: late.append(tools.register(tool("t", "", {}, print))) or next()
        )

        appeared = await tools.execute(call_of())
        ctx.on("tools/execute", "waterfall")(lambda call, next: late[0]() or next())
        late[0]()
        ctx.on("tools/pre-execute", "waterfall", prepend=True)(lambda call, next: next())
        went = await tools.execute(call_of())

        assert (appeared.error.code, went.error.code) == ("UNKNOWN_TOOL", "UNKNOWN_TOOL")


class TestGuards:
    @pytest.mark.parametrize(
        ("answer", "text"),
        [
            ("", "denied by policy"),
            ("not this", "not this"),
            (True, "a guard answered with something that is neither a reason nor None"),
            (False, "a guard answered with something that is neither a reason nor None"),
            (Denial("no"), "a guard answered with something that is neither a reason nor None"),
        ],
        ids=repr,
    )
    async def test_a_guard_permits_by_none_only(self, tools, entered, reports, answer, text):
        """Whatever else it answers denies."""
        tools.guard(lambda _: answer)

        assert (await tools.execute(call_of())).text == f"Error: {text}"
        assert entered == []
        reports.clear()

    @pytest.mark.parametrize("error", [Veto("no"), RuntimeError("broke")])
    async def test_a_guard_that_raises_denies(self, tools, entered, reports, error):
        """Only what is no refusal is reported."""

        async def guard(_):
            raise error

        tools.guard(guard)

        assert (await tools.execute(call_of())).text == f"Error: {error}"
        assert (entered, len(reports)) == ([], isinstance(error, RuntimeError))
        reports.clear()

    async def test_the_first_reason_wins(self, tools, entered):
        """Later guards are not asked."""
        tools.guard(lambda _: "first")
        tools.guard(lambda _: pytest.fail("asked"))

        assert (await tools.execute(call_of())).text == "Error: first"

    async def test_a_guard_that_is_added_while_guards_are_asked_is_asked_too(self, tools, entered):
        """For its agent or for everyone, and those asked before are not asked again."""
        asked = []

        def adds(_):
            asked.append("adds")
            if len(asked) == 1:
                tools.guard(lambda _: asked.append("added"))
                tools.guard(lambda _: "too late? no")

        tools.guard(adds)

        assert (await tools.execute(call_of())).text == "Error: too late? no"
        assert (asked, entered) == (["adds", "added"], [])

    async def test_a_scoped_guard_that_is_added_meanwhile_is_asked_too(self, ctx, tools, entered):
        """Where guards of scopes have to be put in order."""
        scoped = ctx.scope(agent="a")
        scoped.tools.guard(lambda call: None if call.args else scoped.tools.guard(lambda _: "added") and None)

        assert (await tools.execute(call_of(agent="a"))).text == "Error: added"
        assert entered == []

    async def test_an_unknown_tool_is_guarded_first(self, tools):
        """So that a refused name cannot be told from a missing one."""
        tools.guard(lambda _: "no")

        assert (await tools.execute(call_of())).text == "Error: no"

    async def test_a_veto_keeps_its_code(self, ctx, tools, entered):
        """Told with the result."""

        def vetoes(_, next):
            raise Veto("over the limit", "LIMIT")

        ctx.on("tools/pre-execute", "waterfall")(vetoes)

        assert (await tools.execute(call_of())).error == ("Veto", "LIMIT")


class TestWrappers:
    async def test_a_wrapper_that_returned_keeps_the_body_from_starting(self, ctx, tools, entered, reports):
        """Also where the call was reached in time and a guard took longer."""
        from anyio import Event, create_task_group

        asked, answer = Event(), Event()

        async def slow_guard(_):
            asked.set()
            await answer.wait()

        async def wait_for(rest):
            await rest

        tools.guard(slow_guard)
        async with create_task_group() as group:

            async def detaches(call, next):
                group.start_soon(wait_for, next())
                await asked.wait()
                return ToolExecutionResult("c1", "early")

            ctx.on("tools/execute", "waterfall")(detaches)

            result = await tools.execute(call_of())
            answer.set()

        assert (result.text, entered) == ("early", [])
        assert [type(error) for error, _ in reports] == [CalledTwice]
        reports.clear()

    async def test_a_judge_that_leaves_its_rest_running_refuses_the_call(self, ctx, tools, entered, reports):
        """Pre-execute has to end before the body starts."""
        from anyio import Event, create_task_group

        reached, may_end = Event(), Event()

        async def slow(_, next):
            call = await next()
            reached.set()
            await may_end.wait()
            return call

        async def wait_for(rest):
            await rest

        async with create_task_group() as group:

            async def detaches(call, next):
                group.start_soon(wait_for, next())
                await reached.wait()
                return call

            ctx.on("tools/pre-execute", "waterfall")(detaches)
            ctx.on("tools/pre-execute", "waterfall")(slow)

            result = await tools.execute(call_of())
            may_end.set()

        assert result.text == "Error: a listener returned while the rest of the chain was still running"
        assert (entered, len(reports)) == ([], 1)
        reports.clear()

    async def test_a_judge_that_cuts_another_off_refuses_the_call(self, ctx, tools, entered, reports):
        """A time limit around `next` does not let a call run whose judgement it ended."""
        from anyio import move_on_after, sleep_forever

        async def limits(call, next):
            with move_on_after(0):
                return await next()
            return call

        async def ponders(_, next):
            await next()
            await sleep_forever()

        ctx.on("tools/pre-execute", "waterfall")(limits)
        ctx.on("tools/pre-execute", "waterfall")(ponders)

        assert (await tools.execute(call_of())).text == "Error: a listener was interrupted"
        assert (entered, len(reports)) == ([], 1)
        reports.clear()

    async def test_a_shaper_that_cuts_another_off_withholds_the_result(self, ctx, tools, reports):
        """Otherwise it would undo a redaction by being impatient."""
        from anyio import move_on_after, sleep_forever

        tools.register(tool("t", "", {}, lambda _: "secret"))

        async def limits(outcome, next):
            with move_on_after(0):
                return await next()
            return outcome

        async def redacts(outcome, next):
            await sleep_forever()

        ctx.on("tools/post-execute", "waterfall")(limits)
        ctx.on("tools/post-execute", "waterfall")(redacts)

        result = await tools.execute(call_of())

        assert (result.is_error, "secret" in result.text, len(reports)) == (True, False, 1)
        reports.clear()

    @pytest.mark.parametrize("answer", [None, "text", {"content": []}, True], ids=repr)
    async def test_a_wrapper_that_returns_nonsense_is_an_error_result(self, ctx, tools, entered, reports, answer):
        """And reported, as somebody has to mend it."""
        ctx.on("tools/execute", "waterfall")(lambda call, next: answer)

        result = await tools.execute(call_of())

        assert result.text == "Error: a listener of `tools/execute` returned something that is no result"
        assert [where for _, where in reports] == ["a listener of `tools/execute`"]
        reports.clear()

    async def test_a_wrapper_may_refuse_by_a_denial(self, ctx, tools, entered):
        """As a judge may."""
        ctx.on("tools/execute", "waterfall")(lambda call, next: Denial("not now"))

        result = await tools.execute(call_of())

        assert (result.text, result.error.code, entered) == ("Error: not now", "VETOED", [])

    @pytest.mark.parametrize("event", ["tools/pre-execute", "tools/execute"])
    async def test_something_that_is_no_call_cannot_be_passed_on(self, ctx, tools, entered, reports, event):
        """Nor the call of a subclass, which could change its mind."""

        class Execution(ToolExecution):
            pass

        for other in (None, {"name": "t"}, Execution("c1", "t", {})):
            undo = ctx.on(event, "waterfall")(lambda call, next, other=other: next(other))

            assert (await tools.execute(call_of())).text == "Error: a listener passed on something that is no call"
            undo()
        assert entered == []
        reports.clear()

    async def test_a_cause_belongs_to_its_own_result(self, ctx, tools):
        """An error result of a wrapper's own is not explained by what the body raised."""

        def body(_):
            raise ValueError("from the body")

        tools.register(tool("t", "", {}, body))

        async def rewords(call, next):
            await next()
            return ToolExecutionResult("c1", "Error: reworded", is_error=True)

        ctx.on("tools/execute", "waterfall")(rewords)

        with pytest.raises(Exception, match=r"^reworded$"):
            await tools.call("t", {})


class TestObservers:
    async def test_the_raw_outcome_is_shown_before_it_is_shaped(self, ctx, tools, entered):
        """Unredacted, as in mini-dsh; `tools/result` has the final one."""
        seen = []
        ctx.on("tools/execute")(lambda outcome: seen.append(("raw", outcome.value, outcome.entered)))
        ctx.on("tools/post-execute", "waterfall")(lambda outcome, next: next(outcome.with_value("***")))
        ctx.on("tools/result")(lambda outcome: seen.append(("final", outcome.value, outcome.entered)))

        await tools.execute(call_of())

        assert seen == [("raw", "done", True), ("final", "***", True)]

    async def test_an_observer_cannot_interrupt_twice(self, ctx, tools, entered):
        """A `KeyboardInterrupt` out of the last observer does not tell the result again."""
        told = []

        def interrupts(outcome):
            told.append(outcome)
            raise KeyboardInterrupt

        ctx.on("tools/result")(interrupts)

        with pytest.raises(KeyboardInterrupt):
            await tools.execute(call_of())
        assert len(told) == 1

    @pytest.mark.parametrize(
        ("event", "code", "entered"),
        [
            ("tools/pre-execute", "ABORTED_BEFORE_DISPATCH", False),
            ("tools/execute", "ABORTED_BEFORE_DISPATCH", False),
            ("tools/post-execute", "ABORTED", True),
        ],
    )
    async def test_an_interrupted_call_is_told_of(self, ctx, tools, event, code, entered):
        """Wherever it was interrupted, with whether the body had been entered."""
        told = []
        tools.register(tool("t", "", {}, lambda _: None))
        ctx.on("tools/result")(told.append)

        def interrupts(_, next):
            raise KeyboardInterrupt

        ctx.on(event, "waterfall")(interrupts)

        with pytest.raises(KeyboardInterrupt):
            await tools.execute(call_of())
        assert [(one.result.error.code, one.entered) for one in told] == [(code, entered)]


class TestShaping:
    @pytest.mark.parametrize("error", [Veto("ask for less", "TOO_MUCH"), Veto(""), ValueError("secret")], ids=repr)
    async def test_a_shaper_that_raises_withholds_the_result(self, ctx, tools, reports, error):
        """A `Veto` chooses its words; others might quote the result, and are reported instead."""
        tools.register(tool("t", "", {}, lambda _: "secret"))

        def raises(_, next):
            raise error

        ctx.on("tools/post-execute", "waterfall")(raises)

        result = await tools.execute(call_of())

        if isinstance(error, Veto):
            assert (result.text, result.error.code) == (f"Error: {error.reason or 'denied by policy'}", error.code)
        else:
            assert result.text == "Error: the result was withheld, as a policy listener failed"
            assert (result.error.code, reports) == ("WITHHELD", [(error, "a listener of `tools/post-execute`")])
            reports.clear()

    @pytest.mark.parametrize("returned", ["nothing", "result", "other call", "entered"])
    async def test_a_shaper_that_returns_something_else_withholds_the_result(self, ctx, tools, reports, returned):
        """Only outcomes that were made of the one it got will do."""
        import attrs

        tools.register(tool("t", "", {}, lambda _: "secret"))

        async def shapes(outcome, next):
            await next()
            return {
                "nothing": None,
                "result": outcome.result,
                "other call": attrs.evolve(outcome, call=call_of()),
                "entered": attrs.evolve(outcome, entered=False),
            }[returned]

        ctx.on("tools/post-execute", "waterfall")(shapes)

        result = await tools.execute(call_of())

        assert (result.is_error, "secret" in repr(result), len(reports)) == (True, False, 1)
        reports.clear()

    async def test_a_failure_cannot_be_evolved_into_a_success(self, ctx, tools, reports):
        """Not with `attrs.evolve` either."""
        import attrs

        tools.register(tool("t", "", {}, lambda _: 1 / 0))

        def forges(outcome, next):
            return next(attrs.evolve(outcome, result=ToolExecutionResult("c1", "fine")))

        ctx.on("tools/post-execute", "waterfall")(forges)

        assert (await tools.execute(call_of())).is_error
        assert [str(error) for error, _ in reports] == ["a listener made a success of a failure"]
        reports.clear()
