"""Laws of limits: exactly as many calls enter as the limit says, and a vetoed call costs nothing."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from tests.laws.test_output_rules import registry
from tidegate.kernel import ToolExecution, ToolExecutionResult, ToolRegistry

LIMIT = '[[rule]]\nid = "few"\nkind = "rate-limit"\nlimit = "{}/minute"\n'

Where = st.sampled_from(["enter", "pre-execute", "execute", "guard", "validation"])


def with_vetoes(tools: ToolRegistry):
    """Refuse each call in the place that it asks for."""

    @tools.context.on("tools/pre-execute", "waterfall")
    async def before(execution, call_next):
        return None if execution.arguments["where"] == "pre-execute" else await call_next()

    @tools.context.on("tools/execute", "waterfall")
    async def around(execution, call_next):
        if execution.arguments["where"] == "execute":
            return ToolExecutionResult(execution.call_id, "no", is_error=True)
        return await call_next()

    tools.guard(lambda execution: "no" if execution.arguments["where"] == "guard" else None)
    return tools


class TestVetoedCalls:
    """A vetoed call gives its token back, wherever it was vetoed."""

    @given(st.lists(Where, max_size=12), st.integers(1, 4))
    def test_only_entered_calls_count(self, places, limit):
        """Of calls that are refused here and there, the first that nobody else refuses enter, up to the limit."""
        entered = []
        tools = with_vetoes(registry(LIMIT.format(limit), lambda arguments: entered.append(arguments["number"])))
        for number, where in enumerate(places):
            name = "nobody" if where == "validation" else "t0"
            tools.execute_sync(ToolExecution(str(number), name, {"where": where, "number": number}))

        assert entered == [number for number, where in enumerate(places) if where == "enter"][:limit]


class TestParallelCalls:
    """N parallel callers, limit L: exactly L enter."""

    @given(st.integers(1, 12), st.integers(1, 6), st.lists(st.integers(0, 3), min_size=12, max_size=12))
    def test_exactly_as_many_enter(self, callers, limit, pauses):
        """However the callers' steps fall, min(N, L) bodies are entered."""
        entered = []
        tools = registry(LIMIT.format(limit), lambda arguments: entered.append(arguments["number"]))

        @tools.context.on("tools/pre-execute", "waterfall")
        async def dawdle(execution, call_next):
            for _ in range(pauses[execution.arguments["number"]]):
                await asyncio.sleep(0)
            return await call_next()

        async def all_at_once():
            calls = [ToolExecution(str(number), "t0", {"number": number}) for number in range(callers)]
            return await asyncio.gather(*map(tools.execute, calls))

        results = asyncio.run(all_at_once())

        assert len(entered) == min(callers, limit)
        assert sum(not result.is_error for result in results) == len(entered)
