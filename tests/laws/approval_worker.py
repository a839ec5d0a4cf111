"""One process of many that race for approvals: `approval_worker.py RULES DATABASE` prints how many calls passed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import attrs

from tidegate.engine import Engine
from tidegate.facts import Facts
from tidegate.facts.approvals import SqliteApprovals
from tidegate.facts.counters import MemoryCounters
from tidegate.facts.database import Database
from tidegate.facts.digests import digest_of
from tidegate.facts.files import LocalFiles


@attrs.frozen
class Still:
    """A clock that stands."""

    def now(self) -> float:
        return 1_000.0

    def steady(self) -> float:
        return 1_000.0


def engine_of(rules: str, path: str, token: Callable[[], str]) -> Engine:
    """An engine over *rules* with approvals in the database at *path*."""
    counters = MemoryCounters()
    database = Database(lambda: Path(path))
    approvals = SqliteApprovals(lambda: database, token)
    facts = Facts(Still(), lambda _: counters, files=LocalFiles(), approvals=approvals, digest=digest_of)
    return Engine.load(rules, facts=facts)


def main(rules: str, path: str) -> int:
    """How many of twenty calls passed."""
    engine = engine_of(rules, path, lambda: "none")
    print("ready", flush=True)  # noqa: T201 - this is how the test hears of it
    sys.stdin.readline()
    decided = [engine.decide("run_bash", {"command": "make"}, cwd="/srv", session="s") for _ in range(20)]
    return sum(one.effect == "allow" for one in decided)


if __name__ == "__main__":
    print(main(*sys.argv[1:3]), flush=True)  # noqa: T201
