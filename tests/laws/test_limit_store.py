"""The laws of limits, for every store.

N parallel callers, limit L: exactly L enter. A vetoed call gives its token back. In no window do more units pass
than the limit, whatever the schedule.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from tests.laws.limit_worker import PROCESSES
from tests.laws.servers import emptied
from tests.laws.worlds import Clock
from tests.model.windows import Windows
from tidegate.facts.clock import uptime
from tidegate.facts.counters import FINE, Counters, Lease, MemoryCounters, Refused
from tidegate.facts.redis_counters import RedisCounters
from tidegate.facts.sqlite_counters import SqliteCounters
from tidegate.facts.timeline import SLACK
from tidegate.kind import Claim

WORKER = Path(__file__).with_name("limit_worker.py")
FEW = max(15, settings.default.max_examples // 10)  # for properties that make files

KEYS = {
    "a": Claim("a", 3, 8.0),
    "b": Claim("b", 5, 8.0),
    "c": Claim("c", 4, 2.5),
    "steps": Claim("steps", 5, 8.0, grain=2.0),
    "tokens": Claim("tokens", 4, 3.0, refill=7),
    "drops": Claim("drops", 3, 8.0, refill=1),
    "slot": Claim("slot", 2, 5.0, settles="slot"),
    "bytes": Claim("bytes", 6, 8.0, settles="result"),
    "guess": Claim("guess", 6, 8.0, refill=2, settles="result"),
    "streak": Claim("streak", 2, 8.0, settles="streak"),
}
"""A claim under each key: one limit is met often, and one window is shorter than most leases."""

FAMILIES = {
    "windows": ["a", "c", "steps"],
    "more windows": ["a", "b", "streak"],
    "tokens": ["tokens", "drops", "a"],
    "ends": ["slot", "bytes", "guess"],
    "rows": ["streak", "guess", "slot"],
}
"""Keys that meet in one run: few enough that each is full now and then."""

moments = st.integers(0, 24).map(lambda quarters: quarters / 4)
wishes = st.lists(st.tuples(st.integers(0, 2), st.sampled_from([1, 1, 1, 2, 2, 9])), min_size=1, max_size=3)
visits = st.lists(st.tuples(moments, st.integers(0, 2), st.sampled_from([1, 1, 1, 2, 2, 9])), min_size=1, max_size=5)
came_to = st.lists(st.sampled_from([0, 1, 3, None]), min_size=3, max_size=3)


class AgreesWithTheModel(RuleBasedStateMachine):
    """Any store answers like a plain list of units, and never lets more through than the limit."""

    leases: Bundle[tuple[Lease, int]] = Bundle("leases")
    running: Bundle[tuple[Lease, int]] = Bundle("running")
    family = FAMILIES["windows"]

    def claims(self, wanted: list[tuple[int, int]]) -> list[Claim]:
        """Wishes as claims under the keys of the family."""
        return [attrs.evolve(KEYS[self.family[key]], cost=cost) for key, cost in wanted]

    def open(self) -> Counters:
        """The store under test."""
        return MemoryCounters()

    @initialize()
    def start(self) -> None:
        self.now = 1_000.0
        self.store = self.open()
        self.model = Windows()
        self.passed: list[tuple[float, Claim]] = []

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()

    @rule(seconds=moments)
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @rule(target=running, visits=visits)
    def enter(self, visits: list[tuple[float, int, int]]) -> Any:
        """One call after the other, each of which enters if there is room."""
        entered = []
        for seconds, key, cost in visits:
            self.now += seconds
            lease = self.taken([(key, cost)], 30.0)
            if lease is not None and self.committed(lease):
                entered.append(lease)
            self.everything_is_used_up_alike()
        return multiple(*entered)

    @rule(target=leases, wanted=wishes, ttl=st.sampled_from([1.0, 4.0, 30.0]))
    def reserve(self, wanted: list[tuple[int, int]], ttl: float) -> Any:
        lease = self.taken(wanted, ttl)
        return multiple() if lease is None else lease

    @rule(target=running, lease=leases)
    def commit(self, lease: tuple[Lease, int]) -> Any:
        return lease if self.committed(lease) else multiple()

    def taken(self, wanted: list[tuple[int, int]], ttl: float) -> tuple[Lease, int] | None:
        """The lease of the store and of the model, `None` where both refuse alike."""
        claims = self.claims(wanted)
        said = self.store.reserve(claims, self.now, ttl)

        assert told(said) == self.model.refused(claims, self.now)
        return None if isinstance(said, Refused) else (said, self.model.reserve(claims, self.now, ttl))

    def committed(self, lease: tuple[Lease, int]) -> bool:
        """Whether the call of the lease enters, by the store and by the model."""
        entered = self.store.commit(lease[0], self.now)

        assert entered == self.model.commit(lease[1], self.now)
        if entered:
            self.passed += [(self.now, claim) for claim in lease[0].claims]
        return entered

    @rule(lease=consumes(leases))
    def give_back(self, lease: tuple[Lease, int]) -> None:
        self.store.give_back(lease[0])
        self.model.give_back(lease[1])

    @rule(lease=running)
    def renew(self, lease: tuple[Lease, int]) -> None:
        self.store.renew(lease[0], self.now)
        self.model.renew(lease[1], self.now)

    @rule(lease=consumes(running), costs=came_to)
    def settle(self, lease: tuple[Lease, int], costs: list[int | None]) -> None:
        costs = costs[: len(lease[0].claims)]
        self.store.settle(lease[0], costs, self.now)
        self.model.settle(lease[1], costs, self.now)

    @invariant()
    def everything_is_used_up_alike(self) -> None:
        """When all of a limit would be free again tells what is in use, and until when."""
        for name in self.family:
            whole = attrs.evolve(KEYS[name], cost=KEYS[name].limit)
            assert told(self.store.test([whole], self.now)) == self.model.refused([whole], self.now)

    @invariant()
    def no_window_is_overfull(self) -> None:
        for limit in (KEYS[name] for name in self.family):
            passed = [(at, claim.cost) for at, claim in self.passed if claim.key == limit.key]
            if limit.settles == "entry" and limit.refill:
                assert within_burst(passed, limit.limit, limit.refill / limit.window)
            elif limit.settles == "entry":
                assert within_limit(passed, limit.limit, limit.window)


class SqliteAgreesWithTheModel(AgreesWithTheModel):
    """The same for the store in a file."""

    def open(self) -> Counters:
        self.folder = tempfile.TemporaryDirectory()
        return SqliteCounters(Path(self.folder.name) / "limits.db", lambda: self.now)

    def teardown(self) -> None:
        super().teardown()
        if hasattr(self, "folder"):
            self.folder.cleanup()


class RedisAgreesWithTheModel(AgreesWithTheModel):
    """The same for the store on a server, by a clock of the test's."""

    url = ""

    def open(self) -> Counters:
        return RedisCounters(emptied(self.url), lambda: self.now)


@pytest.mark.parametrize("family", FAMILIES)
class TestAgreement:
    """Every store answers like the model."""

    def run(self, machine, family, monkeypatch, examples):
        monkeypatch.setattr(machine, "family", FAMILIES[family])
        run_state_machine_as_test(machine, settings=settings(max_examples=examples, stateful_step_count=30))

    def test_memory_agrees(self, family, monkeypatch):
        self.run(AgreesWithTheModel, family, monkeypatch, 4 * FEW)

    def test_sqlite_agrees(self, family, monkeypatch):
        self.run(SqliteAgreesWithTheModel, family, monkeypatch, FEW)

    def test_server_agrees(self, family, server, monkeypatch):
        """Redis and Valkey."""
        monkeypatch.setattr(RedisAgreesWithTheModel, "url", server)
        self.run(RedisAgreesWithTheModel, family, monkeypatch, FEW)


def told(said: Lease | Refused | None) -> tuple[int, float] | None:
    """A refusal in the model's terms."""
    return (said.place, said.retry_after) if isinstance(said, Refused) else None


def within_limit(passed: list[tuple[float, int]], limit: int, window: float) -> bool:
    """Whether in no window, a moment and the seconds before it, more units passed than the limit."""
    return all(sum(cost for at, cost in passed if end - window < at <= end) <= limit for end, _ in passed)


def within_burst(passed: list[tuple[float, int]], burst: int, rate: float) -> bool:
    """Whether between no two moments more passed than a full bucket and what flowed in meanwhile."""
    return all(
        sum(cost for at, cost in passed if start <= at <= end) <= burst + rate * (end - start) + 1e-6
        for start, _ in passed
        for end, _ in passed
        if start <= end
    )


@pytest.fixture(params=["memory", "sqlite", "redis"])
def store(request, tmp_path):
    """Each store in turn."""
    if request.param == "memory":
        made = MemoryCounters()
    elif request.param == "sqlite":
        made = SqliteCounters(tmp_path / "limits.db", uptime)
    else:
        made = RedisCounters(emptied(request.getfixturevalue("redis_server")))
    yield made
    made.close()


@pytest.fixture(params=["sqlite", "redis"])
def shared(request, tmp_path):
    """The name of each store that processes can share."""
    tmp_path.chmod(0o700)
    if request.param == "sqlite":
        return f"sqlite:{tmp_path / 'limits.db'}"
    return emptied(request.getfixturevalue("redis_server"))


class TestExactlySoManyEnter:
    """N parallel callers, limit L: exactly L enter, for every store; a vetoed call gives its token back."""

    @pytest.fixture(autouse=True)
    def _eager_threads(self):
        """Threads take turns as often as they can, so that a race is met and not missed."""
        before = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        yield
        sys.setswitchinterval(before)

    def test_threads_share_limits(self, store):
        """Of eight threads that each try every limit of one once, one enters under each."""
        limits = 20 if store.blocking else 2_000

        def enter_each(_: int) -> int:
            wanted = ([Claim(f"k{number}", 1, 60.0), Claim("all", 8 * limits, 60.0)] for number in range(limits))
            leases = (store.reserve(claims, 1_000.0, 30.0) for claims in wanted)
            return sum(isinstance(lease, Lease) and store.commit(lease, 1_000.0) for lease in leases)

        with ThreadPoolExecutor(8) as threads:
            entered = sum(threads.map(enter_each, range(8)))

        assert entered == limits

    def test_vetoed_calls_of_threads_take_nothing(self, store):
        """After any number of vetoed calls at once, all of the limit is still there."""
        wanted = [Claim("shared", 8, 60.0)]

        def veto(_: int) -> bool:
            lease = store.reserve(wanted, 1_000.0, 30.0)
            if isinstance(lease, Lease):
                store.give_back(lease)
            return isinstance(lease, Lease)

        with ThreadPoolExecutor(8) as threads:
            vetoed = sum(threads.map(veto, range(40)))
        leases = [store.reserve(wanted, 1_000.0, 30.0) for _ in range(9)]

        assert vetoed >= 8
        assert [isinstance(lease, Lease) for lease in leases] == [True] * 8 + [False]

    def test_processes_share_a_limit(self, shared):
        """Of six processes with two threads each, as many calls enter as the limit says, after as many vetoed ones."""
        limit, calls = 100, 40
        command = [sys.executable, str(WORKER), shared, str(limit), str(calls)]
        workers = [
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            for _ in range(PROCESSES)
        ]
        for _ in range(2):
            assert [worker.stdout.readline() for worker in workers] == ["ready\n"] * PROCESSES
            for worker in workers:
                worker.stdin.write("go\n")
                worker.stdin.flush()
        entered = [int(worker.communicate(timeout=60)[0]) for worker in workers]

        assert [worker.returncode for worker in workers] == [0] * PROCESSES
        assert sum(entered) == limit


@pytest.fixture(params=["memory", "sqlite", "redis"])
def clocked(request, tmp_path):
    """Each store in turn, and the clock that it goes by."""
    clock = Clock(1_000.0)
    if request.param == "memory":
        made = MemoryCounters()
    elif request.param == "sqlite":
        made = SqliteCounters(tmp_path / "limits.db", clock.steady)
    else:
        made = RedisCounters(emptied(request.getfixturevalue("redis_server")), clock.steady)
    yield made, clock
    made.close()


class TestSlots:
    """A slot is held until it is settled or its lease ends, and is renewed only while it is held."""

    claims = (Claim("k", 1, 10.0, settles="slot"),)

    def held(self, store, clock):
        lease = store.reserve(self.claims, clock.time, 30.0)
        assert store.commit(lease, clock.time)
        return lease

    def test_slot_that_is_renewed_is_held_on(self, clocked):
        store, clock = clocked
        lease = self.held(store, clock)
        clock.time += 9.0
        store.renew(lease, clock.time)
        clock.time += 9.0

        assert store.test(self.claims, clock.time).retry_after == 1.0

    def test_slot_that_was_given_away_stays_away(self, clocked):
        """A process that slept for longer than the lease does not take it from whoever has it now."""
        store, clock = clocked
        lease = self.held(store, clock)
        clock.time += 10.0
        store.renew(lease, clock.time)

        assert store.test(self.claims, clock.time) is None

    def test_slot_of_another_is_not_freed(self, clocked):
        store, clock = clocked
        late = self.held(store, clock)
        clock.time += 10.0
        self.held(store, clock)
        store.settle(late, [0], clock.time)
        store.give_back(late)

        assert store.test(self.claims, clock.time) is not None

    def test_lease_is_committed_once(self, clocked):
        store, clock = clocked
        lease = self.held(store, clock)

        assert not store.commit(lease, clock.time)
        assert store.test(self.claims, clock.time) is not None


schedules = st.lists(st.tuples(st.integers(0, 40), st.sampled_from([0, 0, 0, 1, 12, 100, 5_000])), max_size=40)
"""What happens between two calls: seconds that pass, and seconds by which the clock is set back."""


class TestClocksThatStep:
    """Windows survive steps of the clock: time set back neither gives units away nor keeps them for ever."""

    limit, window = 3, 60.0

    def enters(self, store: Counters, reading: float) -> bool:
        """Whether one call enters."""
        lease = store.reserve([Claim("k", self.limit, self.window)], reading, 30.0)
        return isinstance(lease, Lease) and store.commit(lease, reading)

    @given(schedule=schedules)
    def test_no_window_is_overfull_when_the_clock_is_set_back(self, schedule):
        """In no sixty seconds that really passed do more than three calls enter."""
        store, real, back, passed = MemoryCounters(), 100_000.0, 0, []
        for seconds, step in schedule:
            real, back = real + seconds, back + step
            if self.enters(store, real - back):
                passed.append((real, 1))

        assert within_limit(passed, self.limit, self.window)

    @given(schedule=schedules)
    def test_room_comes_back_when_the_clock_was_set_back(self, schedule):
        """Sixty seconds after the last look, and a little, there is room, however far the clock was set back."""
        store, reading = MemoryCounters(), 100_000.0
        for seconds, step in schedule:
            reading += seconds - step
            self.enters(store, reading)

        assert self.enters(store, reading + self.window + SLACK)

    def test_room_comes_back_after_a_day_in_the_far_future(self):
        """A clock that once showed a year too much does not lock anybody out for a year."""
        store = MemoryCounters()
        far = [self.enters(store, 1_000.0 + 31_536_000 + second) for second in range(4)]
        right = [self.enters(store, 1_000.0 + second) for second in (10, 70, 71, 72, 73)]

        assert far == [True, True, True, False]
        assert right == [False, True, True, True, False]

    @settings(max_examples=FEW)
    @given(
        offsets=st.lists(st.integers(-9_000, 9_000), min_size=2, max_size=4),
        turns=st.lists(
            st.tuples(st.integers(0, 3), st.integers(0, 60), st.sampled_from([0, 0, -500, 500])), max_size=30
        ),
    )
    def test_no_window_is_overfull_when_clocks_differ(self, offsets, turns):
        """Processes share a limit although their times of day differ, and are set back and forth as they go."""
        with tempfile.TemporaryDirectory() as folder:
            real, passed = 100_000.0, []
            stores = [SqliteCounters(Path(folder) / "limits.db", lambda: real) for _ in offsets]
            for turn, seconds, step in turns:
                real += seconds
                chosen = turn % len(offsets)
                offsets[chosen] += step
                if self.enters(stores[chosen], real + offsets[chosen]):
                    passed.append((real, 1))
            for one in stores:
                one.close()

        assert within_limit(passed, self.limit, self.window)

    def test_no_call_can_say_that_time_has_passed_in_a_shared_store(self, tmp_path):
        """A reading from the far future frees nothing."""
        store = SqliteCounters(tmp_path / "limits.db", lambda: 500.0)
        entered = [self.enters(store, 1_000.0 * number) for number in range(5)]
        store.close()

        assert entered == [True, True, True, False, False]


class TestLargeLimits:
    """A limit of more than 4,096 units is kept coarser, and never looser."""

    limit, window = 5_000, 3_600.0

    @given(calls=st.lists(st.tuples(st.integers(0, 900), st.sampled_from([1, 700, 2_500])), max_size=40))
    def test_no_window_is_overfull(self, calls):
        """In no hour do more than five thousand units pass."""
        store, now, passed = MemoryCounters(), 1_000.0, []
        for seconds, cost in calls:
            now += seconds
            lease = store.reserve([Claim("k", self.limit, self.window, cost)], now, 30.0)
            if isinstance(lease, Lease) and store.commit(lease, now):
                passed.append((now, cost))

        assert within_limit(passed, self.limit, self.window)

    def test_units_leave_at_most_one_step_late(self):
        """A unit is gone when its window and a 4,096th of it have passed."""
        store, claim = MemoryCounters(), Claim("k", self.limit, self.window, self.limit)
        store.commit(store.reserve([claim], 1_000.1, 30.0), 1_000.1)
        early = store.test([claim], 1_000.0 + self.window)
        late = store.test([claim], 1_000.1 + self.window + self.window / FINE)

        assert early is not None
        assert late is None
