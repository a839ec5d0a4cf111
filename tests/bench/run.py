"""Run the benchmarks of this folder, all or those named, each in a process of its own.

Usage: run.py [NAME ...]

The exit code is 1 where one of them failed, and 2 where there is none of that name.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main(wanted: list[str]) -> int:
    """Run them in the order of their names."""
    programs = {path.stem: path for path in sorted(HERE.glob("*.py")) if path.name != "run.py"}
    unknown = [name for name in wanted if name not in programs]
    if unknown:
        print(f"no benchmark is called {', '.join(unknown)}; there are: {', '.join(programs)}", file=sys.stderr)
        return 2
    failed = []
    for name in wanted or programs:
        summary = (programs[name].read_text(encoding="utf-8").split('"""', 2)[1]).partition("\n")[0]
        print(f"\n== {name}: {summary}", flush=True)
        if subprocess.call([sys.executable, str(programs[name])]):
            failed.append(name)
    for name in failed:
        print(f"{name} failed", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
