"""Many calls at once: refusals, rewrites and interruptions among them."""

# ruff: noqa: A002, A006 - listeners have a `next`

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.errors import Veto
from tidegate.kernel import Context, ToolExecution, ToolRegistry, define_tool

pytestmark = pytest.mark.anyio


def register(tools, log, name="t", safe=True):
    async def body(args):
        from anyio import lowlevel

        log.append(f"+{args['n']}")
        for _ in range(9):
            await lowlevel.checkpoint()
        log.append(f"-{args['n']}")
        return args["n"]

    tools.register(define_tool(name=name, description="", parameters={}, execute=body, concurrency_safe=safe))


def calls_of(*names):
    return [ToolExecution(f"c{n}", name, {"n": n}) for n, name in enumerate(names)]


async def test_refused_calls_take_no_place(ctx, tools):
    """With a limit of two, refused calls in between keep nobody waiting; results stand in call order."""
    log = []
    register(tools, log)

    def denies_odd(call, next):
        if call.args["n"] % 2:
            raise Veto("odd")
        return next()

    ctx.on("tools/pre-execute", "waterfall")(denies_odd)

    results = await tools.execute_many(calls_of(*"tttttt"), 2)

    assert [one.text for one in results] == ["0", "Error: odd", "2", "Error: odd", "4", "Error: odd"]
    assert log[:2] == ["+0", "+2"]


async def test_a_call_that_a_rule_made_exclusive_waits_for_those_before_it(ctx, tools):
    """It is classified again, by its rewritten arguments."""
    log = []
    register(tools, log, safe=lambda args: not args.get("alone"))
    ctx.on("tools/pre-execute", "waterfall")(
        lambda call, next: next(call.with_arguments(alone=True)) if call.args["n"] == 1 else next()
    )

    results = await tools.execute_many(calls_of(*"ttt"))

    assert log == ["+0", "-0", "+1", "-1", "+2", "-2"]
    assert [one.value for one in results] == [0, 1, 2]


async def test_unknown_tools_and_failures_are_results_among_others(tools):
    """Each in its place."""
    log = []
    register(tools, log)
    tools.register(
        define_tool(name="fails", description="", parameters={}, execute=lambda _: 1 / 0, concurrency_safe=True)
    )

    results = await tools.execute_many(calls_of("t", "nope", "fails", "t"))

    assert [one.text for one in results] == ["0", 'Error: unknown tool "nope"', "Error: division by zero", "3"]


async def test_no_calls_have_no_results(tools):
    """And need nothing."""
    assert await tools.execute_many([]) == []


async def test_a_cancelled_batch_tells_of_every_call_that_began(ctx, tools):
    """Those that had entered their bodies, and those that had not; those that had not begun were no calls."""
    from anyio import CancelScope, sleep_forever

    told = []
    ctx.on("tools/result")(lambda outcome: told.append((outcome.call.call_id, outcome.result.error.code)))
    with CancelScope() as scope:

        async def body(args):
            if args["n"] == 1:
                scope.cancel()
            await sleep_forever()

        tools.register(define_tool(name="t", description="", parameters={}, execute=body, concurrency_safe=True))
        register(tools, [], "exclusive", safe=False)
        await tools.execute_many(calls_of("t", "t", "exclusive", "t"))

    assert scope.cancelled_caught
    assert sorted(told) == [("c0", "ABORTED"), ("c1", "ABORTED"), ("c2", "ABORTED_BEFORE_DISPATCH")]


@given(st.lists(st.sampled_from("sX"), max_size=8), st.integers(1, 4), st.sets(st.integers(0, 7)))
def test_any_batch_gives_what_one_call_after_the_other_gives(names, limit, denied):
    """The same results in the same order, whatever may overlap and whatever is refused."""
    import anyio

    def scene():
        ctx = Context()
        tools = ToolRegistry(ctx)
        log = []
        register(tools, log, "s")
        register(tools, log, "X", safe=False)
        rules = []

        def judges(call, next):
            rules.append(("pre", call.args["n"]))
            if call.args["n"] in denied:
                raise Veto("denied")
            return next()

        ctx.on("tools/pre-execute", "waterfall")(judges)
        ctx.on("tools/post-execute", "waterfall")(
            lambda outcome, next: rules.append(("post", outcome.args["n"])) or next()
        )
        return tools, log, rules

    async def both():
        tools, log, rules = scene()
        serial = [await tools.execute(call) for call in calls_of(*names)]
        others, overlapping, judged = scene()
        return serial, await others.execute_many(calls_of(*names), limit), log, overlapping, rules, judged

    serial, batched, log, overlapping, rules, judged = anyio.run(both)

    assert batched == serial
    assert sorted(overlapping) == sorted(log)
    for phase in ("pre", "post"):
        assert [n for one, n in judged if one == phase] == [n for one, n in rules if one == phase]
    for place, entry in enumerate(overlapping):
        if entry[0] == "+" and names[int(entry[1:])] == "X":
            assert overlapping[place + 1] == f"-{entry[1:]}"
        open_now = sum(1 if one[0] == "+" else -1 for one in overlapping[: place + 1])
        assert open_now <= limit
