"""How often rules ask about real commands only because something is not known, and what was taken for no wrongly.

The first table has, for each intent, the share of the lines of `bash_commands.txt` that its rules answer `ask` where
no rule named what it refuses, with the reasons. They run on a small machine of which every file is known, in three
ways: with the rule file elsewhere, in the folder where the commands run, and elsewhere again with all variables of the
environment attested. Lines that bash refuses as a whole are counted apart (nothing runs, and the text is asked about),
as is self-protection, which every plan has, and whatever reads beneath secrets.

The second table is about soundness: lines (one of three, for time) that only run harmless programs on relative names
run for real in a scratch folder made of the names that they mention, and so do generated commands over trees with odd
names. It counts files that changed although nothing was said to change or not to be known, and must be 0. The exit
code is 1 if not.

Usage: friction.py [EXAMPLES]. `TIDEGATE_CASES` says where `bash_commands.txt` is.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from hypothesis import HealthCheck, Phase, given, settings

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.laws.worlds import Clock  # noqa: E402
from tests.meaning.commands.small_machine import ENVIRONMENT, HOME, SmallMachine  # noqa: E402
from tests.meaning.commands.small_machine import ROOT as PROJECT  # noqa: E402
from tests.meaning.commands.tree_changes import Run, commands, effects_of, furnish, run, trees  # noqa: E402
from tidegate.engine import Engine  # noqa: E402
from tidegate.facts import Facts  # noqa: E402
from tidegate.facts.counters import MemoryCounters  # noqa: E402
from tidegate.meaning.effects import Invocation  # noqa: E402

CASES = Path(os.environ.get("TIDEGATE_CASES", ROOT.parent / "shared" / "cases")) / "bash_commands.txt"
RULES = ROOT / "tests" / "cases" / "rules"
INTENTS = ("forced-recursive-delete", "hard-reset", "forced-push", "discarded-work", "fetchers", "protected-config")
APART = ("secret-files",)
PROTECTION = "tidegate/self-protection"
OWN = "any, secrets apart"
ALL = "with self-protection"
THERE = "` may be meant"
MOST_REASONS = 12
EACH = 3
HARMLESS = frozenset(
    [
        "basename",
        "bzip2",
        "bunzip2",
        "cat",
        "chmod",
        "comm",
        "cp",
        "cut",
        "diff",
        "dirname",
        "du",
        "echo",
        "egrep",
        "expr",
        "false",
        "fgrep",
        "file",
        "find",
        "fold",
        "grep",
        "gunzip",
        "gzip",
        "head",
        "join",
        "ln",
        "ls",
        "md5sum",
        "mkdir",
        "mv",
        "nl",
        "od",
        "paste",
        "printf",
        "pwd",
        "read",
        "readlink",
        "realpath",
        "rev",
        "rm",
        "rmdir",
        "sed",
        "seq",
        "sha1sum",
        "sort",
        "split",
        "stat",
        "tac",
        "tail",
        "tee",
        "test",
        "touch",
        "tr",
        "true",
        "truncate",
        "uniq",
        "unlink",
        "wc",
        "xargs",
        "[",
        "cd",
        ":",
        "set",
        "export",
        "local",
        "let",
    ]
)
_NAME = re.compile(r"(?<![\w/$~.-])(?:\./)?[A-Za-z_][\w.-]*(?:/[\w.-]+)*")
_NOT_HERE = re.compile(
    r"(?:^|[\s='\"(;|&<>])(?:/(?!dev/null)|~)|\.\.|\$HOME|/dev/(?!null)|sudo|\bkill|\bsu\b|\bat\b|&\s*$"
    r"|\btail\b[^|;]*\s(?:-\w*[fF]|--follow)"
)


class Asked(NamedTuple):
    """What was asked about under one rule set: the number of lines for each intent, and the reasons.

    `there` counts lines that may reach a protected file which is really there, and `refused` those that bash refuses.
    """

    shares: Counter[str]
    there: Counter[str]
    reasons: dict[str, Counter[str]]
    refused: int


def engine(rules: Path, root: str, *, attested: bool = False) -> Engine:
    """The rules on the small machine."""
    counters = MemoryCounters()
    facts = Facts(
        clock=Clock(),
        counters=lambda _: counters,
        files=SmallMachine(root, str(rules)),
        environment=ENVIRONMENT if attested else {},
        complete_environment=attested,
        cwd=lambda: root,
        home=HOME,
    )
    return Engine.load(rules, facts=facts)


def rule_set() -> tuple[str, dict[str, str]]:
    """The rules of all intents in one text, and the intent of each rule."""
    text, intents = 'version = 1\ndefault = "allow"\n', {}
    for intent in (*INTENTS, *APART):
        rules = (RULES / f"{intent}.toml").read_text(encoding="utf-8").partition("[[rule]]")
        text += f"{rules[1]}{rules[2]}\n"
        intents |= dict.fromkeys(re.findall(r'^id = "(.*)"', rules[2], re.MULTILINE), intent)
    return text, intents | {PROTECTION: "self-protection"}


def ask(lines: list[str], judge: Engine, root: str, intents: dict[str, str]) -> Asked:
    """What the rules ask about only because it is not known."""
    shares, there, refused = Counter[str](), Counter[str](), 0
    reasons = {intent: Counter[str]() for intent in intents.values()}
    for line in lines:
        trace = judge.peek("shell", {"command": line}, root=root).trace
        certain = {
            intents[said.rule] for said in trace if said.says == "deny" or (said.says == "ask" and not said.note)
        }
        doubts = {intents[said.rule]: said.note for said in reversed(trace) if said.says == "ask" and said.note}
        doubtful = doubts.keys() - certain
        if not doubtful:
            continue
        if is_refused(line):
            refused += 1
            continue
        there.update(intent for intent in doubtful if THERE in doubts[intent])
        doubtful = {intent for intent in doubtful if THERE not in doubts[intent]}
        shares.update(doubtful)
        shares[OWN] += bool(doubtful - {"self-protection", *APART})
        shares[ALL] += bool(doubtful - {*APART})
        for intent in doubtful:
            reasons[intent][re.sub(r"`\$\{?\w+\}?`", "`$…`", doubts[intent])[:80]] += 1
    return Asked(shares, there, reasons, refused)


def is_refused(line: str) -> bool:
    """Whether bash refuses the line as a whole, before any of it runs."""
    bash = shutil.which("bash")
    return (
        bash is not None and subprocess.run([bash, "-n", "-c", line], capture_output=True, check=False).returncode != 0
    )


def table(lines: list[str], folder: Path) -> None:
    """Print the share of needless questions of each intent, and why they are asked."""
    text, intents = rule_set()
    rules = folder / "rules.toml"
    rules.write_text(text, encoding="utf-8")
    here, elsewhere = str(folder), PROJECT
    found = [
        ask(lines, engine(rules, elsewhere), elsewhere, intents),
        ask(lines, engine(rules, here), here, intents),
        ask(lines, engine(rules, elsewhere, attested=True), elsewhere, intents),
    ]
    print(f"{len(lines)} lines; per cent asked about only because something is not known")
    print(f"{'rules':26}{'elsewhere':>15}{'in the root':>15}{'attested':>15}")
    print("(and, in brackets, because a protected file that is there may be meant)")
    for row in (*INTENTS, OWN, "self-protection", ALL, *APART):
        cells = (f"{_percent(one.shares[row], lines)} ({_percent(one.there[row], lines)})" for one in found)
        print(f"{row:26}" + "".join(f"{cell:>15}" for cell in cells))
    print(f"{'refused by bash, apart':26}" + "".join(f"{_percent(one.refused, lines):>15}" for one in found))
    for intent, counts in found[0].reasons.items():
        print(f"\n{intent}, because")
        for reason, count in counts.most_common(MOST_REASONS):
            print(f"    {count:5} {reason}")


def _percent(count: int, lines: list[str]) -> str:
    return f"{100 * count / len(lines):.2f}"


def runnable(line: str, base: Path) -> bool:
    """Whether a line does nothing but harmless things to relative names, as far as it is understood."""
    effects, _ = effects_of(line, furnish(base, named(line)))
    if any(effect.kind in ("unknown", "code", "connect") or effect.place.kind != "local" for effect in effects):
        return False
    programs = (effect.target.program for effect in effects if isinstance(effect.target, Invocation))
    return all(program in HARMLESS for program in programs)


def named(line: str) -> dict[str, str | None]:
    """A tree of what the line seems to name."""
    found = sorted({name.removeprefix("./").rstrip("/") for name in _NAME.findall(line)}, key=len)[:40]
    return {name: "1\n2\n" for name in found if name not in HARMLESS} | {
        "b.txt": "1\n",
        "dir/a.php": "2\n",
        "dir/x y.txt": "",
    }


def real_lines(lines: list[str]) -> Iterator[Run]:
    """Every line that may run, and what came of it."""
    for line in lines:
        if _NOT_HERE.search(line) or not line.isascii():
            continue
        with tempfile.TemporaryDirectory() as folder:
            Path(folder).chmod(0o755)
            if runnable(line, Path(folder) / "look"):
                yield run(line, Path(folder) / "t", named(line))


def generated(examples: int) -> list[Run]:
    """Commands over trees with odd names."""
    seen: list[Run] = []

    @settings(
        max_examples=examples, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(commands(), trees())
    def collect(text: str, tree: dict[str, str | None]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder).chmod(0o755)
            seen.append(run(text, Path(folder) / "t", tree))

    collect()
    return seen


def sound(title: str, runs: list[Run]) -> int:
    """Print how many runs took unknown for no, and which."""
    wrong = [one for one in runs if one.unseen or one.denied_no]
    changed = sum(1 for one in runs if one.changed)
    certain = sum(1 for one in runs if one.changed and one.settled)
    print(f"{title:26}{len(runs):8} {changed:8} {certain:8} {len(wrong):8}")
    for one in wrong[:MOST_REASONS]:
        print(f"    {one.text!r} {sorted(one.unseen | one.denied_no)}")
    return len(wrong)


def main(examples: int) -> int:
    """Print both tables."""
    lines = CASES.read_text(encoding="utf-8").split("\n")[:-1] if CASES.exists() else []
    if lines:
        with tempfile.TemporaryDirectory(dir=Path(__file__).parent) as folder:
            table(lines, Path(folder).resolve())
    else:
        print(f"{CASES} is missing")
    print(f"\n{'unknown taken for no':26}{'ran':>8} {'changed':>8} {'certain':>8} {'wrong':>8}")
    wrong = sound(f"lines, one of {EACH}", list(real_lines(lines[::EACH])))
    return min(1, wrong + sound("generated", generated(examples)))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 150))
