"""What a replay costs: calls judged again in a second, and the memory that it takes.

Usage: replay.py [CALLS]

A million calls unless it is said, of many sessions: files, commands, URLs, tools that no rule knows. They are judged by
the project's own rules and compared with what the record says. Nothing is asserted.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter

from tidegate.assurance.replaying.comparing import Task
from tidegate.assurance.replaying.judge import Judge
from tidegate.assurance.replaying.replay import replay
from tidegate.assurance.replaying.sources import source_of

CALLS = 1_000_000
RULES = Path(__file__).resolve().parents[2] / "rules.toml"
WORDS = ("alpha", "beta", "gamma", "delta", "main", "index", "util", "report")
COMMANDS = (
    "git status --short",
    "git diff {0}/{1}.py",
    "git log -{2} --oneline | head",
    "python -m unittest tests.test_{0}",
    "grep -rn {0} src/{1} | wc -l",
    "cd {0} && ls -la && cat {1}.txt",
    "rm -rf build/{0}",
    "curl -s https://{0}.example.com/{1}/{2}",
    "for f in {0} {1}; do echo $f >> out/{2}.log; done",
)


def made(count: int) -> Iterator[dict[str, object]]:
    """So many calls, the same in every run."""
    random = Random(0)
    for number in range(count):
        words = (random.choice(WORDS), random.choice(WORDS), random.randrange(1_000))
        yield {
            **call(random.random(), COMMANDS[random.randrange(len(COMMANDS))], words),
            "session": f"s{number // 50}",
            "cwd": "/srv/project",
            "root": "/srv/project",
            "at": 1_790_000_000 + number,
            "effect": "allow",
            "rule": None,
        }


def call(chance: float, command: str, words: tuple[str, str, int]) -> dict[str, object]:
    """One call; a third of all are commands."""
    one, two, three = words
    if chance < 0.35:
        return {"tool": "run_bash", "args": {"command": command.format(*words)}}
    if chance < 0.65:
        return {"tool": "read_file", "args": {"path": f"src/{one}/{two}{three}.py"}}
    if chance < 0.8:
        return {"tool": "write_file", "args": {"path": f"src/{one}/{two}{three}.py", "content": f"{one} = {three}\n"}}
    if chance < 0.9:
        return {"tool": "http_get", "args": {"url": f"https://{one}.example.com/{two}?n={three}"}}
    return {"tool": "search_tickets", "args": {"query": f"{one} {two}", "limit": three}}


def megabytes(who: int) -> float:
    """The most memory that this process, or any of its children, has had."""
    return resource.getrusage(who).ru_maxrss / (1024 * 1024 if sys.platform == "darwin" else 1024)


def processor_seconds() -> float:
    """What this process and its children have used so far."""
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def measure(path: Path, count: int, workers: int) -> None:
    """Replay the file by so many processes, and print what it took."""
    task = Task(Judge(RULES), None, (path.name,), ("calls",))
    began, before = perf_counter(), processor_seconds()
    with path.open("rb") as lines:
        tally = replay(task, [source_of(path.name, 0, lines)], workers, workers, lambda _: None).tally
    took, used = perf_counter() - began, processor_seconds() - before
    own, children = megabytes(resource.RUSAGE_SELF), megabytes(resource.RUSAGE_CHILDREN)
    of_each = f", {children:.0f} MB each of the others" if workers > 1 else ""
    print(
        f"{workers} processes: {count / took:8,.0f} calls/s, {took:.1f} s, {used / count * 1e6:.0f} µs of processor "
        f"time each, at most {own:.0f} MB here{of_each}"
    )
    assert tally.calls == count


def main(count: int) -> None:
    """Make the calls, and replay them by one process and by one for each core."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "calls.jsonl"
        with path.open("w", encoding="utf-8") as file:
            file.writelines(f"{json.dumps(value)}\n" for value in made(count))
        print(f"{count:,} calls, {path.stat().st_size / 1e6:,.0f} MB")
        for workers in dict.fromkeys((1, os.cpu_count() or 1)):
            measure(path, count, workers)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else CALLS)
