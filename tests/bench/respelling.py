"""How many re-spelled commands are denied, asked about and allowed. Run as a program; prints a table.

`python tests/bench/respelling.py --examples 100000` judges so many compositions of up to four re-spellings and each
re-spelling alone; `--run 0.05` has bash run that share of the compositions, to see that the effect is kept.
The share denied, not merely asked about, tells how much is understood. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.laws.respelling import RESPELLINGS, Composition, composed, respelled
from tests.laws.respelling_deeds import DEEDS
from tests.laws.respelling_sandbox import SEEDS, Sandbox

VERDICTS = ("deny", "ask", "allow")


def options() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=10_000, help="compositions to judge")
    parser.add_argument("--first", type=int, default=0, help="the number of the first composition")
    parser.add_argument("--alone", type=int, default=20, help="spellings of each re-spelling alone, for each seed")
    parser.add_argument("--run", type=float, default=0.0, help="the share of the compositions that bash runs")
    return parser.parse_args()


def shown(counts: Counter[str]) -> str:
    """The shares of a table's line."""
    total = counts.total() or 1
    return " ".join(f"{counts[verdict] / total:7.1%}" for verdict in VERDICTS) + f" {counts.total():7}"


def main() -> None:
    """Judge, run and print."""
    said = options()
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        sandbox = Sandbox(Path(folder) / "box")
        engines = {seed.name: sandbox.engine(seed.rules) for seed in SEEDS}

        def verdict(one: Composition) -> str:
            return sandbox.verdict(engines[one.seed.name], one.text)

        alone = {
            respelling.name: Counter(
                verdict(one)
                for seed in SEEDS
                for number in range(said.alone)
                if (one := respelled(seed, respelling, Random(f"{seed.name} {number}"))) is not None
            )
            for respelling in (*RESPELLINGS, *DEEDS)
        }
        among: defaultdict[str, Counter[str]] = defaultdict(Counter)
        depths: defaultdict[int, Counter[str]] = defaultdict(Counter)
        kept: Counter[bool] = Counter()
        start = perf_counter()
        for number in range(said.first, said.first + said.examples):
            one = composed(number)
            answer = verdict(one)
            depths[len(one.names)][answer] += 1
            for name in {*one.names, f"seed: {one.seed.name}"}:
                among[name][answer] += 1
            effective = sandbox.shows(one.seed, one.text) if Random(-1 - number).random() < said.run else None
            if effective is not None:
                kept[effective] += 1
            if answer == "allow" or effective is False:
                print(f"{answer}, effect kept: {effective}, {one.seed.name}, {one.names}\n  {one.text!r}")
        seconds = perf_counter() - start

    print(f"{'':44} {'alone: deny, ask, allow, of':>31}   {'composed: deny, ask, allow, of':>31}")
    for name, counts in sorted(alone.items()):
        print(f"{name:44} {shown(counts)}   {shown(among.pop(name, Counter()))}")
    for name, counts in sorted(among.items()):
        print(f"{name:44} {'':31}   {shown(counts)}")
    for depth, counts in sorted(depths.items()):
        print(f"{f'depth {depth}':44} {'':31}   {shown(counts)}")
    print(f"{'all':44} {'':31}   {shown(sum(depths.values(), Counter()))}")
    print(f"{said.examples} compositions in {seconds:.1f} s; effect kept {kept[True]}, lost {kept[False]}")


if __name__ == "__main__":
    main()
