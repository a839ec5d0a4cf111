"""Laws of limits: exactly as many calls enter as the limit says, and a vetoed call costs nothing."""

import asyncio
import signal
import subprocess
import sys
from contextlib import closing
from threading import Event

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.servers import emptied, free_port
from tests.laws.test_output_rules import registry
from tests.laws.worlds import Clock, facts
from tidegate.compile.compiler import compile_plan
from tidegate.engine import Engine, Sources
from tidegate.facts.clock import uptime
from tidegate.facts.counters import MemoryCounters
from tidegate.facts.redis_counters import RedisCounters
from tidegate.facts.sqlite_counters import SqliteCounters
from tidegate.kernel import Context, ToolExecution, ToolExecutionResult, ToolRegistry, tool
from tidegate.kind import Claim
from tidegate.lang.layers import loads

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


def engine_of(rules, counters=None, clock=None):
    """An engine over these rules, with one store of counters."""
    store = MemoryCounters() if counters is None else counters
    outcome = compile_plan(loads(f'version = 1\ndefault = "allow"\n{rules}', "/rules.toml"), now=0.0)
    assert outcome.plan is not None, "\n".join(map(str, outcome.findings))
    return Engine(outcome, Sources(), attrs.evolve(facts(clock or Clock()), counters=lambda _: store))


def tools_of(engine, body, *, fused=True, approver=None):
    """A registry with the tool `t` under the engine's rules."""
    tools = ToolRegistry(Context())
    tools.register(tool("t", "does", {"type": "object"}, body))
    engine.attach(tools, fused=fused, approver=approver)
    return tools


@pytest.fixture(params=["memory", "sqlite", "redis"])
def counters(request, tmp_path):
    """Each store in turn."""
    if request.param == "memory":
        made = MemoryCounters()
    elif request.param == "sqlite":
        made = SqliteCounters(tmp_path / "limits.db", uptime)
    else:
        made = RedisCounters(emptied(request.getfixturevalue("redis_server")))
    with closing(made):
        yield made


SLOTS = '[[rule]]\nid = "few"\nkind = "concurrency"\nlimit = {}\n'
ends = st.lists(st.tuples(st.sampled_from(["returns", "raises", "is cancelled"]), st.integers(0, 3)), max_size=8)


class TestSlots:
    """At most N calls run at once, and a slot is free the moment its call ends, however it ends."""

    @given(ends, st.integers(1, 3), st.booleans())
    def test_never_more_than_the_limit_run_and_every_slot_comes_back(self, calls, limit, fused):
        """Calls that return, raise and are cancelled, in waves; at the end as many as the limit find a slot."""
        running, most = 0, 0

        async def body(arguments):
            nonlocal running, most
            running += 1
            most = max(most, running)
            try:
                for _ in range(arguments["steps"]):
                    await asyncio.sleep(0)
                if arguments["end"] == "raises":
                    raise RuntimeError("failed")
                if arguments["end"] == "is cancelled":
                    asyncio.current_task().cancel()
                    await asyncio.sleep(0)
                return "done"
            finally:
                running -= 1

        tools = tools_of(engine_of(SLOTS.format(limit)), body, fused=fused)

        async def all_at_once(calls):
            tasks = [
                asyncio.create_task(tools.execute(ToolExecution(str(number), "t", {"end": end, "steps": steps})))
                for number, (end, steps) in enumerate(calls)
            ]
            return await asyncio.gather(*tasks, return_exceptions=True)

        asyncio.run(all_at_once(calls))
        overlapped = most
        after = asyncio.run(all_at_once([("returns", 2)] * (limit + 1)))

        assert overlapped <= limit
        assert [result.is_error for result in after] == [False] * limit + [True]

    @pytest.mark.parametrize("end", ["returns", "raises"])
    def test_slot_comes_back_in_every_store(self, counters, end):
        """One call after the other, of which each finds the one slot."""

        def body(_arguments):
            if end == "raises":
                raise RuntimeError("failed")
            return "done"

        tools = tools_of(engine_of(SLOTS.format(1), counters), body)
        told = [tools.execute_sync(ToolExecution(str(number), "t", {})).text for number in range(3)]

        assert told == ["done" if end == "returns" else "Error: failed"] * 3

    def test_call_inside_a_call_finds_no_slot(self, counters):
        told = []

        def body(arguments):
            if not arguments:
                told.append(tools.execute_sync(ToolExecution("2", "t", {"inner": True})).text)
            return "done"

        tools = tools_of(engine_of(SLOTS.format(1), counters), body)
        outer = tools.execute_sync(ToolExecution("1", "t", {})).text

        assert outer == "done"
        assert told == ["Error: 1 call may run at once; try again when one has ended"]

    def test_vetoed_call_holds_no_slot(self):
        """Also where another guard refuses after the slot was reserved."""
        tools = with_vetoes(tools_of(engine_of(SLOTS.format(1)), lambda _: "done"))
        for number, where in enumerate(["pre-execute", "execute", "guard", "pre-execute", "execute", "guard"]):
            tools.execute_sync(ToolExecution(str(number), "t", {"where": where}))

        assert tools.execute_sync(ToolExecution("9", "t", {"where": "enter"})).text == "done"

    def test_slot_of_a_call_whose_end_nobody_sees_is_held_for_the_lease(self):
        """`decide` is for those who do not see the body."""
        clock = Clock()
        engine = engine_of(SLOTS.format(1) + 'lease = "30s"\n', clock=clock)
        said = []
        for clock.time in (0.0, 29.0, 30.0):
            said.append(engine.decide("t", {}).effect)

        assert said == ["allow", "deny", "allow"]

    def test_running_call_keeps_its_slot_beyond_the_lease(self):
        """The heartbeat renews it while the body runs, by the clock of the engine."""
        clock, renewed, told = Clock(), Event(), []

        class Watched(MemoryCounters):
            blocking = True

            def renew(self, lease, now):
                super().renew(lease, now)
                if now >= 0.9:
                    renewed.set()

        def body(_arguments):
            clock.time = 0.9
            assert renewed.wait(20)
            clock.time = 1.8
            told.append(tools.execute_sync(ToolExecution("2", "t", {})).text)
            return "done"

        tools = tools_of(engine_of(SLOTS.format(1) + 'lease = "1s"\n', Watched(), clock), body)
        outer = tools.execute_sync(ToolExecution("1", "t", {})).text

        assert outer == "done"
        assert told == ["Error: 1 call may run at once; try again when one has ended"]

    def test_running_call_keeps_its_slot_in_memory_without_a_heartbeat(self):
        """What dies with the process needs no sign of life from it."""
        clock, told = Clock(), []

        def body(_arguments):
            clock.time += 1_000_000.0
            told.append(tools.execute_sync(ToolExecution("2", "t", {})).is_error)
            return "done"

        tools = tools_of(engine_of(SLOTS.format(1) + 'lease = "1s"\n', clock=clock), body)
        ended = [tools.execute_sync(ToolExecution(str(number), "t", {})).text for number in range(2)]

        assert ended == ["done"] * 2
        assert told == [True] * 2

    @pytest.mark.parametrize("shared", ["sqlite", "redis"])
    def test_slot_of_a_process_that_was_killed_comes_back(self, shared, request, tmp_path):
        """When its lease has ended, and not before."""
        later = 0.0
        tmp_path.chmod(0o700)
        path = tmp_path / "limits.db"
        if shared == "sqlite":
            name, store = f"sqlite:{path}", SqliteCounters(path, lambda: uptime() + later)
        else:
            name = emptied(request.getfixturevalue("redis_server"))
            store = RedisCounters(name, lambda: uptime() + later)
        child = subprocess.Popen(
            [sys.executable, "-c", HOLDING, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert child.stdout.readline() == "held\n"
        child.send_signal(signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)
        child.communicate()
        claim = [Claim("k", 1, 600.0, settles="slot")]
        with closing(store):
            before = store.test(claim, uptime())
            later = 601.0
            after = store.test(claim, uptime() + later)

        assert before is not None
        assert after is None


HOLDING = """
import sys
from pathlib import Path
from tidegate.facts.clock import uptime
from tidegate.facts.heartbeat import Heartbeat
from tidegate.facts.redis_counters import RedisCounters
from tidegate.facts.stores import counters_for
from tidegate.kind import Claim
name = sys.argv[1]
store = RedisCounters(name, uptime) if name.startswith("redis") else counters_for(name, Path, {})
lease = store.reserve([Claim("k", 1, 600.0, settles="slot")], uptime(), 60.0)
store.commit(lease, uptime())
Heartbeat(store, lease, uptime)
print("held", flush=True)
sys.stdin.readline()
"""

BYTES = '[[rule]]\nid = "few"\nkind = "quota"\nof = "result-bytes"\nlimit = 100\nreserve = 20\n'


class TestResultBytes:
    """A call runs exactly if its reservation still fits into what results before it have left."""

    @given(st.lists(st.integers(0, 60), max_size=12))
    def test_calls_run_while_their_reservation_fits(self, sizes):
        """The true length counts, whether it is shorter than the reservation or longer."""
        tools = tools_of(engine_of(BYTES), lambda arguments: "x" * arguments["size"])
        ran = [not tools.execute_sync(ToolExecution("1", "t", {"size": size})).is_error for size in sizes]
        used, expected = 0, []
        for size in sizes:
            expected.append(used + 20 <= 100)
            used += size if expected[-1] else 0

        assert ran == expected

    def test_what_goes_out_counts_and_not_what_was_cut(self, counters):
        cut = '[[rule]]\nid = "cut"\nkind = "truncate"\nmax_bytes = 10\nmarker = "…"\n'
        tools = tools_of(engine_of(BYTES + cut, counters), lambda _: "x" * 1_000)
        ran = [not tools.execute_sync(ToolExecution(str(n), "t", {})).is_error for n in range(11)]

        assert ran == [True] * 9 + [False] * 2

    def test_calls_whose_end_nobody_sees_count_as_reserved(self):
        engine = engine_of(BYTES)

        assert [engine.decide("t", {}).effect for _ in range(6)] == ["allow"] * 5 + ["deny"]


ROW = '[[rule]]\nid = "row"\nkind = "repeat"\nfailures = "3/hour"\n'


class TestRows:
    """After N failures in a row a tool stops, and a success begins anew."""

    @given(st.lists(st.booleans(), max_size=12))
    def test_tool_stops_after_failures_in_a_row(self, fails):
        """Once stopped, nothing runs any more that could succeed."""
        tools = tools_of(engine_of(ROW), lambda arguments: 1 / (not arguments["fails"]))
        ran = [
            "in a row" not in tools.execute_sync(ToolExecution("1", "t", {"fails": one, "n": number})).text
            for number, one in enumerate(fails)
        ]
        row, expected = 0, []
        for one in fails:
            expected.append(row < 3)
            row = row if row == 3 else row + 1 if one else 0

        assert ran == expected

    def test_row_is_one_in_every_store(self, counters):
        tools = tools_of(engine_of(ROW, counters), lambda arguments: 1 / (not arguments["fails"]))
        told = [
            tools.execute_sync(ToolExecution(str(n), "t", {"fails": fails})).text[:15]
            for n, fails in enumerate([True, True, False, True, True, True, False])
        ]

        assert told[-1] == "Error: this too"
        assert told[:-1] == ["Error: division"] * 2 + ["1.0"] + ["Error: division"] * 3

    def test_calls_side_by_side_are_not_held_against_each_other(self):
        """Five calls at once, of which none has failed yet, all run."""

        async def body(_arguments):
            await asyncio.sleep(0)
            raise RuntimeError("failed")

        tools = tools_of(engine_of(ROW), body)

        async def all_at_once():
            return await asyncio.gather(*(tools.execute(ToolExecution(str(n), "t", {"n": n})) for n in range(5)))

        assert {result.text for result in asyncio.run(all_at_once())} == {"Error: failed"}

    @pytest.mark.parametrize("fused", [True, False])
    def test_person_who_allows_a_call_lets_it_end_the_row(self, fused):
        """It runs and counts like any other; whoever is not asked again is asked no more."""
        asked = []
        engine = engine_of(ROW + 'then = "ask"\n')
        tools = tools_of(
            engine,
            lambda arguments: 1 / (not arguments["fails"]),
            fused=fused,
            approver=lambda question: asked.append(1) or "allow",
        )
        for fails in (True, True, True, True, False, True, True, True):
            tools.execute_sync(ToolExecution("1", "t", {"fails": fails}))

        assert len(asked) == 2

    def test_same_call_is_asked_about_and_counts_when_it_was_allowed(self):
        clock = Clock()
        engine = engine_of('[[rule]]\nid = "s"\nkind = "repeat"\nsame = "2/10s"\nthen = "ask"\n', clock=clock)
        asked = []
        tools = tools_of(engine, lambda _: "done", approver=lambda question: asked.append(clock.time) or "allow")
        for clock.time in (0.0, 0.0, 9.0, 10.0, 19.0, 20.0):
            assert tools.execute_sync(ToolExecution("1", "t", {})).text == "done"

        assert asked == [9.0]

    def test_nobody_to_ask_is_a_refusal(self):
        engine = engine_of('[[rule]]\nid = "s"\nkind = "repeat"\nsame = "1/10s"\nthen = "ask"\n')
        said = [engine.decide("t", {}, interactive=interactive).effect for interactive in (True, True, False)]

        assert said == ["allow", "ask", "deny"]


FIELDS = {
    "rate-limit": 'limit = "5/minute"',
    "bucket": 'limit = "5/minute"\nburst = 2',
    "quota": "limit = 5",
    "bytes": 'of = "result-bytes"\nlimit = 50\nreserve = 5',
    "concurrency": "limit = 5",
    "repeat": 'same = "5/minute"\nfailures = "5/minute"',
}
KINDS = {"bucket": "rate-limit", "bytes": "quota"}


class TestStoreThatIsDown:
    """A store that cannot be used answers by the rule's `on_error`, which is deny."""

    @pytest.mark.parametrize("fields", FIELDS)
    @pytest.mark.parametrize(
        ("on_error", "expected"), [(None, "deny"), ("deny", "deny"), ("ask", "ask"), ("allow", "allow")]
    )
    def test_rule_answers_by_on_error(self, fields, on_error, expected):
        rule = f'[[rule]]\nid = "r"\nkind = "{KINDS.get(fields, fields)}"\nstore = "redis"\n{FIELDS[fields]}\n'
        rule += f'on_error = "{on_error}"\n' if on_error else ""
        engine = engine_of(rule, RedisCounters(f"redis://127.0.0.1:{free_port()}/0"))

        assert engine.decide("t", {}).effect == expected

    @pytest.mark.parametrize("fields", ["bytes", "concurrency", "repeat"])
    def test_store_that_goes_down_while_a_call_runs_changes_nothing_for_it(self, fields, caplog):
        """The result goes out, and the log says that the limit was not told."""

        class Failing(MemoryCounters):
            def settle(self, lease, costs, now):
                raise OSError("down")

        rule = f'[[rule]]\nid = "r"\nkind = "{KINDS.get(fields, fields)}"\n{FIELDS[fields]}\n'
        tools = tools_of(engine_of(rule, Failing()), lambda _: "done")

        assert tools.execute_sync(ToolExecution("1", "t", {})).text == "done"
        assert "could not be told" in caplog.text

    def test_store_that_goes_down_right_before_the_body_holds_nothing_elsewhere(self):
        """The call is refused, and the slot that it had taken in another store is free."""

        class Failing(MemoryCounters):
            def commit(self, lease, now):
                raise OSError("down")

        for first, second in (("memory", "sqlite"), ("sqlite", "memory")):
            rules = "".join(
                f'[[rule]]\nid = "{name}"\nkind = "concurrency"\nlimit = 1\nstore = "{name}"\n'
                for name in (first, second)
            )
            stores = {"sqlite": Failing(), "memory": MemoryCounters()}
            engine = engine_of(rules)
            engine._facts = attrs.evolve(engine.facts, counters=stores.__getitem__)
            tools = tools_of(engine, lambda _: "done")

            assert tools.execute_sync(ToolExecution("1", "t", {})).is_error
            assert [store._entries for store in stores.values()] == [0, 0]


class TestMonitoredLimits:
    """A monitored limit counts for itself and refuses nothing."""

    @pytest.mark.parametrize("fields", FIELDS)
    def test_nothing_is_refused(self, fields):
        rule = f'[[rule]]\nid = "r"\nmode = "monitor"\nkind = "{KINDS.get(fields, fields)}"\n{FIELDS[fields]}\n'
        tools = tools_of(engine_of(rule), lambda _: "done")

        assert {tools.execute_sync(ToolExecution(str(n), "t", {})).text for n in range(12)} == {"done"}
