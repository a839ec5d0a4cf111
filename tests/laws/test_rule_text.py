"""Laws of rule files as text: values survive writing, and every finding points at its key."""

import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.worlds import rule_sets, text_of
from tidegate.compile.compiler import compile_plan
from tidegate.lang.layers import loads

broken_fields = st.sampled_from(
    [
        ("denny", ["x"]),
        ("effect", "block"),
        ("tools", "x"),
        ("tools", []),
        ("allow", [7]),
        ("unknown", 1),
        ("expires", "soon"),
        ("mode", "Enforce"),
        ("message", 7),
        ("except", [{"paths": "x"}]),
        ("when", {"agents": "x"}),
    ]
)


class TestValues:
    """load ∘ dump is identity."""

    @given(rule_sets())
    def test_rules_read_back_as_they_were_written(self, rule_set):
        """Every field of every rule is what was written, in file order."""
        (read,) = loads(text_of(rule_set), "/rules.toml").rule_sets

        assert [{"id": rule.id, "kind": rule.kind, **rule.fields} for rule in read.rules] == rule_set[1]


class TestFindings:
    """Every finding points at its key or value."""

    @given(rule_sets(), st.lists(broken_fields, min_size=1, max_size=3), st.data())
    def test_finding_stands_at_what_it_is_about(self, rule_set, breaks, data):
        """The text at a finding's line and column begins with the key, the value or the header concerned."""
        default, rules = rule_set
        rules = [*rules, {"id": "extra", "kind": "path", "deny": ["/x"]}]
        broken = dict(rules[data.draw(st.integers(0, len(rules) - 1))])
        broken.update(breaks)
        rules = [broken if rule["id"] == broken["id"] else rule for rule in rules]
        text = text_of((default, rules))
        outcome = compile_plan(loads(text, "/rules.toml"), now=0.0)
        lines = text.splitlines()
        written = [tomli_w.dumps({"v": value}).removeprefix("v = ").strip() for _, value in breaks]

        assert outcome.plan is None
        for finding in outcome.findings:
            here = lines[finding.line - 1][finding.column - 1 :]
            if finding.code == "unknown-key":
                assert here.startswith(finding.what.split("`")[1]), (finding, here)
            elif finding.code in ("wrong-type", "bad-value", "empty-list"):
                assert any(here[:2] in value for value in written), (finding, here)
            else:
                assert here.startswith(("[[rule]]", "allow", "deny", "only")), (finding, here)
