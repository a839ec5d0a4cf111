"""What `diff` says of limits, held against rows of calls under a clock that says what they say."""

from attrs import evolve
from hypothesis import assume, given, note
from hypothesis import strategies as st

from tests.assurance.small_rules import FEW, facts, text_of
from tidegate.assurance.diff import compare
from tidegate.assurance.witnesses import Bench
from tidegate.calls import call_of
from tidegate.compile.compiler import compile_plan
from tidegate.compile.ends import End
from tidegate.decision import STRICTNESS
from tidegate.kind import Output
from tidegate.lang.layers import loads

TOOLS = ["a", "b"]
PER = [[], ["tool"], ["session"], ["session", "/to/*"], ["/to/*"], ["/x"]]
counts = st.integers(1, 3)


def _limits():
    common = st.fixed_dictionaries(
        {},
        optional={
            "tools": st.sampled_from([["a"], ["a", "b"], ["*"]]),
            "when": st.sampled_from([{"agent": "dev"}, {"tool": "a"}]),
            "mode": st.sampled_from(["enforce", "monitor"]),
        },
    )
    return st.tuples(st.one_of(_rates(), _quotas(), _slots(), _repeats(), _timeouts()), common).map(
        lambda parts: {**parts[0], **parts[1]}
    )


def _rates():
    limits = st.builds("{}/{}".format, counts, st.sampled_from(["10s", "20s", "minute"]))
    optional = {"burst": counts, "per": st.sampled_from(PER[1:]), "cost": st.sampled_from([2, "/n"])}
    return st.fixed_dictionaries({"kind": st.just("rate-limit"), "limit": limits}, optional=optional)


def _quotas():
    optional = {
        "per": st.sampled_from(PER[1:]),
        "resets": st.sampled_from(["daily", "monthly", "never"]),
        "costs": st.just({"b": 2}),
    }
    plain = st.fixed_dictionaries({"kind": st.just("quota"), "limit": counts}, optional=optional)
    sizes = {"kind": st.just("quota"), "limit": st.integers(10, 40)}
    sent = st.fixed_dictionaries({**sizes, "of": st.just("argument-bytes")})
    back = st.fixed_dictionaries({**sizes, "of": st.just("result-bytes"), "reserve": st.integers(4, 10)})
    return st.one_of(plain, sent, back)


def _slots():
    optional = {"per": st.sampled_from(PER[1:]), "lease": st.sampled_from(["10s", "30s"])}
    return st.fixed_dictionaries({"kind": st.just("concurrency"), "limit": counts}, optional=optional)


def _repeats():
    times = st.builds("{}/{}".format, counts, st.sampled_from(["10s", "minute"]))
    rows = st.sampled_from(["1/2 calls", "1/4 calls", "2/4 calls", "2/5 calls"])
    said = st.fixed_dictionaries({}, optional={"same": times | rows, "failures": times}).filter(bool)
    then = st.fixed_dictionaries({}, optional={"then": st.sampled_from(["ask", "remind", "deny"])})
    return st.tuples(said, then).map(lambda parts: {"kind": "repeat", **parts[0], **parts[1]})


def _timeouts():
    return st.fixed_dictionaries({"kind": st.just("timeout"), "seconds": st.sampled_from([1, 5, 5.5, 20])})


@st.composite
def pairs(draw):
    """Limits, and what became of them: some gone, some new, some with a key changed."""
    old = draw(st.lists(_limits(), min_size=1, max_size=2))
    new = [draw(edited(rule)) for rule in old if draw(st.integers(0, 5))]
    new += draw(st.lists(_limits(), max_size=1)) if draw(st.booleans()) else []
    guard = {"kind": "tools", "deny": ["c"]}
    return [{"default": "allow", "rule": [guard, *rules]} for rules in (old, new)]


@st.composite
def edited(draw, rule):
    """The rule, with a key of another one of its kind in most cases."""
    other = draw(_limits().filter(lambda one: one["kind"] == rule["kind"]))
    key = draw(st.sampled_from(sorted({*rule, *other})))
    changed = {name: value for name, value in rule.items() if name != key}
    return {**changed, key: other[key]} if key in other else changed


def _calls():
    for tool in TOOLS:
        for more in ({}, {"to": ["x", "y"]}, {"to": ["y"]}, {"n": 2}, {"x": 1}):
            for who in ({}, {"session": "s"}, {"agent": "dev"}):
                yield call_of({"tool": tool, "args": {"n": 1, **more}, **who})


CALLS = list(_calls())
ends = st.sampled_from([None, None, (0, False), (3, False), (5.25, True), (0, True), (25, False)])
steps = st.tuples(st.sampled_from(CALLS), st.sampled_from([0, 0, 0, 1, 5, 10, 30, 90_000]), ends)
rows = st.lists(steps, min_size=2, max_size=9).map(lambda some: some * 2)


def first_difference(benches, row):
    """The tool of the first call that the two decide differently, and in which direction; `None` without one."""
    judges, at = [bench.row() for bench in benches], 0
    for call, gap, end in row:
        at += gap
        ending = None if end is None else End(at + end[0], Output(("text",), None, end[1]))
        old, new = (STRICTNESS[judge(evolve(call, at=float(at)), ending).effect] for judge in judges)
        if old != new:
            return call.tool.name, new - old
    return None


@FEW
@given(pairs(), st.lists(rows, min_size=12, max_size=12))
def test_diff_of_limits_never_claims_what_a_row_refutes(tmp_path_factory, pair, some):
    """Where nothing is looser no row is, as far as the two decide alike; and what is shown is so."""
    outcomes = [compile_plan(loads(text_of(one), "/srv/rules/rules.toml"), now=0) for one in pair]
    assume(all(outcome.plan is not None for outcome in outcomes))
    note("\n---\n".join(map(text_of, pair)))
    benches = [Bench(outcome, facts(tmp_path_factory.getbasetemp())) for outcome in outcomes]
    found = {row.tool: row for row in compare(*benches, TOOLS).rows}
    for row in some:
        differs = first_difference(benches, row)
        if differs is not None:
            tool, change = differs

            assert not (found[tool].looser if change < 0 else found[tool].stricter).none, row
    for row in found.values():
        for direction, sign in ((row.looser, -1), (row.stricter, 1)):
            if direction.shown is not None:
                tool, change = first_difference(benches, as_row(direction.shown))

                assert (tool == row.tool or not row.tool, change * sign > 0) == (True, True)


def as_row(shown):
    """What is shown as a row of calls."""
    calls = [shown.before or shown.call] * (shown.times - 1) + [shown.call]
    end = None if shown.takes is None else (shown.takes, False)
    end = (0, True) if shown.fails else end
    return [(call, shown.every if index else 0, end) for index, call in enumerate(calls)]


def test_row_of_another_tool_shows_nothing_of_this_one(tmp_path):
    """A limit that names two tools and by its condition holds for one shows nothing of the other."""
    limit = {"kind": "rate-limit", "limit": "1/10s", "tools": ["a", "b"], "when": {"tool": "a"}}
    texts = [text_of({"default": "allow", "rule": some}) for some in ([limit], [{**limit, "limit": "2/10s"}])]
    old, new = (Bench(compile_plan(loads(text, "/srv/rules/rules.toml"), now=0), facts(tmp_path)) for text in texts)
    rows = {row.tool: row for row in compare(old, new, TOOLS).rows}

    assert rows["a"].looser.shown.call.tool.name == "a"
    assert (rows["b"].looser.shown, rows["b"].stricter.shown) == (None, None)
