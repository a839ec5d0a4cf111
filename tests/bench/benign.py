"""How often the pack `baseline` refuses or asks about calls that are benign, by rule, and why.

Nothing but the pack can be the cause: what it does not answer is allowed. Self-protection, which every plan has, is
counted apart. Commands run in a project of a machine of which every file is known; it holds a `.env`, a `.git` and
settings of an agent, as projects do.

Of what is refused or asked about, every class was looked at: `benign_reviewed.toml` says whether the pack is right
(the call does what the rule is about), whether that is a limit (it does not, and nobody can know), or wrong (it does
not, and could be known). What no entry there is about is printed as not looked at.

Data that is missing is passed over, and said. `TIDEGATE_CASES` says where `bash_commands.txt` is; the other calls are
those of the packages `bfcl-eval` and `agentdojo`. Nothing is asserted.

Usage: benign.py [MOST], the number of classes that are printed of each corpus.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import tomli

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.bench.commands import AGENT_LIKE  # noqa: E402
from tests.bench.recorded import bfcl, dojo, one_liners  # noqa: E402
from tests.laws.worlds import Clock  # noqa: E402
from tests.meaning.commands.small_machine import HOME, SmallMachine  # noqa: E402
from tests.meaning.commands.small_machine import ROOT as PROJECT  # noqa: E402
from tidegate.decision import Answer  # noqa: E402
from tidegate.engine import Engine  # noqa: E402
from tidegate.facts import Facts  # noqa: E402
from tidegate.facts.counters import MemoryCounters  # noqa: E402
from tidegate.meaning.values import shown  # noqa: E402

RULES = 'version = 1\ndefault = "allow"\ninclude = ["pack:baseline"]\n'
REVIEWED = Path(__file__).with_name("benign_reviewed.toml")
PACK = "baseline/"
NOT_YET = "not looked at"
VERDICTS = ("right", "limit", "wrong", NOT_YET)
MOST = 40
EACH = 3
TARGET = "under 1 % refused and 3 % asked about"

Calls = Iterable[tuple[str, dict[str, Any]]]


class Hit(NamedTuple):
    """What is said against one call, and why; calls of one class have both in common."""

    says: str
    reason: str
    rules: tuple[str, ...]


class Reviewed(NamedTuple):
    """What was found of a class when it was looked at: one of `VERDICTS`, and why."""

    verdict: str
    why: str = ""


Review = Callable[[Hit, str], Reviewed]
Class = tuple[Reviewed, Hit]


class Found(NamedTuple):
    """What came of a corpus: the worst of each call, the rules that spoke, the classes, and a call of each class."""

    calls: int
    verdicts: Counter[tuple[str, str]]
    rules: Counter[tuple[str, str]]
    classes: Counter[Class]
    shown: dict[Class, str]

    def share(self, effect: str) -> str:
        """The part of the calls that was refused or asked about."""
        return _share(sum(self.verdicts[effect, word] for word in VERDICTS), self.calls)


def engine(folder: Path) -> Engine:
    """The pack on the small machine."""
    rules, counters = folder / "rules.toml", MemoryCounters()
    rules.write_text(RULES, encoding="utf-8")
    facts = Facts(
        clock=Clock(),
        counters=lambda _: counters,
        files=SmallMachine(PROJECT, str(rules)),
        environment={},
        cwd=lambda: PROJECT,
        home=HOME,
    )
    return Engine.load(rules, facts=facts)


def hits(answers: Iterable[Answer]) -> list[Hit]:
    """What the pack says against a call, each reason once, with the rules that have it."""
    rules: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for said in answers:
        if said.says in {"ask", "deny"} and said.rule.startswith(PACK):
            rules[said.says, _reason(said)].append(said.rule.removeprefix(PACK))
    return [Hit(says, reason, tuple(names)) for (says, reason), names in rules.items()]


def _reason(said: Answer) -> str:
    """Why, without the names that stand in a single call only."""
    if said.note:
        return re.sub(r"`[^`]*`", "`…`", said.note)
    if said.effect is None:
        return ""
    by = f" by `{shown(said.effect.by.program)}`" if said.effect.by else ""
    return f"{said.effect.kind}{' of all beneath' if said.effect.recursive else ''}{by}"


def judge(calls: Calls, pack: Engine, review: Review) -> Found:
    """Count what the pack says of each call; where it refuses one, what it would ask about does not count."""
    count, verdicts, rules = 0, Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    classes, examples = Counter[Class](), dict[Class, str]()
    for tool, arguments in calls:
        count += 1
        answers = pack.peek(tool, arguments, root=PROJECT).trace
        rules.update({(said.rule.removeprefix(PACK), said.says) for said in answers if said.says in {"ask", "deny"}})
        found, text = hits(answers), str(arguments.get("command", f"{tool}({arguments})"))
        effect = "deny" if any(hit.says == "deny" for hit in found) else "ask"
        counted = [(review(hit, text), hit) for hit in found if hit.says == effect]
        if counted:
            verdicts[effect, min((said.verdict for said, _ in counted), key=VERDICTS.index)] += 1
        classes.update(counted)
        for one in counted:
            examples.setdefault(one, text)
    return Found(count, verdicts, rules, classes, examples)


def reviewed() -> Review:
    """What was found of each class, by the file that keeps it."""
    entries = tomli.loads(REVIEWED.read_text(encoding="utf-8"))["hit"]
    patterns = [(re.compile(entry["about"]), Reviewed(entry["verdict"], entry["why"])) for entry in entries]

    def review(hit: Hit, text: str) -> Reviewed:
        said = f"{hit.says} {', '.join(hit.rules)}: {hit.reason}; {text}"
        return next((found for about, found in patterns if about.search(said)), Reviewed(NOT_YET))

    return review


def report(title: str, found: Found, most: int) -> None:
    """Print one corpus: its shares, its rules, its classes."""
    print(f"\n{title}: {found.calls} calls")
    for effect in ("deny", "ask"):
        parts = (f"{count} {word}" for word in VERDICTS if (count := found.verdicts[effect, word]))
        print(f"    {effect:5}{found.share(effect)}   {', '.join(parts)}")
    for (rule, says), count in sorted(found.rules.items()):
        print(f"        {rule:34}{says:6}{count:6}{_share(count, found.calls)}")
    groups: defaultdict[tuple[str, Reviewed], list[Class]] = defaultdict(list)
    for one, _ in found.classes.most_common():
        groups[one[1].says, one[0]].append(one)
    for (says, said), members in sorted(groups.items(), key=lambda item: (VERDICTS.index(item[0][1].verdict), item[0])):
        print(f"    {says} {sum(found.classes[one] for one in members)}, {said.verdict}: {said.why}")
        for one in members[: most if said.verdict == NOT_YET else EACH]:
            hit = one[1]
            print(f"        {found.classes[one]:5} {', '.join(hit.rules)}: {hit.reason[:90]}")
            print(f"              {found.shown[one][:100]}")


def _share(count: int, calls: int) -> str:
    return f"{100 * count / max(calls, 1):7.2f} %"


def commands(lines: Iterable[str]) -> Calls:
    """Lines as calls of a shell."""
    return [("run_bash", {"command": line}) for line in lines]


def user_tasks() -> Calls:
    """What the user tasks of AgentDojo need."""
    for suite in dojo.suites().values():
        for task in suite.user_tasks.values():
            place = task.init_environment(suite.load_and_inject_default_environment({}))
            yield from ((call.function, dojo.plain(dict(call.args))) for call in task.ground_truth(place))


CORPORA: dict[str, Callable[[], Calls]] = {
    "one-liners in a project": lambda: commands(filter(one_liners.is_project_work, one_liners.lines())),
    "all one-liners": lambda: commands(one_liners.lines()),
    "an agent's commands, our own list": lambda: commands(AGENT_LIKE.split("\n")[1:-1]),
    "bfcl-eval, conversations": bfcl.conversations,
    "bfcl-eval, single answers": bfcl.single_answers,
    "agentdojo, user tasks": user_tasks,
}


def tables(corpora: dict[str, Found]) -> None:
    """Print the shares of all corpora, and how many hits of each kind they have, as tables for a page."""
    _head("calls", "number", "refused", "asked about", *VERDICTS)
    for title, found in corpora.items():
        words = [sum(found.verdicts[effect, word] for effect in ("deny", "ask")) for word in VERDICTS]
        _row(title, found.calls, found.share("deny").strip(), found.share("ask").strip(), *words)
    kinds = {(one[0], one[1].says) for found in corpora.values() for one in found.classes}
    _head("hits", "", "why", *corpora)
    for said, says in sorted(kinds, key=lambda kind: (kind[1] != "deny", VERDICTS.index(kind[0].verdict), kind[0].why)):
        _row(says, said.verdict, said.why, *(_count(found, said, says) for found in corpora.values()))


def _head(*cells: str) -> None:
    print()
    _row(*cells)
    print("|---" * len(cells) + "|")


def _row(*cells: object) -> None:
    print(f"| {' | '.join(map(str, cells))} |")


def _count(found: Found, said: Reviewed, says: str) -> int:
    return sum(count for (its, hit), count in found.classes.items() if (its, hit.says) == (said, says))


def main(most: int) -> None:
    """Print every corpus that is there, and the tables."""
    review, corpora = reviewed(), dict[str, Found]()
    print(f"wanted on ordinary development work: {TARGET}")
    with tempfile.TemporaryDirectory() as folder:
        pack = engine(Path(folder))
        for title, corpus in CORPORA.items():
            try:
                corpora[title] = judge(corpus(), pack, review)
            except (ImportError, FileNotFoundError) as missing:
                print(f"\n{title}: passed over, {missing}")
                continue
            report(title, corpora[title], most)
    tables(corpora)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else MOST)
