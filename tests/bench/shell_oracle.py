"""How our reading of shell text fares beside bash and shfmt over generated scripts. Run as a program.

`shell_oracle.py [SCRIPTS [FIRST]]` reads 20,000 scripts unless another number is given, from the seed *FIRST* on, and
prints what was found, what is missing (each such script in full) and how often each construct was met. It ends with 1
where a command that bash or shfmt finds is missing without a word.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.meaning.shell import agreement, oracle, shfmt
from tests.meaning.shell.readers import is_doubtful

SCRIPTS = 20_000
ABOUT_VALUES = ("arithmetic evaluates", "the name of a command", "the text of a shell", "`eval` runs words")


def main(scripts: int = SCRIPTS, first: int = 0) -> int:
    """Compare and print."""
    if oracle.bash() is None or shfmt.program() is None:
        print("bash 5 and shfmt have to be installed")
        return 2
    counts: Counter[str] = Counter()
    met: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    with TemporaryDirectory() as folder:
        for script in agreement.compared(range(first, first + scripts), folder):
            _count(script, counts, met, reasons)
    print("\n".join(f"{count:9,}  {what}" for what, count in counts.items()))
    print("\nwhy something is unknown")
    print("\n".join(f"{count:9,}  {reason}" for reason, count in reasons.most_common(15)))
    print("\nconstructs met")
    print("\n".join(f"{count:9,}  {name}" for name, count in sorted(met.items())))
    return int(any(count for what, count in counts.items() if "missing" in what))


def _count(script: agreement.Script, counts: Counter[str], met: Counter[str], reasons: Counter[str]) -> None:
    lost = {
        "missing, though bash looks for it": agreement.missing_by_bash(script),
        "missing, though shfmt sees it": agreement.missing_by_shfmt(script),
        "files missing, though bash made them": agreement.files_missing(script),
    }
    why = agreement.doubt(script)
    counts["scripts"] += 1
    counts["commands that bash looked for"] += len(script.looked_for)
    counts["commands that shfmt sees"] += len(script.shfmt.names) if script.shfmt else 0
    counts["scripts that shfmt refuses"] += script.shfmt is None
    counts["files that bash made"] += len(script.files)
    counts["scripts with something unknown"] += is_doubtful(script.effects)
    counts["scripts with something unknown besides a value"] += why is not None and not why.startswith(ABOUT_VALUES)
    for what, names in lost.items():
        counts[what] += len(names)
        if names:
            print(f"{what}: {', '.join(sorted(names))}\n{script.text}")
    met.update(agreement.constructs(script))
    if why is not None:
        reasons[why[:70]] += 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
