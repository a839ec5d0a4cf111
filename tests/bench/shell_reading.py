"""What reading shell text costs beside `shlex.split` of the same text. Run as a program; prints one line for each case.

The contestants take turns line by line, and the best round of each line counts, as speed of a shared machine
changes all the time. Ratios are those of single lines. Nothing is asserted. `TIDEGATE_CASES` says where
`bash_commands.txt` is.
"""

from __future__ import annotations

import gc
import os
import shlex
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from statistics import median
from time import perf_counter_ns

from tidegate.meaning.effects import LOCAL, Effect, Invocation, PathTarget, UrlTarget
from tidegate.meaning.scene import Scene
from tidegate.meaning.shell import plain
from tidegate.meaning.shell.command import Reading
from tidegate.meaning.shell.parsing.parser import Parser
from tidegate.meaning.shell.parsing.scanner import Grammar
from tidegate.meaning.shell.walk import walk

ROUNDS = 7
CASES = Path(os.environ.get("TIDEGATE_CASES", Path(__file__).parents[3] / "shared" / "cases")) / "bash_commands.txt"
SCENE = Scene("/srv/project", "/home/dev")
INVOCATION = Invocation("x", "x", (), (), (), (), (), (), True, True, True, LOCAL, (0, 0))
READING = Reading(INVOCATION, (Effect("exec", INVOCATION),))
AGENT_LIKE = (
    "cd /srv/project && npm test 2>&1 | tail -20",
    'git add -A && git commit -m "Fix the parser" && git push origin main',
    "grep -rn 'TODO' src --include='*.py' | head -50",
    'for f in src/*.py; do echo "== $f"; head -5 "$f"; done',
    "cat <<'EOF' > notes.md\n# Notes\nSome text with $vars and `ticks`\nEOF",
    'find . -name "*.pyc" -not -path "./node_modules/*" -exec rm {} \\;',
    "python3 -m pytest tests/test_a.py -x -q 2>&1 | grep -E '(passed|failed)'",
    'if [ -f package.json ]; then npm ci; else echo "no package" >&2; fi',
    "docker run --rm -v $(pwd):/app -w /app node:20 npm run build",
    "curl -s https://api.example.com/v1/items | jq '.items[] | .name'",
    "export PATH=$HOME/.local/bin:$PATH && which tool",
    'VERSION=$(git describe --tags); echo "building $VERSION"; make build VERSION="$VERSION"',
    "ls -la && pwd && git status --short && git log --oneline -5",
    "sed -i 's/foo/bar/g' src/main.rs && cargo check 2>&1 | tail -30",
)


def by_shlex(line: str) -> None:
    """The yardstick."""
    with suppress(ValueError):
        shlex.split(line)


def by_parser(line: str) -> None:
    """The long way's parser alone."""
    Parser(line, Grammar()).script()


def by_walker(line: str) -> None:
    """Everything, with a reader of commands that costs nothing."""
    walk(line, SCENE, lambda _: READING, resolve=_resolve, read_host=_read_host, read_code=lambda *_: ())


def by_long_way(line: str) -> None:
    """Everything, without the short way for plain text."""
    read = plain.PlainReader.read
    plain.PlainReader.read = _not_plain  # type: ignore[method-assign]
    try:
        by_walker(line)
    finally:
        plain.PlainReader.read = read  # type: ignore[method-assign]


def _not_plain(*_: object, **__: object) -> bool:
    return False


def _resolve(value, cwds, scene, *, follow=True, glob=False):  # type: ignore[no-untyped-def]
    return PathTarget(value, (value,))


def _read_host(value, scheme, port):  # type: ignore[no-untyped-def]
    return UrlTarget(value, scheme or "", value, port, "")


def best(contestants: list[Callable[[str], None]], line: str) -> list[int]:
    """The best time of each contestant over *line*, in nanoseconds."""
    times = [1 << 62] * len(contestants)
    for _ in range(ROUNDS):
        for place, contestant in enumerate(contestants):
            start = perf_counter_ns()
            contestant(line)
            times[place] = min(times[place], perf_counter_ns() - start)
    return times


def report(title: str, lines: list[str]) -> None:
    """Print medians and ratios over *lines*."""
    contestants = [by_shlex, by_parser, by_long_way, by_walker]
    table = [best(contestants, line) for line in lines]
    short = sum(plain.is_plain(line) for line in lines) / len(lines)
    print(f"{title}: {len(lines)} lines, {short:.0%} go the short way")
    for place, contestant in enumerate(contestants):
        ratios = sorted(times[place] / times[0] for times in table)
        p90, p99 = ratios[int(len(ratios) * 0.9)], ratios[min(int(len(ratios) * 0.99), len(ratios) - 1)]
        microseconds = median(times[place] for times in table) / 1000
        name = (contestant.__doc__ or "").rstrip(".")
        print(f"  {microseconds:7.1f} µs  × median {median(ratios):5.2f}  p90 {p90:5.2f}  p99 {p99:5.2f}  {name}")


if __name__ == "__main__":
    gc.disable()
    if CASES.exists():
        report("lines that people wrote", CASES.read_text(encoding="utf-8").splitlines())
    else:
        print(f"{CASES.name} is not there; `TIDEGATE_CASES` says where it is")
    report("lines as agents write them", list(AGENT_LIKE))
