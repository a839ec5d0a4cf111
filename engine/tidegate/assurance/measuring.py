"""Coverage of one rule set by everything that there is to run."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from ..call import Call
from .coverage import Collector, Coverage, judge_recorded
from .suites import Ran, Suite, run


@frozen
class Measured:
    """What is covered, by how much, and which of the examples and tests fail."""

    coverage: Coverage
    examples: int
    tests: int
    calls: int
    failing: tuple[Ran, ...]


def measure(suite: Suite, calls: Iterable[Call] = ()) -> Measured:
    """Run the examples and tests of a suite, put recorded calls before its rules, and count."""
    collector = Collector(suite.outcome)
    ran = list(run(suite, of_rule=collector.of_rule, of_all=collector.of_all()))
    recorded = judge_recorded(suite.outcome, calls, collector.of_all())
    return Measured(
        collector.result(),
        examples=sum(one.group == "example" for one in ran),
        tests=sum(one.group == "test" for one in ran),
        calls=recorded,
        failing=tuple(one for one in ran if one.finding is not None),
    )
