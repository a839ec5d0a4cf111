"""What a hook costs as a whole process, beside `python -c pass`: through the resident, without it; and an import.

Each contestant takes turns with a bare interpreter, and what is printed are the ratios of these pairs: the median, the
99th percentile, and the middle half of all. The rules are those of this repository. The event is one shell command that
nobody has seen before. A resident is started for this, in a folder of its own, and ended.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
BARE = [sys.executable, "-c", "pass"]
PAIRS = 60
SLOW_PAIRS = 12
"""How many pairs for what takes many times as long."""

WAIT = 30.0


class Contestant(NamedTuple):
    """What is measured: its name, the command of a round, how many pairs, and what it is held against."""

    name: str
    command: Sequence[str]
    pairs: int = PAIRS
    against: Sequence[str] = tuple(BARE)


def main() -> int:
    """Print the ratios."""
    if sys.platform == "win32":
        print("there is no resident on Windows")
        return 0
    with tempfile.TemporaryDirectory(prefix="tg-") as folder, tempfile.TemporaryDirectory() as state:
        Path(folder).chmod(0o700)
        environ = {**os.environ, "XDG_STATE_HOME": state, "PYTHONPATH": str(ROOT / "engine")}
        resident = _resident(folder)
        try:
            for one in _contestants(folder):
                print(_row(one, environ))
            print(f"\n{_answered(folder)} hooks were answered by the resident")
        finally:
            resident.terminate()
            resident.wait(WAIT)
    return 0


def _contestants(folder: str) -> list[Contestant]:
    program = [sys.executable, "-I", "-S", str(ROOT / "engine/tidegate/hook_program.py")]
    words = ["claude-code", "--rules", str(ROOT / "rules.toml")]
    imports = [sys.executable, "-c", "import attrs, re2"]
    return [
        Contestant("a bare interpreter without its site, the floor", [sys.executable, "-I", "-S", "-c", "pass"]),
        Contestant("a hook answered through the resident", [*program, *words, "--resident", folder]),
        Contestant("a hook that decides by itself", [*program, *words, "--resident", "off"], SLOW_PAIRS),
        Contestant("`tidegate hook`", [sys.executable, "-m", "tidegate", "hook", *words], SLOW_PAIRS),
        Contestant(
            "`import tidegate`, against attrs and re2", [sys.executable, "-c", "import tidegate"], PAIRS, imports
        ),
        Contestant(
            "`from tidegate import Engine`, against attrs and re2",
            [sys.executable, "-c", "from tidegate import Engine"],
            SLOW_PAIRS,
            imports,
        ),
    ]


def _row(one: Contestant, environ: dict[str, str]) -> str:
    numbers = iter(range(10**6))
    for command in (one.against, one.command):
        _seconds(command, environ, next(numbers))  # so that everything is compiled and in the caches
    ratios = [
        _seconds(one.command, environ, next(numbers)) / _seconds(one.against, environ, 0) for _ in range(one.pairs)
    ]
    low, _, high = quantiles(ratios, n=4)
    last = quantiles(ratios, n=100, method="inclusive")[-1]
    return (
        f"{one.name:<56} median {median(ratios):6.2f}   p99 {last:6.2f}   "
        f"half of {one.pairs} pairs within {low:.2f} to {high:.2f}"
    )


def _seconds(command: Sequence[str], environ: dict[str, str], number: int) -> float:
    event = {
        "session_id": "bench",
        "cwd": str(ROOT),
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": f"git -C src{number} status && ls -la docs{number} | head -n {number}"},
    }
    data = json.dumps(event).encode()
    began = perf_counter()
    subprocess.run(command, input=data, stdout=subprocess.PIPE, env=environ, cwd=ROOT, check=True)
    return perf_counter() - began


def _resident(folder: str) -> subprocess.Popen[bytes]:
    from tidegate.resident.control import residents
    from tidegate.resident.place import PROGRAM

    process = subprocess.Popen([sys.executable, "-I", "-S", str(PROGRAM), "--serve", folder, "600"])
    _until(lambda: any(one.said for one in residents(folder)))
    return process


def _answered(folder: str) -> int:
    from tidegate.resident.control import residents

    return sum(one.said["calls"] for one in residents(folder) if one.said)


def _until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(0.01)


if __name__ == "__main__":
    sys.exit(main())
