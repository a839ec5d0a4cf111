"""Calls from public bug reports and advisories, each under a rule file that says exactly what was meant."""

import json
from pathlib import Path

import pytest

from tests.kinds.deciding import HOME, ROOT, Links
from tests.laws.worlds import Clock
from tidegate.engine import Engine
from tidegate.facts import Facts
from tidegate.facts.counters import MemoryCounters

CASES = Path(__file__).parent / "cases"
CALLS = [json.loads(line) for line in (CASES / "calls.jsonl").read_text(encoding="utf-8").splitlines()]
RULES = {
    path.read_text(encoding="utf-8").split("\n", 1)[0].removeprefix("# "): path for path in CASES.glob("rules/*.toml")
}


def engine_for(case):
    """The rules of the intent, in a project whose folders cannot be listed and that has the links of the case."""
    links = {one["symlink"]: one["to"] for one in case.get("setup", ())}
    counters = MemoryCounters()
    facts = Facts(
        clock=Clock(), counters=lambda _: counters, files=Links(links, {ROOT: None}), cwd=lambda: ROOT, home=HOME
    )
    return Engine.load(RULES[case["intent"]], facts=facts)


@pytest.mark.parametrize("case", CALLS, ids=lambda case: case["id"])
def test_labelled_call_is_decided_as_expected(case):
    """The decision is the expected one; where a person is expected to be asked, a refusal is fine too."""
    decision = engine_for(case).decide(case["tool"], case["args"], root=ROOT)
    accepted = {"ask": ("ask", "deny")}.get(case["expected"], (case["expected"],))

    assert decision.effect in accepted, decision.reason


def test_every_intent_has_its_rules():
    """No intent is without a rule file, and no rule file without a call."""
    assert set(RULES) == {case["intent"] for case in CALLS}
