"""What `diff` says, held against every call of a small alphabet."""

from functools import cache

from hypothesis import assume, given, note
from hypothesis import strategies as st

from tests.assurance.small_rules import CALLS, FEW, compiled, facts, rule_sets, rules, text_of, useful
from tidegate.assurance.diff import compare
from tidegate.assurance.witnesses import Bench
from tidegate.assurance.witnesses.bench import line_of
from tidegate.calls import call_of, parse
from tidegate.decision import STRICTNESS
from tidegate.meaning.names import widened_name_test


@st.composite
def pairs(draw):
    """A rule set and what became of it: rules taken out, put in, or changed in one key."""
    old = draw(rule_sets())
    kept = [draw(edited(rule)) for rule in old["rule"] if draw(st.integers(0, 4))]
    added = draw(st.lists(rules(), max_size=1))
    return old, useful(draw(st.sampled_from([old["default"]] * 4 + ["ask"])), kept + added or old["rule"])


@st.composite
def edited(draw, rule):
    """The rule, in half of all cases with the keys of another of its kind, or without some of its own."""
    if draw(st.booleans()):
        return rule
    other = draw(rules())
    if other["kind"] == rule["kind"]:
        return {**rule, **other}
    gone = draw(st.sampled_from(sorted(rule)))
    return rule if gone in ("kind", "allow", "deny", "only", "extra") else {k: v for k, v in rule.items() if k != gone}


@cache
def local(folder):
    return facts(folder)


@FEW
@given(pairs())
def test_diff_never_claims_what_a_call_refutes(tmp_path_factory, pair):
    """Where nothing is looser, no call is; where something is, its witness is; and the same for stricter."""
    outcomes = [compiled(one) for one in pair]
    assume(all(outcome.plan is not None for outcome in outcomes))
    note("\n---\n".join(map(text_of, pair)))
    place = local(tmp_path_factory.getbasetemp())
    old, new = (Bench(outcome, place) for outcome in outcomes)
    comparison = compare(old, new)
    named = widened_name_test([row.tool for row in comparison.rows if row.tool])
    change = [(call, old.decide(call).effect, new.decide(call).effect) for call in CALLS]
    for row in comparison.rows:
        own = [one for one in change if (one[0].tool.name == row.tool if row.tool else not named(one[0].tool.name))]
        for direction, sign in ((row.looser, -1), (row.stricter, 1)):
            moved = [
                (line_of(call), before, after)
                for call, before, after in own
                if (STRICTNESS[after] - STRICTNESS[before]) * sign > 0
            ]
            if direction.none:
                assert moved == [], row
            if direction.shown is not None:
                call = call_of(parse(line_of(direction.shown.call)))
                before, after = old.decide(call).effect, new.decide(call).effect

                assert (STRICTNESS[after] - STRICTNESS[before]) * sign > 0
