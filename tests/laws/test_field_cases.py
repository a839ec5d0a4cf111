"""What peers get wrong, by their own issue trackers, is right here: one test for each case that concerns rules."""

import re
from pathlib import Path

import pytest
import tomli

from tests.kinds.deciding import HOME, ROOT, Links
from tests.laws.worlds import Clock
from tidegate.compile.compiler import compile_plan
from tidegate.compile.examples import check_examples
from tidegate.engine import Engine
from tidegate.errors import RuleError
from tidegate.facts import Facts
from tidegate.facts.counters import MemoryCounters
from tidegate.lang.layers import load

FOLDER = Path(__file__).resolve().parents[1] / "cases/field"
CASES = [
    pytest.param(case, id=case["number"])
    for file in sorted(FOLDER.glob("*.toml"))
    for case in tomli.loads(file.read_text(encoding="utf-8")).get("case", ())
]
ELSEWHERE = tomli.loads((FOLDER / "elsewhere.toml").read_text(encoding="utf-8"))["elsewhere"]
PARTS = {"P": range(1, 22), "A": range(1, 15), "B": range(15, 27), "C": range(27, 35), "D": range(35, 39)}
PARTS |= {"E": range(39, 42), "F": range(42, 49), "G": range(49, 53), "H": range(53, 55)}


def rule_file(case, folder):
    """The rules of a case as a file."""
    file = folder / "rules.toml"
    file.write_text(case["rules"] if case.get("whole") else f"version = 1\n{case['rules']}", encoding="utf-8")
    return file


def engine_for(case, folder):
    """The rules of a case, in a project that has the links of the case and is empty but for them."""
    counters = MemoryCounters()
    files = Links(case.get("links", {}), {ROOT: []})
    facts = Facts(clock=Clock(), counters=lambda _: counters, files=files, cwd=lambda: ROOT, home=HOME)
    return Engine.load(rule_file(case, folder), facts=facts)


@pytest.mark.parametrize("case", CASES)
def test_field_case_is_right_here(case, tmp_path):
    """What the case says holds: its rules are refused for its reasons, or its calls are answered as it says."""
    if "refused" in case:
        with pytest.raises(RuleError) as raised:
            engine_for(case, tmp_path)

        assert {finding.code for finding in raised.value.findings} == set(case["refused"])
        return
    engine = engine_for(case, tmp_path)
    for call in case.get("calls", ()):
        place = {key: value for key, value in call.items() if key not in ("tool", "args", "expect", "would", "says")}
        decision = engine.decide(call["tool"], call["args"], root=ROOT, **place)

        assert decision.effect == call["expect"], (case["holds"], call, decision.reason)
        assert decision.would == call.get("would")
        assert call.get("says", "") in decision.reason


@pytest.mark.parametrize("case", [case for case in CASES if "refused" not in case.values[0]])
def test_examples_of_field_case_hold(case, tmp_path):
    """Rules that shape results say by examples what they do."""
    outcome = compile_plan(load(project=rule_file(case, tmp_path)), now=0.0)

    assert check_examples(outcome) == []


def test_every_case_of_the_field_is_here_or_says_where_it_is():
    """None of those that the survey numbers is passed over."""
    numbered = {case.id.rstrip("abcdef") for case in CASES} | {case["number"] for case in ELSEWHERE}

    assert numbered == {f"{part}{number}" for part, numbers in PARTS.items() for number in numbers}


@pytest.mark.parametrize("case", ELSEWHERE, ids=lambda case: case["number"])
def test_case_elsewhere_says_why_and_names_tests_that_are_there(case):
    """A case that no rule shows has its reason, and the files that look at it exist."""
    named = re.findall(r"tests/[\w/]+\.py", case["why"])

    assert case["why"]
    assert [name for name in named if not (FOLDER.parents[2] / name).is_file()] == []
