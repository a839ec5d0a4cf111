"""The clock of the machine, and the time of a store."""

import math
import subprocess
import sys
import time

import pytest

from tidegate.errors import StoreError
from tidegate.facts.clock import SystemClock, uptime
from tidegate.facts.timeline import SLACK, Mark, Timeline, follow


class TestSystemClock:
    """`now` is the time of day; `steady` begins as that and never steps."""

    def test_readings_agree_when_nobody_sets_the_clock(self):
        """Right after it was made, both readings are the time of day."""
        before = time.time()
        clock = SystemClock()
        readings = clock.now(), clock.steady()

        assert before - 0.1 <= min(readings)
        assert max(readings) <= time.time() + 0.1

    def test_steady_ignores_a_step_of_the_clock(self, monkeypatch):
        """When somebody sets the clock, `now` follows and `steady` does not."""
        clock = SystemClock()
        before = clock.steady()
        set_to = time.time() + 86_400
        monkeypatch.setattr(time, "time", lambda: set_to)

        assert clock.now() == set_to
        assert 0 <= clock.steady() - before < 60

    def test_steady_never_runs_backwards(self):
        """Of many readings none is less than the one before."""
        clock = SystemClock()
        readings = [clock.steady() for _ in range(1_000)]

        assert readings == sorted(readings)


class TestTimeline:
    """Time follows its clock forwards, and goes on from where it stood when the clock is set back."""

    def follow(self, *readings):
        """The times that a list of readings gives."""
        timeline = Timeline()
        return [timeline.move(reading) for reading in readings]

    def test_time_is_the_reading_when_clocks_go_forwards(self):
        assert self.follow(5.0, 6.0, 6.0, 1_000.0) == [5.0, 6.0, 6.0, 1_000.0]

    def test_time_stands_still_for_a_reading_that_was_overtaken(self):
        assert self.follow(100.0, 99.0, 100.5, 100.5 - SLACK, 101.0) == [100.0, 100.0, 100.5, 100.5, 101.0]

    def test_time_goes_on_when_the_clock_is_set_back(self):
        assert self.follow(5_000.0, 1_000.0, 1_030.0, 1_060.0) == [5_000.0, 5_000.0, 5_030.0, 5_060.0]

    def test_many_overtaken_readings_do_not_make_time_run_faster(self):
        """A thousand pairs of readings in the wrong order move time no further than the last of them."""
        readings = [100.0 + number / 100 + late for number in range(1_000) for late in (0.0, -0.005)]

        assert self.follow(*readings)[-1] == max(readings)

    def test_small_steps_back_add_up_to_a_step(self):
        """A clock that is set back again and again is followed once it is far enough behind."""
        times = self.follow(100.0, 96.0, 92.0, 88.0, 84.0, 90.0)

        assert times == [100.0, 100.0, 100.0, 100.0, 100.0, 106.0]

    def test_a_look_leaves_time_as_it_is(self):
        """Looking into the future or the past does not move anything."""
        timeline = Timeline()
        timeline.move(100.0)
        looked = [timeline.look(reading) for reading in (1_000.0, 1.0, 100.0)]

        assert looked == [1_000.0, 100.0, 100.0]
        assert timeline.move(101.0) == 101.0

    @pytest.mark.parametrize("reading", [math.nan, math.inf, -math.inf])
    def test_time_that_is_no_number_is_refused(self, reading):
        with pytest.raises(StoreError, match="no finite time"):
            Timeline().move(reading)


class TestMark:
    """A shared store goes by what the time of day and the uptime both say has passed."""

    BEFORE = Mark(time=5_000.0, reading=1_000.0, uptime=300.0)

    @pytest.mark.parametrize(
        ("reading", "uptime", "passed"),
        [
            (1_060.0, 360.0, 60.0),
            (9_999.0, 360.0, 60.0),
            (5.0, 360.0, 60.0),
            (1_060.0, 20.0, 60.0),
            (1_060.0, 9_999.0, 60.0),
            (5.0, 20.0, 0.0),
            (1_000.0, 300.0, 0.0),
        ],
        ids=[
            "both",
            "set forwards",
            "set back",
            "restarted",
            "restarted long ago",
            "restarted and set back",
            "at once",
        ],
    )
    def test_time_goes_on_by_what_is_certain(self, reading, uptime, passed):
        assert follow(self.BEFORE, reading, uptime) == Mark(5_000.0 + passed, reading, uptime)

    def test_first_mark_is_the_time_of_day(self):
        assert follow(None, 7.0, 3.0) == Mark(7.0, 7.0, 3.0)

    @pytest.mark.parametrize("mark", [None, BEFORE])
    def test_time_that_is_no_number_is_refused(self, mark):
        with pytest.raises(StoreError, match="no finite time"):
            follow(mark, math.nan, 301.0)


def test_uptime_is_one_for_all_processes():
    """Another process that asks later is told more, by about as much as passed."""
    script = "from tidegate.facts.clock import uptime; print(uptime())"
    before = uptime()
    theirs = float(subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, check=True).stdout)

    assert before < theirs < uptime()
