"""Laws of the verdict: how the answers of guard rules combine, whatever the rules are about."""

from hypothesis import given
from hypothesis import strategies as st

from tests.laws.tables import case_of, rule_of, sittings, tables
from tests.model import judging
from tidegate.decision import STRICTNESS, strictest
from tidegate.plan.judge import answer, fold


def verdict_of(rules, marks, default):
    """The engine's verdict over the rules, and the id of the determining rule."""
    case = case_of(marks)
    said = [one for position, table in enumerate(rules) for one in answer(rule_of(table, position), case)]
    folded = fold(said, case.effects)
    verdict = folded.refusal.says if folded.refusal else "allow"
    if folded.uncovered is not None and strictest(verdict, default) != verdict:
        return default, None
    by = folded.refusal or (folded.grant if folded.uncovered is None else None)
    return verdict, by and int(by.rule)


class TestAgreement:
    """The engine and the reference evaluator give every set of answers the same verdict by the same rule."""

    @given(sittings())
    def test_verdict_agrees_with_the_model(self, sitting):
        """Verdict and determining rule are those of the model."""
        rules, marks, default = sitting

        # An exception that has expired with its rule excepts nothing.
        plain = [{**rule, "except": [False] * len(marks)} if rule["expired"] else rule for rule in rules]

        assert verdict_of(rules, marks, default) == judging.judge(plain, marks, default)


class TestOrdering:
    """Guard outcomes do not depend on order; only the name that is reported does."""

    @given(sittings(), st.randoms())
    def test_verdict_is_the_same_in_any_order(self, sitting, random):
        """Shuffling the rules never changes the verdict."""
        rules, marks, default = sitting
        shuffled = random.sample(rules, len(rules))

        assert verdict_of(shuffled, marks, default)[0] == verdict_of(rules, marks, default)[0]

    @given(sittings(), st.integers(0, 5))
    def test_a_passing_rule_is_invisible_anywhere(self, sitting, position):
        """A rule whose lists match nothing changes neither verdict nor reason, wherever it stands."""
        rules, marks, default = sitting
        silent = {
            "allow": None,
            "deny": [False] * len(marks),
            "only": None,
            "except": [False] * len(marks),
            "effect": "deny",
            "otherwise": "deny",
            "unknown": "deny",
            "code": "allow",
            "when": True,
            "enforced": True,
            "expired": False,
            "whole": False,
        }
        position = min(position, len(rules))
        verdict, by = verdict_of([*rules[:position], silent, *rules[position:]], marks, default)

        assert (verdict, by if by is None or by < position else by - 1) == verdict_of(rules, marks, default)


class TestVeto:
    """Adding a refusal never permits more, adding a grant never refuses more, and a failing rule never permits."""

    @given(sittings(), st.data())
    def test_adding_a_rule_without_grants_never_permits_more(self, sitting, data):
        """A deny, an ask or a confinement can only tighten."""
        rules, marks, default = sitting
        added = {**data.draw(tables(len(marks))), "allow": None}

        before, after = verdict_of(rules, marks, default)[0], verdict_of([*rules, added], marks, default)[0]

        assert STRICTNESS[after] >= STRICTNESS[before]

    @given(sittings(), st.data())
    def test_adding_a_grant_never_refuses_more(self, sitting, data):
        """An allow list can only loosen."""
        rules, marks, default = sitting
        added = {**data.draw(tables(len(marks))), "deny": None, "only": None}

        before, after = verdict_of(rules, marks, default)[0], verdict_of([*rules, added], marks, default)[0]

        assert STRICTNESS[after] <= STRICTNESS[before]

    @given(sittings(), st.data())
    def test_a_failing_rule_never_permits(self, sitting, data):
        """A rule whose matchers all raise is never more permissive than the same rule left out."""
        rules, marks, default = sitting
        boom = ["boom"] * len(marks)
        table = data.draw(tables(len(marks)))
        failing = {**table, **{key: boom if table[key] else None for key in ("allow", "deny", "only")}}

        before, after = verdict_of(rules, marks, default)[0], verdict_of([*rules, failing], marks, default)[0]

        assert STRICTNESS[after] >= STRICTNESS[before]

    @given(sittings())
    def test_monitored_refusals_change_nothing(self, sitting):
        """The verdict with a refusing rule on trial is that without its refusals."""
        rules, marks, default = sitting
        on_trial = [{**rule, "enforced": False} for rule in rules]
        grants_only = [{**rule, "deny": None, "only": None} for rule in rules]

        assert verdict_of(on_trial, marks, default)[0] == verdict_of(grants_only, marks, default)[0]
