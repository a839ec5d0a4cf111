"""One engine in a process of its own: what importing, loading and the first decision take, and how much memory.

Usage: start.py ENGINE SIZE
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import process_time

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from deciding.engines import ENGINES
from deciding.workloads import calls, rules


def _resident() -> float:
    """The memory of this process in MB, 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0.0
    return pages * 4096 / 2**20


def main(name: str, size: int) -> None:
    """Measure and print one line."""
    written, first = rules(size), calls(1, 10)[0]
    start = process_time()
    ENGINES[name](rules(1))
    imported = process_time()
    before = _resident()
    begun = process_time()
    decide = ENGINES[name](written)
    loaded = process_time()
    decide(first)
    decided = process_time()
    times = ((imported - start) * 1e3, (loaded - begun) * 1e3, (decided - loaded) * 1e3)
    print("{:9.1f}{:10.1f}{:10.2f}".format(*times) + f"{_resident() - before:9.1f}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
