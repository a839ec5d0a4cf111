"""Every kind is one file that says all about itself: docs, fields with their docs, and examples that hold."""

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidegate.compile.compiler import compile_plan
from tidegate.compile.examples import check_examples
from tidegate.kind import Phase, Setting
from tidegate.kinds import builtin, builtin_names
from tidegate.lang.layers import loads
from tidegate.meaning.commands.table import Table

KINDS = [builtin(name) for name in builtin_names()]
EXAMPLES = [pytest.param(kind, one, id=f"{kind.name}-{one.title}") for kind in KINDS for one in kind.examples]


@pytest.mark.parametrize(("kind", "example"), EXAMPLES)
def test_kind_examples_hold(kind, example):
    """Each example is a rule of the kind that loads without a finding and does what it says."""
    outcome = compile_plan(loads(f'version = 1\ndefault = "deny"\n{example.toml}', "/rules.toml"), now=0.0)
    findings = [*outcome.findings, *check_examples(outcome)]
    examples = [one for subject in outcome.subjects for one in subject.examples]

    assert [str(finding) for finding in findings] == []
    assert {subject.raw.kind for subject in outcome.subjects} == {kind.name}
    assert examples


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_kind_documents_itself(kind):
    """The docs are a sentence and its limits, each field has a sentence, and there are at least three examples."""
    docs = [field.metadata.get("doc", "") for field in attrs.fields(kind.fields)]

    assert kind.summary.endswith(".")
    assert len((kind.fields.__doc__ or "").split()) > 30
    assert [doc for doc in docs if not doc or not doc.endswith((".", "?"))] == []
    assert len(kind.examples) >= 3


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@settings(max_examples=25)
@given(data=st.data())
def test_fields_for_fuzzing_are_a_rule(kind, data):
    """Every kind makes fields by itself, and what it makes compiles without a problem."""
    setting = Setting("the-rule", "deny", None, Table.builtin())
    kind.compile(data.draw(kind.strategy()), setting)

    assert setting.problems == []


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.phase is Phase.GUARD], ids=lambda kind: kind.name)
def test_examples_of_a_guard_kind_show_a_hit_and_a_near_miss(kind):
    """Among the examples some are answered and some pass."""
    answers = {
        word for one in kind.examples for word in ("deny", "ask", "allow", "pass") if f'expect = "{word}"' in one.toml
    }

    assert "pass" in answers
    assert answers - {"pass"}
