"""What a decision costs beside peers, from ten rules to ten thousand: shell, files, HTTP and MCP, hits and misses.

Each engine's verdicts are compared with the reference before it is timed. The contestants take turns, five times over,
and a ratio is one of medians of the same turn; the least and the most of the five stand beside the middle one. Calls
come again, as those of an agent do, so that what engines remember of them counts. A peer that is not installed is left
out, and one that has taken too long at a size is not asked at a larger one. Nothing is asserted.

Usage: decide.py [--picture FILE] [SIZE ...]
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from deciding.engines import ENGINES
from deciding.growth import growth, sixty_patterns
from deciding.picture import picture
from deciding.scale import reloading, threads
from deciding.turns import Turns, turns
from deciding.workloads import calls, rules

SIZES = (10, 100, 1_000, 10_000)
NEEDED = {"cedarpy, one handle": "cedarpy", "agent-os-kernel": "agent_os", "pycasbin": "casbin"}
FLOOR, OURS = "re2.Set alone (the floor)", "tidegate"


def contestants() -> list[str]:
    """The engines that are installed."""
    missing = [name for name in ENGINES if name != OURS and find_spec(NEEDED.get(name, "re")) is None]
    missing += ["agentbelay"] if find_spec("agentbelay") is None else []
    if missing:
        print(f"not installed, and left out: {', '.join(missing)}")
    return [name for name in ENGINES if name not in missing]


def decisions(sizes: tuple[int, ...]) -> dict[int, dict[str, Turns]]:
    """Measure and print all sizes."""
    found: dict[int, dict[str, Turns]] = {}
    names = contestants()
    made = calls(240, 10)
    for size in sizes:
        found[size] = turns(names, rules(size), made)
        _print_size(size, found[size])
        names = [name for name in names if name in found[size] and not found[size][name].slow]
    return found


def _print_size(size: int, table: dict[str, Turns]) -> None:
    print(f"\n{size:,} rules, µs and ratios to tidegate of the same turn")
    print(f"{'':30}{'median':>10}{'p99':>10}{'× median (least, most)':>28}{'× p99':>10}")
    own = table[OURS]
    for name, one in table.items():
        low, middle, high = one.against(own)
        spread = f"{middle:.3g} ({low:.3g}, {high:.3g})"
        print(f"{name:30}{one.median:10.1f}{one.p99:10.1f}{spread:>28}{one.p99 / own.p99:10.3g}")


def starts(sizes: tuple[int, ...]) -> None:
    """Print what it takes to load, to decide first and to keep the rules: each in a process of its own."""
    print("\nin a process of its own: import, load, first decision (ms), memory that the rules take (MB)")
    program = str(Path(__file__).parent / "deciding" / "start.py")
    for name in ENGINES:
        for size in sizes:
            done = subprocess.run(
                [sys.executable, program, name, str(size)], capture_output=True, text=True, check=False, env=os.environ
            )
            print(f"{name:30}{size:8,}  {done.stdout.strip() or 'left out'}")


def main(words: list[str]) -> None:
    """Measure everything."""
    where = words[words.index("--picture") + 1] if "--picture" in words else None
    sizes = tuple(int(word) for word in words if word.isdecimal()) or SIZES
    print(f"the machine was {os.getloadavg()[0] / (os.cpu_count() or 1):.0%} busy at the start")
    found = decisions(sizes)
    growth(sizes[0], sizes[-1])
    sixty_patterns()
    starts(tuple(size for size in sizes if size in (1_000, 10_000)))
    threads()
    reloading(sizes[-1])
    print(f"\nthe machine was {os.getloadavg()[0] / (os.cpu_count() or 1):.0%} busy at the end")
    if where is not None:
        Path(where).write_text(picture(found), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
