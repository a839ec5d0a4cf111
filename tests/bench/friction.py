"""How often rules ask about real commands only because something is not known, and what was taken for no wrongly.

The first table has, for each rule file with a deny intent, the share of the lines of `bash_commands.txt` that are
answered `ask` where no rule named what it refuses, with the reasons; once with the rule file elsewhere and once in
the folder where the commands run. Self-protection, which every plan has, is counted in it and shown apart.

The second table is about soundness: lines that only run harmless programs on relative names run for real in a
scratch folder made of the names that they mention, and so do generated commands over trees with odd names. It counts
files that changed although nothing was said to change or not to be known, and must be 0. The exit code is 1 if not.

Usage: friction.py [EXAMPLES]. `TIDEGATE_CASES` says where `bash_commands.txt` is.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.laws.worlds import Clock  # noqa: E402
from tests.meaning.commands.tree_changes import Run, commands, effects_of, furnish, run, trees  # noqa: E402
from tidegate.decision import Decision  # noqa: E402
from tidegate.engine import Engine  # noqa: E402
from tidegate.facts import Facts  # noqa: E402
from tidegate.facts.counters import MemoryCounters  # noqa: E402
from tidegate.facts.files import LocalFiles  # noqa: E402
from tidegate.meaning.effects import Invocation  # noqa: E402

CASES = Path(os.environ.get("TIDEGATE_CASES", ROOT.parent / "shared" / "cases")) / "bash_commands.txt"
RULES = ROOT / "tests" / "cases" / "rules"
INTENTS = ("forced-recursive-delete", "hard-reset", "forced-push", "discarded-work", "fetchers", "protected-config")
APART = ("secret-files",)
PROTECTION = "tidegate/self-protection"
MOST_REASONS = 12
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
)


def engine(rules: Path, root: Path) -> Engine:
    """The rules for a project of which everything is known that is there: nothing, and perhaps they themselves."""
    counters = MemoryCounters()
    facts = Facts(
        clock=Clock(), counters=lambda _: counters, files=LocalFiles(), cwd=lambda: str(root), home="/home/dev"
    )
    return Engine.load(rules, facts=facts)


def only_unknown(decision: Decision) -> tuple[str, str] | None:
    """The rule and the reason where the answer is `ask` because something was not known."""
    asks = [said for said in decision.trace if said.says == "ask"]
    if decision.effect != "ask" or any(not said.note for said in asks):
        return None
    own = [said for said in asks if said.rule != PROTECTION] or asks
    return own[0].rule, own[0].note


def table(intent: str, lines: list[str], root: Path) -> None:
    """Print one intent's share of needless questions, and why they are asked."""
    texts = (RULES / f"{intent}.toml").read_text(encoding="utf-8")
    inside = root / "rules.toml"
    why: Counter[tuple[str, str]] = Counter()
    shares = []
    for rules in (RULES / f"{intent}.toml", inside):
        inside.write_text(texts, encoding="utf-8")
        asked = Counter[bool]()
        judge = engine(rules, root)
        for line in lines:
            found = only_unknown(judge.peek("shell", {"command": line}, root=str(root)))
            if found is not None:
                asked[found[0] == PROTECTION] += 1
                if rules is not inside:
                    why[found[0], re.sub(r"`\$\{?\w+\}?`", "`$…`", found[1])[:70]] += 1
        inside.unlink()
        shares.append((asked[False], asked[True]))
    shown = " ".join(f"{100 * own / len(lines):7.2f} {100 * apart / len(lines):7.2f}" for own, apart in shares)
    print(f"{intent:26}{shown}")
    for (rule, reason), count in why.most_common(MOST_REASONS):
        print(f"    {count:5} {rule:26} {reason}")


def runnable(line: str, base: Path) -> bool:
    """Whether a line does nothing but harmless things to relative names, as far as it is understood."""
    if _NOT_HERE.search(line) or not line.isascii():
        return False
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
        with tempfile.TemporaryDirectory() as folder:
            print(f"{len(lines)} lines; per cent asked only because something is not known")
            print(f"{'':26}{'rules elsewhere':>15} {'rules in the root':>15}")
            print(f"{'intent':26}{'rule':>7} {'self':>7} {'rule':>7} {'self':>7}")
            for intent in (*INTENTS, *APART):
                table(intent, lines, Path(folder).resolve())
    else:
        print(f"{CASES} is missing")
    print(f"\n{'unknown taken for no':26}{'ran':>8} {'changed':>8} {'certain':>8} {'wrong':>8}")
    wrong = sound("lines", list(real_lines(lines)))
    return min(1, wrong + sound("generated", generated(examples)))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 300))
