"""Rules of the kind `timeout` around a registry: what takes too long is ended, or its result withheld."""

import anyio
import anyio.lowlevel
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kinds.making import problems
from tests.laws.worlds import Clock, facts
from tidegate.engine import Engine
from tidegate.kernel import Context, ToolError, ToolExecution, ToolRegistry, tool
from tidegate.kinds.timeout import KIND

BOTH = pytest.mark.parametrize("anyio_backend", ["asyncio", "trio"])
FUSED = pytest.mark.parametrize("fused", [True, False], ids=["fused", "unfused"])
SHORT = '[[rule]]\nid = "short"\nkind = "timeout"\nseconds = 0.01\n'
SAYS = "because it took longer than 0.01 s; what it did until then is not undone"


class World:
    """A registry with one tool, rules around it, a clock, and the records."""

    def __init__(self, folder, rules, body, *, fused=True):
        self.clock, self.records = Clock(), []
        path = folder / "rules.toml"
        path.write_text(f'version = 1\ndefault = "allow"\n{rules}', encoding="utf-8")
        self.engine = Engine.load(path, facts=facts(self.clock), recorders=[self.records.append])
        self.tools = ToolRegistry(Context())
        self.tools.register(tool("work", "", {}, body))
        self.detach = self.engine.attach(self.tools, fused=fused)

    async def call(self, **place):
        return await self.tools.execute(ToolExecution("c1", "work", {}, **place))

    def late(self):
        """The rules that the last record names, each with whether it only monitors."""
        return [(one.rule, one.monitored) for one in self.records[-1].shaped]


@BOTH
@FUSED
@pytest.mark.anyio
async def test_a_body_that_takes_too_long_is_ended(tmp_path, fused):
    """It hears of it, and the call ends as an error; the next call is none of its business."""
    ends = []

    async def body(_):
        try:
            await anyio.sleep_forever()
        finally:
            ends.append("ended")

    world = World(tmp_path, SHORT, body, fused=fused)
    result = await world.call()

    assert (result.text, result.error) == (
        f"Error: the call was ended, {SAYS}",
        ToolError("ToolFailed", "TOOL_TIMEOUT"),
    )
    assert ends == ["ended"]
    assert (world.records[-1].entered, world.late()) == (True, [("short", False)])


@BOTH
@FUSED
@pytest.mark.anyio
async def test_a_body_that_ends_in_time_is_not_touched(tmp_path, fused):
    """Sync or async."""

    async def body(_):
        await anyio.lowlevel.checkpoint()
        return {"a": 1}

    for one in (body, lambda _: {"a": 1}):
        world = World(tmp_path, SHORT.replace("0.01", "60"), one, fused=fused)
        assert (await world.call()).value == {"a": 1}
        assert world.late() == []


@BOTH
@pytest.mark.anyio
async def test_a_body_that_cannot_be_ended_is_waited_for(tmp_path):
    """A synchronous one, and one that will not be cancelled; what they return too late is withheld."""

    def sync(_):
        world.clock.time += 60
        return "secret"

    async def stubborn(_):
        with anyio.CancelScope(shield=True):
            await anyio.sleep(0.02)
        return sync(_)

    for body in (sync, stubborn):
        world = World(tmp_path, SHORT, body)
        result = await world.call()
        assert result.text == f"Error: the result was withheld, {SAYS}"
        assert (result.value, result.structured) == (None, None)


@pytest.mark.anyio
async def test_a_cancelled_host_is_no_timeout(tmp_path):
    """It gets no result at all."""

    async def body(_):
        await anyio.sleep_forever()

    world = World(tmp_path, SHORT.replace("0.01", "60"), body)
    with anyio.move_on_after(0.01) as scope:
        await world.call()

    assert scope.cancelled_caught
    assert world.late() == []


def test_a_host_without_an_event_loop_has_timeouts(tmp_path):
    """For bodies sync and async."""

    async def body(_):
        await anyio.sleep_forever()

    world = World(tmp_path, SHORT, body)
    assert world.tools.execute_sync(ToolExecution("c1", "work", {})).text == f"Error: the call was ended, {SAYS}"
    world = World(tmp_path, SHORT, lambda _: "quick")
    assert world.tools.execute_sync(ToolExecution("c1", "work", {})).text == "quick"


@pytest.mark.anyio
async def test_a_call_that_is_ended_gives_its_slot_back(tmp_path):
    """And counts as one that failed."""

    async def body(_):
        await anyio.sleep_forever()

    limits = '[[rule]]\nid = "one"\nkind = "concurrency"\nlimit = 1\n'
    world = World(tmp_path, SHORT + limits, body)

    assert ["was ended" in (await world.call()).text for _ in range(3)] == [True] * 3


@pytest.mark.anyio
async def test_the_shortest_time_counts_and_speaks(tmp_path):
    """Whichever rule stands first."""

    async def body(_):
        await anyio.sleep_forever()

    rules = SHORT.replace('"short"', '"long"').replace("0.01", "60") + SHORT + 'message = "try another"\n'

    world = World(tmp_path, rules, body)
    assert (await world.call()).text == "Error: try another"
    assert world.late() == [("short", False)]
    assert (await World(tmp_path, rules.replace("0.01", "59"), lambda _: "x").call()).text == "x"


@pytest.mark.parametrize(("agent", "late"), [("slow", False), ("quick", True), (None, True)])
@pytest.mark.anyio
async def test_a_timeout_has_a_condition(tmp_path, agent, late):
    """Where it is unknown, the time is bounded."""

    async def body(_):
        await anyio.sleep(0.05)
        return "x"

    world = World(tmp_path, SHORT + 'when = { agent = "quick" }\n', body)

    assert (await world.call(agent=agent)).is_error is late


@given(
    st.lists(st.tuples(st.integers(1, 9), st.sampled_from(["enforce", "monitor", "off"])), max_size=4),
    st.integers(0, 10),
    st.booleans(),
)
def test_a_result_is_withheld_if_an_enforced_time_was_over(tmp_path_factory, times, took, fused):
    """And only then; the record names every rule whose time was over."""
    rules = [
        f'[[rule]]\nid = "r{index}"\nkind = "timeout"\nseconds = {seconds}\nmode = "{mode}"\n'
        for index, (seconds, mode) in enumerate(times)
    ]

    def body(_):
        world.clock.time += took
        return "x"

    world = World(tmp_path_factory.mktemp("w"), "".join(rules), body, fused=fused)
    result = world.tools.execute_sync(ToolExecution("c1", "work", {}))

    late = [(f"r{index}", mode) for index, (seconds, mode) in enumerate(times) if took > seconds and mode != "off"]
    assert result.is_error is any(mode == "enforce" for _, mode in late)
    assert world.late() == [(rule, mode == "monitor") for rule, mode in late]


def test_a_decision_knows_nothing_of_time(tmp_path):
    """A hook does not see the body."""
    assert World(tmp_path, SHORT, lambda _: "x").engine.decide("work", {}).effect == "allow"


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), float("inf"), 86_401.0])
def test_no_length_of_time_is_a_finding(seconds):
    """Nor is one that never ends."""
    assert problems(KIND, seconds=seconds) == [("out-of-range", ("seconds",))]


@pytest.mark.anyio
async def test_rules_that_are_loaded_later_bound_the_next_call(tmp_path):
    """And none is left around a registry from which the rules were taken away."""

    async def body(_):
        await anyio.sleep(0.05)
        return "x"

    world = World(tmp_path, "", body)
    assert (await world.call()).text == "x"
    (tmp_path / "rules.toml").write_text(f'version = 1\ndefault = "allow"\n{SHORT}', encoding="utf-8")
    assert world.engine.reload()
    assert (await world.call()).is_error
    world.detach()
    assert (await world.call()).text == "x"
