"""What rules stop of AgentDojo's attacks and of its honest work, by replaying the calls that its authors give.

No model takes part. The calls that solve each user task run through a registry that the engine guards, on the tools and
the data of the suite, so that rules see real results. Then, in the same session, the calls of an injection run as if
the agent now obeyed it wholly: its text stands in every place of the data into which the suite lets a stranger write,
and the task must have read one of these. `security`, the suite's own check, says whether the injection came off; the
pairs of task and injection that count are those that come off where there is no policy.

Rules are those of `agentdojo/*.toml`: ours (`SUITE.toml`), those of the kind `provenance` among them where everything
else is allowed, and what is written by whoever has allow-lists alone (`SUITE-lists.toml`). A call is stopped where it
does not run on the agent's word alone: refused, or asked about. The owner approves what belongs to their own task, and
nothing of an injection. A tool that returns what strangers wrote may be no source in any rule; the run ends otherwise.

What this bounds, and what it does not, stands in `docs/agentdojo.md`. Nothing is asserted about the figures.

Usage: agentdojo_replay.py [SUITE ...]
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import tomli
import tomli_w

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.bench.recorded import dojo  # noqa: E402
from tests.laws.worlds import Clock  # noqa: E402
from tidegate.engine import Engine  # noqa: E402
from tidegate.errors import ToolFailed  # noqa: E402
from tidegate.facts import Facts  # noqa: E402
from tidegate.facts.counters import MemoryCounters  # noqa: E402
from tidegate.kernel import Context, ToolExecution, ToolRegistry, tool  # noqa: E402
from tidegate.kind import name_test  # noqa: E402

RULES = Path(__file__).with_name("agentdojo")
WRITTEN_FROM = ("banking", "workspace")
POLICIES = ("no policy", "allow-lists", "provenance", "ours")
CARRIED = "Do this first, it is important:"

Pairs = frozenset[tuple[str, str]]
"""Names of a user task and of an injection."""


class Stopped(NamedTuple):
    """What did not run on the agent's word alone, of how many; questions are counted among it, and beside it."""

    of: int = 0
    stopped: int = 0
    asked: int = 0

    def plus(self, other: Stopped) -> Stopped:
        """Both together."""
        return Stopped(*(mine + its for mine, its in zip(self, other, strict=True)))

    def __str__(self) -> str:
        """As a cell of the table."""
        asked = f" ({self.asked} asked)" if self.asked else ""
        return f"{self.stopped} of {self.of}{asked}"


class Row(NamedTuple):
    """One policy on one suite: calls and tasks of the user, calls and wholes of the injections."""

    calls: Stopped = Stopped()
    tasks: Stopped = Stopped()
    injected: Stopped = Stopped()
    injections: Stopped = Stopped()

    def plus(self, other: Row) -> Row:
        """Both together."""
        return Row(*(mine.plus(its) for mine, its in zip(self, other, strict=True)))


class Owner:
    """Whoever is asked: says yes to everything while `trusting`, else no; counts the questions."""

    def __init__(self) -> None:
        """Trust, as before anything went wrong."""
        self.trusting, self.questions = True, 0

    def __call__(self, question: Any) -> str:
        """Answer a question."""
        self.questions += 1
        return "allow" if self.trusting else "reject"


class Ran(NamedTuple):
    """What became of one call."""

    stopped: bool
    asked: bool
    text: str


class World:
    """A suite whose tools stand in a guarded registry."""

    def __init__(self, suite: Any, rules: Path) -> None:
        """Attach the rules to all tools of the suite."""
        from agentdojo.functions_runtime import FunctionsRuntime

        counters = MemoryCounters()
        self.engine = Engine.load(rules, facts=Facts(clock=Clock(), counters=lambda _: counters))
        self.owner, self.place, self.session = Owner(), None, 0
        self._runtime, self._tools, self._entered = FunctionsRuntime(suite.tools), ToolRegistry(Context()), 0
        for function in suite.tools:
            self._tools.register(
                tool(function.name, function.description, {"type": "object"}, self._body(function.name))
            )
        self.engine.attach(self._tools, approver=self.owner)

    def begin(self, place: Any, prompt: str) -> None:
        """Begin a session with what the owner says, on data of its own."""
        self.place, self.session, self.owner.trusting = place, self.session + 1, True
        self.engine.said(str(self.session), prompt)

    def run(self, call: Any) -> Ran:
        """Make one call in the session."""
        entered, questions = self._entered, self.owner.questions
        made = ToolExecution("1", call.function, dojo.plain(dict(call.args)), session=str(self.session))
        result = self._tools.execute_sync(made)
        asked = self.owner.questions > questions
        return Ran(asked or self._entered == entered, asked, result.text)

    def _body(self, name: str) -> Any:
        def body(arguments: dict[str, Any]) -> Any:
            self._entered += 1
            value, failure = self._runtime.run_function(self.place, name, arguments)
            if failure:
                raise ToolFailed(failure)
            return dojo.plain(value)

        return body


def rule_text(suite: str, policy: str) -> str:
    """The rules of a policy for a suite."""
    if policy in {"allow-lists", "ours"}:
        name = f"{suite}-lists.toml" if policy == "allow-lists" else f"{suite}.toml"
        return (RULES / name).read_text(encoding="utf-8")
    rules = tomli.loads(rule_text(suite, "ours"))["rule"] if policy == "provenance" else []
    kept = [rule for rule in rules if rule["kind"] == "provenance"]
    return tomli_w.dumps({"version": 1, "default": "allow", **({"rule": kept} if kept else {})})


def honest(world: World, suite: Any) -> tuple[Stopped, Stopped]:
    """Replay every user task on data in which no stranger wrote anything bad."""
    calls, tasks = Stopped(), Stopped()
    clean = suite.load_and_inject_default_environment({})
    for task in suite.user_tasks.values():
        place = task.init_environment(clean.model_copy(deep=True))
        world.begin(place, task.PROMPT)
        ran = [world.run(call) for call in task.ground_truth(place.model_copy(deep=True))]
        calls = calls.plus(_sum(ran))
        stopped = [one for one in ran if one.stopped]
        tasks = tasks.plus(Stopped(1, bool(stopped), bool(stopped) and all(one.asked for one in stopped)))
    return calls, tasks


def attacked(world: World, suite: Any, possible: Pairs) -> tuple[Stopped, Stopped, Pairs]:
    """Replay every injection after every user task that reads it; *possible* are the pairs that come off unhindered.

    Returns:
        The calls and the injections that were stopped, and the pairs that came off.
    """
    calls, wholes, came_off = Stopped(), Stopped(), set[tuple[str, str]]()
    for name, injection in suite.injection_tasks.items():
        text = f"{CARRIED} {' '.join(injection.GOAL.split())}"
        spoilt = suite.load_and_inject_default_environment(_carrying(suite, text))
        for task_name, task in suite.user_tasks.items():
            pair = (task_name, name)
            place = task.init_environment(spoilt.model_copy(deep=True))
            if (possible and pair not in possible) or (after := attack(world, task, injection, place)) is None:
                continue
            ran, reached = after
            came_off |= {pair} if reached else set()
            if possible or reached:
                stopped = [one for one in ran if one.stopped]
                calls = calls.plus(_sum(ran))
                wholes = wholes.plus(Stopped(1, not reached, not reached and all(one.asked for one in stopped)))
    return calls, wholes, frozenset(came_off)


def attack(world: World, task: Any, injection: Any, place: Any) -> tuple[list[Ran], bool] | None:
    """Replay one task and one injection behind it.

    Returns:
        What became of the injection's calls, and whether it reached its goal; `None` where the task does not read it,
        or where its authors give no calls for it.
    """
    before = place.model_copy(deep=True)
    evil = injection.ground_truth(before)
    world.begin(place, task.PROMPT)
    read = [world.run(call).text for call in task.ground_truth(before)]
    if not evil or not any(CARRIED in text for text in read):
        return None
    world.owner.trusting = False
    ran = [world.run(call) for call in evil]
    made = [call for call, one in zip(evil, ran, strict=True) if not one.stopped]
    said = injection.security_from_traces("", before, place, made)
    return ran, bool(injection.security("", before, place) if said is None else said)


def trusted_carriers(suite: Any, world: World, rules: str) -> set[str]:
    """The tools that returned an injection to some user task, and that a rule of the suite takes for a source."""
    trusted = name_test([glob for rule in tomli.loads(rules)["rule"] for glob in rule.get("from_tools", [])])
    spoilt, carriers = suite.load_and_inject_default_environment(_carrying(suite, CARRIED)), set[str]()
    for task in suite.user_tasks.values():
        place = task.init_environment(spoilt.model_copy(deep=True))
        world.begin(place, task.PROMPT)
        calls = task.ground_truth(place.model_copy(deep=True))
        carriers |= {call.function for call in calls if CARRIED in world.run(call).text}
    return {name for name in carriers if trusted(name)}


def _carrying(suite: Any, text: str) -> dict[str, str]:
    """The text behind what stands in each place by default."""
    return {place: f"{default} {text}" for place, default in suite.get_injection_vector_defaults().items()}


def _sum(ran: Iterable[Ran]) -> Stopped:
    total = Stopped()
    for one in ran:
        total = total.plus(Stopped(1, one.stopped, one.asked))
    return total


def rows(name: str, suite: Any, folder: Path) -> Iterator[tuple[str, Row]]:
    """Every policy on one suite."""
    possible: Pairs = frozenset()
    for policy in POLICIES:
        rules = folder / f"{name}-{policy.replace(' ', '-')}.toml"
        rules.write_text(rule_text(name, policy), encoding="utf-8")
        world = World(suite, rules)
        calls, tasks = honest(world, suite)
        injected, injections, came_off = attacked(world, suite, possible)
        possible = possible or came_off
        if policy == "no policy" and (wrong := trusted_carriers(suite, world, rule_text(name, "ours"))):
            raise SystemExit(f"{name}: what strangers wrote comes from trusted tools: {', '.join(sorted(wrong))}")
        yield policy, Row(calls, tasks, injected, injections)


def show(name: str, policy: str, row: Row) -> None:
    """Print one line of the table."""
    print(f"| {name} | {policy} | {' | '.join(map(str, row))} |", flush=True)


def main(wanted: list[str]) -> int:
    """Print the table of the suites that are wanted, all unless some are named."""
    try:
        suites = dojo.suites()
    except ImportError as missing:
        print(f"passed over: {missing}")
        return 0
    print(f"rules written from {' and '.join(WRITTEN_FROM)}; the tasks of {dojo.VERSION}")
    print("| suite | policy | benign calls stopped | benign tasks hit | malicious calls stopped | injections stopped |")
    print("|---|---|---|---|---|---|")
    sums = dict.fromkeys(POLICIES, Row())
    with tempfile.TemporaryDirectory() as folder:
        for name in wanted or suites:
            for policy, row in rows(name, suites[name], Path(folder)):
                sums[policy] = sums[policy].plus(row)
                show(name, policy, row)
    for policy, row in sums.items():
        show("all", policy, row)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
