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
)

from tests.model.windows import Windows
from tidegate.facts.clock import uptime
from tidegate.facts.counters import FINE, Counters, Lease, MemoryCounters, Refused
from tidegate.facts.sqlite_counters import SqliteCounters
from tidegate.facts.timeline import SLACK
from tidegate.kind import Claim

WORKER = Path(__file__).with_name("limit_worker.py")
FEW = max(10, settings.default.max_examples // 10)  # for properties that make files

KEYS = {"a": (3, 8.0), "b": (5, 8.0), "c": (4, 2.5)}
"""Limit and window of each key: one limit is met often, and one window is shorter than most leases."""

moments = st.integers(0, 24).map(lambda quarters: quarters / 4)
claims = st.builds(
    lambda key, cost: Claim(key, *KEYS[key], cost),
    st.sampled_from(sorted(KEYS)),
    st.sampled_from([1, 1, 1, 2, 3, 9]),
)
claim_lists = st.lists(claims, min_size=1, max_size=3)


class AgreesWithTheModel(RuleBasedStateMachine):
    """Any store answers like a plain list of units, and never lets more through than the limit."""

    leases: Bundle[tuple[Lease, int]] = Bundle("leases")

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

    @rule(wanted=claim_lists)
    def test(self, wanted: list[Claim]) -> None:
        assert told(self.store.test(wanted, self.now)) == self.model.refused(wanted, self.now)

    @rule(target=leases, wanted=claim_lists, ttl=st.sampled_from([1.0, 4.0, 30.0]))
    def reserve(self, wanted: list[Claim], ttl: float) -> Any:
        said = self.store.reserve(wanted, self.now, ttl)

        assert told(said) == self.model.refused(wanted, self.now)
        if isinstance(said, Refused):
            return multiple()
        return said, self.model.reserve(wanted, self.now, ttl)

    @rule(lease=leases)
    def commit(self, lease: tuple[Lease, int]) -> None:
        entered = self.store.commit(lease[0], self.now)

        assert entered == self.model.commit(lease[1], list(lease[0].claims), self.now)
        if entered:
            self.passed += [(self.now, claim) for claim in lease[0].claims]

    @rule(lease=consumes(leases))
    def give_back(self, lease: tuple[Lease, int]) -> None:
        self.store.give_back(lease[0])
        self.model.give_back(lease[1])

    @invariant()
    def no_window_is_overfull(self) -> None:
        for key, (limit, window) in KEYS.items():
            assert within_limit([(at, claim.cost) for at, claim in self.passed if claim.key == key], limit, window)


class SqliteAgreesWithTheModel(AgreesWithTheModel):
    """The same for the store in a file."""

    def open(self) -> Counters:
        self.folder = tempfile.TemporaryDirectory()
        return SqliteCounters(Path(self.folder.name) / "limits.db", lambda: self.now)

    def teardown(self) -> None:
        super().teardown()
        if hasattr(self, "folder"):
            self.folder.cleanup()


TestMemoryAgrees = AgreesWithTheModel.TestCase
TestSqliteAgrees = SqliteAgreesWithTheModel.TestCase
TestSqliteAgrees.settings = settings(max_examples=FEW)


def told(said: Lease | Refused | None) -> tuple[int, float] | None:
    """A refusal in the model's terms."""
    return (said.place, said.retry_after) if isinstance(said, Refused) else None


def within_limit(passed: list[tuple[float, int]], limit: int, window: float) -> bool:
    """Whether in no window, a moment and the seconds before it, more units passed than the limit."""
    return all(sum(cost for at, cost in passed if end - window < at <= end) <= limit for end, _ in passed)


@pytest.fixture(params=["memory", "sqlite"])
def store(request, tmp_path):
    """Each store in turn."""
    made = MemoryCounters() if request.param == "memory" else SqliteCounters(tmp_path / "limits.db", uptime)
    yield made
    made.close()


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

    def test_processes_share_a_limit(self, tmp_path):
        """Of six processes with two threads each, as many calls enter as the limit says, after as many vetoed ones."""
        database, limit, calls = tmp_path / "limits.db", 100, 40
        command = [sys.executable, str(WORKER), str(database), str(limit), str(calls)]
        workers = [
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(6)
        ]
        for _ in range(2):
            assert [worker.stdout.readline() for worker in workers] == ["ready\n"] * 6
            for worker in workers:
                worker.stdin.write("go\n")
                worker.stdin.flush()
        entered = [int(worker.communicate(timeout=60)[0]) for worker in workers]

        assert [worker.returncode for worker in workers] == [0] * 6
        assert sum(entered) == limit


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
