"""One process of many that share a limit.

Run as `python limit_worker.py STORE LIMIT CALLS`, with a store as rules name one. In a first round every call
reserves and gives back, as if a guard had refused it; in a second round every call that has a lease commits and
enters, and ends at once. Before each round the process says `ready` and waits for a line. At last it prints how many
calls entered.
"""

from __future__ import annotations

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tidegate.facts.counters import Refused
from tidegate.facts.stores import counters_for
from tidegate.kind import Claim

PROCESSES, THREADS, SIZE = 6, 2, 100


def main(store: str, limit: int, calls: int) -> int:
    """How many calls entered."""
    counters = counters_for(store, Path, {})
    claims = [
        Claim("shared", limit, 3_600.0),
        Claim("tokens", limit, 10**7, refill=1),
        Claim("slots", 2 * PROCESSES * THREADS, 60.0, settles="slot"),
        Claim("bytes", limit * SIZE, 3_600.0, SIZE, settles="result"),
    ]
    came_to = [0, 0, 0, SIZE]

    def veto(_: int) -> None:
        lease = counters.reserve(claims, time.time(), 60.0)
        if not isinstance(lease, Refused):
            counters.give_back(lease)

    def enter(_: int) -> bool:
        lease = counters.reserve(claims, time.time(), 60.0)
        if isinstance(lease, Refused) or not counters.commit(lease, time.time()):
            return False
        counters.settle(lease, came_to, time.time())
        return True

    with ThreadPoolExecutor(THREADS) as threads:
        wait()
        list(threads.map(veto, range(calls)))
        wait()
        entered = sum(threads.map(enter, range(calls)))
    counters.close()
    return entered


def wait() -> None:
    """Say that this process is ready, and begin when the others are."""
    print("ready", flush=True)  # noqa: T201 - this is how the test hears of it
    sys.stdin.readline()


if __name__ == "__main__":
    print(main(sys.argv[1], *map(int, sys.argv[2:])), flush=True)  # noqa: T201
