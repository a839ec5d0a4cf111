"""What of the risk catalogues a rule set answers: exactly what its rules name, and every slip is told."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.assurance.risks import catalogues, check_maps, risk_coverage
from tidegate.compile.compiler import compile_plan
from tidegate.lang.inline import inline
from tidegate.lang.layers import load, loads

IDS = [name for one in catalogues() for name in one.entries]
PACKS = sorted((Path(__file__).resolve().parents[2] / "policies").glob("*.toml"))
MODES = ("enforce", "monitor", "off")

rules = st.lists(st.tuples(st.lists(st.sampled_from(IDS), max_size=4), st.sampled_from(MODES)), max_size=5)


def rule(number, maps, mode):
    named = f"maps = {inline(maps)}\n" if maps else ""
    return f'[[rule]]\nid = "r{number}"\nkind = "tools"\ndeny = ["t"]\nmode = "{mode}"\n{named}'


def covered(text):
    outcome = compile_plan(loads(text), now=0.0)
    return risk_coverage(outcome.subjects)


def test_catalogues_are_those_of_the_field():
    """Ten risks of agents, ten of models, techniques and mitigations; no id stands twice."""
    assert [one.id for one in catalogues()] == ["owasp-agentic", "owasp-llm", "atlas-techniques", "atlas-mitigations"]
    assert [name for one in catalogues()[:2] for name in one.entries] == [
        *(f"ASI{number:02}" for number in range(1, 11)),
        *(f"LLM{number:02}" for number in range(1, 11)),
    ]
    assert len(IDS) == len(set(IDS))


@given(rules)
def test_an_entry_has_exactly_the_rules_that_name_it(said):
    """In file order, each once; a rule that is off answers nothing, and one that monitors does not cover."""
    coverage = covered("version = 1\n" + "".join(rule(at, *one) for at, one in enumerate(said)))
    expected = {
        name: [(f"r{at}", mode == "enforce") for at, (maps, mode) in enumerate(said) if name in maps and mode != "off"]
        for name in IDS
    }
    entries = [entry for one in coverage.catalogues for entry in one.entries]

    assert {entry.id: [(one.rule, one.enforced) for one in entry.rules] for entry in entries} == expected
    assert [entry.id for entry in entries if entry.covered] == [
        name for name in IDS if any(enforced for _, enforced in expected[name])
    ]
    assert list(coverage.unmapped) == [f"r{at}" for at, (maps, mode) in enumerate(said) if not maps and mode != "off"]


@given(st.sampled_from(IDS))
def test_a_slip_in_an_id_is_told_with_the_right_one(name):
    """Small letters for capitals and a dash too many are no other id, and the finding points at the value."""
    text = f"version = 1\n{rule(0, [name, name.lower()], 'enforce')}"
    findings = check_maps(loads(text).rule_sets)

    assert [(one.code, one.severity, one.line, one.mend) for one in findings] == [
        ("unknown-risk", "warning", 7, f"write `{name}`")
    ]


@pytest.mark.parametrize("pack", PACKS, ids=lambda path: path.stem)
def test_packs_answer_what_the_catalogues_know(pack):
    """Every rule of a shipped pack answers some entry, and names none that is unknown."""
    loaded = load(project=pack)
    outcome = compile_plan(loaded, now=0.0)

    assert check_maps(loaded.rule_sets) == []
    assert risk_coverage(outcome.subjects).unmapped == ()
