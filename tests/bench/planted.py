"""How many examples fuzzing needs to see through planted weak policies, and how many it tries in a second.

Usage: planted.py [SEEDS]. Prints the table of docs/fuzz.md: the median over so many seeds, five by default.
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.assurance.planted import PLANTED, search  # noqa: E402

MOST = 2_000


def main(seeds: int) -> int:
    """Look for each weakness with every seed; the exit code is 1 where one stays hidden."""
    hidden = 0
    tried, seconds = 0, 0.0
    print("| weakness | what is wrong | median | most |")
    print("|---|---|---|---|")
    for planted in PLANTED:
        found = [search(planted, examples=MOST, seed=seed) for seed in range(seeds)]
        needed = [sum(one.tried.values()) for one in found if one.violations]
        tried += sum(sum(one.tried.values()) for one in found)
        seconds += sum(one.seconds for one in found)
        hidden += len(needed) < seeds
        told = f"{median(needed):.0f} | {max(needed)}" if len(needed) == seeds else "hidden | hidden"
        print(f"| {planted['name']} | {planted['weakness']} | {told} |", flush=True)
    rate = f"{tried / seconds:,.0f} a second with shrinking"
    print(f"\n{len(PLANTED)} policies, {seeds} seeds: {tried:,} examples, {rate}")
    return 1 if hidden else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 5))
