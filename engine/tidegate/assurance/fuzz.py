"""A suite is fuzzed: what was found before is replayed, then Hypothesis looks for more."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..compile.catalogue import Described
from .suites import RulePaths, Suite, gather

if TYPE_CHECKING:
    from .fuzzing.search import Effort, Found

PROPERTIES = ("law", "evasion", "friction", "approval", "invariant")
"""The properties by the order in which they are tried."""

EXAMPLES = 1_000
"""How many calls are tried for each property unless somebody says otherwise."""


class Job(NamedTuple):
    """What one process is to fuzz; its suite is read again there, since a plan cannot be sent."""

    paths: RulePaths
    files: tuple[Path, ...]
    base: Path
    seeds: tuple[Any, ...]
    catalogue: tuple[Described, ...]
    properties: tuple[str, ...]
    examples: int
    seconds: float | None
    seed: int
    database: str | None


def fuzz(
    suite: Suite,
    effort: Effort,
    properties: Iterable[str],
    *,
    seeds: Iterable[Any] = (),
    catalogue: Sequence[Described] = (),
    step: Callable[[], None] = lambda: None,
) -> Found:
    """Look for calls that break a property of the suite's rules.

    Args:
        suite: Rules with their test files; nothing in it may be broken. The calls of the tests are grown.
        effort: How hard to look.
        properties: Those that are tried, of `PROPERTIES`.
        seeds: Recorded calls, as tables.
        catalogue: The tools of the agent, where they are known.
        step: Called for every example.
    """
    from .fuzzing.calls import Maker
    from .fuzzing.properties import Ground, explained
    from .fuzzing.search import search, trials
    from .fuzzing.vocabulary import vocabulary

    assert suite.outcome.plan is not None  # noqa: S101 - a suite that is broken is not fuzzed
    meant = [invariant.fields.when for invariant in suite.invariants if invariant.fields.when is not None]
    words = vocabulary(suite.outcome.rule_sets, meant, [*seeds, *_calls(suite)], catalogue)
    ground = Ground(suite.outcome.plan, Maker(words, suite.outcome.plan.reader.bindings))
    found = search(trials(ground, suite.outcome, suite.invariants, tuple(properties)), effort, step)
    found.violations = [explained(suite.outcome.plan, one) for one in found.violations]
    return found


def _calls(suite: Suite) -> list[Any]:
    """The calls of all tests of a suite."""
    fields = [test.fields for file in suite.files for test in file.tests]
    return [call for one in fields for call in (one.calls or ((one.call,) if one.call is not None else ()))]


def fuzz_many(job: Job, workers: int) -> Found:
    """The same by several processes, each with chance of its own; what all of them found, once."""
    from .fuzzing.search import Found

    found = Found()
    jobs = [job._replace(seed=job.seed + number * 1_000_003) for number in range(workers)]
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for one in pool.map(run_job, jobs):
            found.add(one)
    return found


def run_job(job: Job) -> Found:
    """Do one job in this process."""
    from .fuzzing.databases import database_at
    from .fuzzing.search import Effort

    (suite, *_), _ = gather(job.paths, job.files, job.base)
    effort = Effort(job.examples, job.seconds, job.seed, database_at(job.database))
    return fuzz(suite, effort, job.properties, seeds=job.seeds, catalogue=job.catalogue)
