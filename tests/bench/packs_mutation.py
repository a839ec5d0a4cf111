"""How many small wrong edits of each shipped pack its own examples and tests notice, and which nobody explains.

Usage: packs_mutation.py [PACK ...]. The exit code is 1 where less than nine of ten are noticed, or a survivor has no
reason in tests/policies/survivors.toml. All packs take half an hour of two cores.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.policies.survivors import FOLDER, PACKS, named, reasons, suite  # noqa: E402
from tidegate.assurance.coverage import percent  # noqa: E402
from tidegate.assurance.mutants import mutants  # noqa: E402
from tidegate.assurance.mutating import Score, judge_all  # noqa: E402

LEAST = 90


def main(packs: list[str]) -> int:
    """Judge the edits of each pack."""
    known, wrong = reasons(), False
    print("| pack | noticed | of | percent | explained | not explained |")
    print("|---|---|---|---|---|---|")
    open_ends = []
    for pack in packs:
        one = suite(pack)
        score = Score(tuple(mutants(one.loaded)), tuple(judge_all(one, FOLDER, os.cpu_count() or 1)))
        left = [mutant for mutant, _ in score.of("survived")]
        bare = [mutant for mutant in left if named(pack, mutant) not in known]
        share = percent(score.killed, score.counted)
        row = (pack, score.killed, score.counted, share, len(left) - len(bare), len(bare))
        print(f"| {' | '.join(map(str, row))} |", flush=True)
        open_ends += [f"{pack}: {mutant.edit} of `{mutant.rule}`: {mutant.before} => {mutant.after}" for mutant in bare]
        wrong = wrong or bool(bare) or share < LEAST
    for line in open_ends:
        print(f"no reason: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or PACKS))
