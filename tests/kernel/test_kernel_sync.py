"""Hosts that cannot wait: `execute_sync` and `call_sync`."""

# ruff: noqa: A002, A006 - listeners have a `next`, whether they use it or not

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from contextvars import ContextVar

import anyio
import anyio.lowlevel
import pytest

from tidegate.errors import UnknownTool, Veto
from tidegate.kernel import ToolExecution, asks_for_loop, need_loop, tool, without_loop

CALL = ToolExecution("c1", "t", {"n": 1})

who = ContextVar("who", default="nobody")


async def sleeps(args):
    """A body that needs an event loop from its first step on."""
    await anyio.lowlevel.checkpoint()
    return f"slept {args['n']} for {who.get()}"


def test_without_anything_to_wait_for_there_is_no_event_loop():
    """Not even the module of one is loaded."""
    code = """
import sys
from tidegate.kernel import Context, ToolExecution, ToolRegistry, define_tool
ctx = Context()
tools = ToolRegistry(ctx)
spec = {"n": {"type": "integer"}}
tools.register(define_tool(name="t", description="", parameters=spec, execute=lambda args: args["n"]))
ctx.on("tools/pre-execute", "waterfall")(lambda call, next: next(call.with_arguments(n=2)))
ctx.on("tools/post-execute", "waterfall")(lambda outcome, next: next(outcome.with_value(outcome.value * 10)))
tools.guard(lambda call: None)
print(tools.execute_sync(ToolExecution("c1", "t", {"n": 1})).text)
print([name for name in ("anyio", "asyncio", "trio", "logging", "concurrent") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split("\n") == ["20", "[]", ""]


def test_an_async_body_gets_an_event_loop(tools):
    """In this thread, with its context variables."""
    tools.register(tool("t", "", {}, sleeps))
    mark = who.set("me")

    try:
        assert tools.execute_sync(CALL).text == "slept 1 for me"
        assert tools.call_sync("t", {"n": 2}) == "slept 2 for me"
    finally:
        who.reset(mark)


def test_every_async_part_gets_the_same_event_loop(ctx, tools):
    """Listeners, wrappers, guards and body, sync ones in between."""
    seen = []

    async def notes(value, next):
        await anyio.lowlevel.checkpoint()
        seen.append(anyio.get_current_task().id)
        return await next()

    async def guard(_):
        await anyio.lowlevel.checkpoint()
        seen.append(anyio.get_current_task().id)

    tools.register(tool("t", "", {}, sleeps))
    for event in ("pre-execute", "execute", "post-execute"):
        ctx.on(f"tools/{event}", "waterfall")(lambda _, next: next())
        ctx.on(f"tools/{event}", "waterfall")(notes)
    tools.guard(guard)

    assert tools.execute_sync(CALL).text == "slept 1 for nobody"
    assert len(seen) == 4
    assert len(set(seen)) == 1


def test_refusals_and_failures_are_as_in_an_event_loop(ctx, tools):
    """Results, or exceptions from the short form."""

    async def fails(_):
        await anyio.lowlevel.checkpoint()
        raise KeyError("key")

    tools.register(tool("t", "", {}, fails))
    with pytest.raises(KeyError):
        tools.call_sync("t", {})
    with pytest.raises(UnknownTool):
        tools.call_sync("nope", {})

    async def denies(_):
        await anyio.lowlevel.checkpoint()
        return "no"

    tools.guard(denies)
    assert tools.execute_sync(CALL).text == "Error: no"
    with pytest.raises(Veto, match="no"):
        tools.call_sync("t", {})


@pytest.mark.anyio
async def test_inside_a_running_loop_the_waiting_is_done_in_another_thread(tools):
    """With the context variables of this one, while it stands still."""
    threads = []

    async def body(args):
        threads.append(threading.current_thread())
        return await sleeps(args)

    tools.register(tool("t", "", {}, body))
    mark = who.set("me")

    assert tools.execute_sync(CALL).text == "slept 1 for me"
    assert threads[0] is not threading.current_thread()
    who.reset(mark)


def test_a_host_may_know_asyncio_alone(tools, monkeypatch):
    """Where neither trio nor sniffio was ever imported, or not even asyncio."""
    for module in ("trio", "sniffio"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    tools.register(tool("t", "", {}, sleeps))

    async def host():
        return tools.execute_sync(CALL).text

    assert tools.execute_sync(CALL).text == asyncio.run(host()) == "slept 1 for nobody"
    monkeypatch.delitem(sys.modules, "asyncio")
    tools.register(tool("sync", "", {}, lambda _: "no loop"))
    assert tools.call_sync("sync", {}) == "no loop"


@pytest.mark.anyio
async def test_inside_a_running_loop_sync_parts_stay_in_their_thread(tools):
    """Nothing has to be waited for, so nothing moves."""
    threads = []
    tools.register(tool("t", "", {}, lambda _: threads.append(threading.current_thread())))

    tools.execute_sync(CALL)

    assert threads == [threading.current_thread()]


def test_a_cancellation_inside_the_loop_reaches_the_listeners(ctx, tools):
    """A wrapper's time limit ends the body as it would anywhere."""

    async def limits(_, next):
        with anyio.move_on_after(0):
            return await next()
        raise Veto("too slow")

    async def waits(_):
        await anyio.sleep_forever()

    tools.register(tool("t", "", {}, waits))
    ctx.on("tools/execute", "waterfall")(limits)

    assert tools.execute_sync(CALL).text == "Error: too slow"


class TestAskingForALoop:
    """An async function that promises to ask runs without an event loop until it does."""

    @pytest.fixture
    def seen(self, ctx, tools):
        """Whether the parts of a call were driven without a loop, before and after asking where they ask."""
        seen = []

        @asks_for_loop
        async def listener(value, next):
            seen.append(without_loop())
            if isinstance(value, ToolExecution) and value.args.get("ask"):
                await need_loop()
                await anyio.lowlevel.checkpoint()
                seen.append(without_loop())
            return await next()

        @asks_for_loop
        async def guard(_):
            seen.append(without_loop())

        @asks_for_loop
        async def body(_):
            seen.append(without_loop())
            return "done"

        for event in ("pre-execute", "execute", "post-execute"):
            ctx.on(f"tools/{event}", "waterfall")(listener)
        tools.guard(guard)
        tools.register(tool("t", "", {}, body))
        return seen

    def test_it_is_driven_without_a_loop(self, tools, seen):
        """All the way, if it never asks; and only as long as it is driven."""
        assert tools.execute_sync(CALL).text == "done"
        assert seen == [True] * 5
        assert not without_loop()

    def test_it_gets_a_loop_when_it_asks(self, tools, seen):
        """And from then on everything runs in it."""
        assert tools.execute_sync(ToolExecution("c1", "t", {"ask": True})).text == "done"
        assert seen == [True, False, False, False, False, False, False]

    @pytest.mark.anyio
    async def test_it_gets_a_loop_of_its_own_inside_another(self, tools, seen):
        """In another thread, as this one stands still."""
        assert tools.execute_sync(ToolExecution("c1", "t", {"ask": True})).text == "done"
        assert seen == [True, False, False, False, False, False, False]

    @pytest.mark.anyio
    async def test_asking_inside_a_loop_is_nothing(self, tools, seen):
        """`execute` never drives anything without a loop."""
        assert (await tools.execute(ToolExecution("c1", "t", {"ask": True}))).text == "done"
        assert not any(seen)

    def test_a_loop_within_a_sync_body_is_another(self, tools, seen):
        """Code that a driven body runs in a loop of its own is not driven."""
        tools.unregister("t")
        tools.register(tool("t", "", {}, lambda _: anyio.run(self._inner, tools)))
        tools.register(tool("inner", "", {}, sleeps))

        assert tools.execute_sync(CALL).text == "slept 1 for nobody"

    async def _inner(self, tools):
        assert not without_loop()
        await need_loop()
        return (await tools.execute(ToolExecution("c2", "inner", {"n": 1, "ask": True}))).text
