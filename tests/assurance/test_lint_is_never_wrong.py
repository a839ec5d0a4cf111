"""What `lint` says, held against every call of a small alphabet."""

from functools import cache

from hypothesis import assume, given, note

from tests.assurance.small_rules import CALLS, FEW, compiled, facts, rule_sets, text_of
from tidegate.assurance.lint import lint
from tidegate.assurance.witnesses import Bench, line_of
from tidegate.calls import call_of, parse

CHANGES_NOTHING = {"redundant", "shadowed", "never-matches", "contradicting", "idle-exception"}
"""What these findings are about can be taken out, and no decision changes."""


@cache
def local(folder):
    return facts(folder)


def without(rule_set, rule, key):
    """The rule set without what a finding is about; `None` where nothing would be left of the rule."""
    rules = list(rule_set["rule"])
    index = int(rule.removeprefix("r"))
    if len(key) < 2 or key[0] == "when":
        del rules[index]
        return {**rule_set, "rule": rules}
    items = [item for at, item in enumerate(rules[index][key[0]]) if at != key[1]]
    left = {name: value for name, value in rules[index].items() if name != key[0]}
    rules[index] = {**left, key[0]: items} if items else left
    says_something = {"allow", "deny", "only", "effects"} & rules[index].keys()
    return {**rule_set, "rule": rules} if says_something else None


def decisions(bench):
    return [bench.decide(call).effect for call in CALLS]


@FEW
@given(rule_sets())
def test_what_lint_calls_useless_can_go(tmp_path_factory, rule_set):
    """Taking out what is redundant, shadowed, contradicted, idle or without a match changes no decision."""
    outcome = compiled(rule_set)
    assume(outcome.plan is not None)
    note(text_of(rule_set))
    place = local(tmp_path_factory.getbasetemp())
    bench = Bench(outcome, place)
    found = lint(bench)
    before = decisions(bench)
    for slip in found.slips:
        note(str(slip.finding))

        assert all(call_of(parse(line_of(one.call))) == one.call for one in slip.witnesses)
        assert slip.witnesses

        useless = slip.finding.code in CHANGES_NOTHING
        confines = slip.finding.code == "contradicting" and "otherwise" in rule_set["rule"][int(slip.rule[1:])]
        less = without(rule_set, slip.rule, slip.key) if useless and not confines else None
        after = compiled(less) if less is not None else outcome
        if after.plan is not None:
            assert decisions(Bench(after, place)) == before
