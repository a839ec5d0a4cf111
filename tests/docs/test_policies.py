"""The policies to start from pass `tidegate check --strict`."""

import re
from pathlib import Path

import pytest

from tidegate.compile.catalogue import check_tools
from tidegate.compile.compiler import compile_plan
from tidegate.compile.examples import check_examples
from tidegate.lang.layers import loads

PAGE = Path(__file__).resolve().parents[2] / "docs/policies.md"
POLICIES = re.findall(
    r"^## ([^\n]+)\n(?:(?!^## ).)*?^```toml\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE
)


@pytest.mark.parametrize("text", [pytest.param(text, id=title) for title, text in POLICIES])
def test_policy_has_no_finding(text):
    """Whoever copies one begins without a warning, also about the names of tools."""
    loaded = loads(text)
    outcome = compile_plan(loaded, now=0.0)

    assert [*outcome.findings, *check_tools(loaded.rule_sets, None), *check_examples(outcome)] == []


def test_six_policies_are_looked_at():
    """None of the page is passed over."""
    assert len(POLICIES) == PAGE.read_text("utf-8").count("```toml") == 6
