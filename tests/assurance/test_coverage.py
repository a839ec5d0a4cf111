"""Coverage: which points of rules are matched, reached and never reached, by what was run."""

from fractions import Fraction

import attrs
import pytest
from hypothesis import example, given, note
from hypothesis import strategies as st

from tests.assurance.suites_of import suite_of
from tests.assurance.test_rule_tests import engine_of, rules_text, written
from tests.laws.test_examples import HOME, ROOT, calls, decided
from tidegate.assurance.coverage import Collector, judge_recorded, percent, reaches
from tidegate.assurance.measuring import measure
from tidegate.calls import call_of
from tidegate.kernel.json_values import snapshot

LISTS = [
    ("path", ["/etc/**", "{root}/**", "**/*.py", "/srv/project/a.py"]),
    ("command", ["git status", "git push", "ls", "git", "curl"]),
    ("url", ["https://a.test", "https://*", "http://a.test", "https://b.test"]),
    ("tools", ["read_*", "x_get", "*", "run_bash"]),
]


@st.composite
def listed(draw):
    """A kind with a few of its patterns, refused or granted."""
    kind, patterns = draw(st.sampled_from(LISTS))
    chosen = draw(st.lists(st.sampled_from(patterns), min_size=1, max_size=3, unique=True))
    return kind, draw(st.sampled_from(["deny", "allow"])), chosen


def counts(text, made):
    """How often each point was reached and matched by recorded calls, by its path."""
    outcome = suite_of(text).outcome
    collector = Collector(outcome)
    judge_recorded(outcome, map(call_of, made), collector.of_all())
    (rule,) = collector.result().rules

    return {point.path: (point.reached, point.matched) for point in rule.points}


@given(listed(), st.lists(calls(), min_size=1, max_size=5))
def test_pattern_matches_where_its_rule_would_speak_with_it_alone(rule, made):
    """Whatever stands beside it: as often as a rule with this one pattern refuses or grants."""
    kind, field, patterns = rule
    extra = {"unknown": "allow", "code": "allow"} if field == "deny" else {}
    made = [snapshot({"cwd": ROOT, "root": ROOT, "home": HOME, **call}) for call in made]
    text = rules_text([{"kind": kind, field: patterns, **extra}], "ask")
    note(text)
    found = counts(text, made)
    for index, pattern in enumerate(patterns):
        alone = rules_text([{"kind": kind, field: [pattern], **extra}], "ask")
        spoken = [one.says for call in made for one in decided(engine_of(alone), call).trace if one.rule == "r0"]

        assert found[field, index][1] == sum(says in ("deny", "grant") for says in spoken)
        assert found[field, index][1] <= found[field, index][0] <= len(made)


@given(st.integers(0, 500), st.integers(0, 500), st.integers(0, 100))
@example(199, 1, 100).via("99.5 % rounds to 100")
def test_threshold_is_exact(part, more, wanted):
    """No rounding lets less than the threshold pass, and 100 % is shown only where nothing is missing."""
    whole = part + more
    share = Fraction(100 * part, whole) if whole else Fraction(100)

    assert reaches(part, whole, wanted) == (share >= wanted)
    assert (percent(part, whole) == 100) == (part == whole)
    assert percent(part, whole) <= share < percent(part, whole) + 1


RULES = """\
version = 1
default = "allow"

[[rule]]
id = "guarded"
kind = "path"
tools = ["read_file", "write_file"]
when = { agent = "dev" }
deny = ["**/.env", "**/*.pem"]
deny_ = 0
except = [{ path = "{root}/tests/**" }, { path = "{root}/other/**" }]

[[rule]]
id = "short"
kind = "rewrite"
set = { "/n" = 1 }
default = { "/m" = 2 }

[[rule]]
id = "hidden"
kind = "redact"
secrets = ["aws-*", "github-*"]

[[rule]]
id = "budget"
kind = "rate-limit"
tools = ["search"]
limit = "1/minute"

[[rule]]
id = "quick"
kind = "timeout"
tools = ["search"]
seconds = 5

[[rule]]
id = "looking"
kind = "command"
effects = ["read", "list", "delete"]
""".replace("deny_ = 0\n", "")


def read(path, **more):
    return {"tool": "read_file", "args": {"path": path}, **more}


def states(*tests):
    """The state of every point, by rule and path."""
    text = RULES.replace('default = "allow"', 'default = "deny"', 1)
    measured = measure(suite_of(text, "".join(tests)))

    return {(rule.address, point.path): point.state for rule in measured.coverage.rules for point in rule.points}


def test_nothing_is_reached_where_nothing_is_run():
    """Without a call every point is never reached."""
    assert set(states().values()) == {"never"}


def test_rule_is_not_reached_where_its_condition_does_not_hold():
    """The condition itself and the globs of tools are; the patterns behind them are not."""
    found = states(written(call=read(".env", agent="ops"), expect="deny"))

    assert found["guarded", ("when",)] == "reached"
    assert found["guarded", ("tools", 0)] == "matched"
    assert found["guarded", ("tools", 1)] == "reached"
    assert {found["guarded", path] for path in ((), ("deny", 0), ("deny", 1), ("except", 0))} == {"never"}


def test_patterns_and_exceptions_are_told_apart():
    """An exception is reached where the rule would refuse, and matched where it takes that away."""
    found = states(
        written(call=read("{root}/.env", agent="dev"), expect="deny"),
        written(call=read("/srv/project/tests/.env", agent="dev"), expect="deny", not_rule="guarded"),
    )

    assert {path: state for (rule, path), state in found.items() if rule == "guarded"} == {
        (): "matched",
        ("tools", 0): "matched",
        ("tools", 1): "reached",
        ("when",): "matched",
        ("deny", 0): "matched",
        ("deny", 1): "reached",
        ("except", 0): "matched",
        ("except", 1): "reached",
    }


def test_exception_is_not_reached_where_nothing_is_refused():
    """A call that the lists do not name says nothing of exceptions."""
    found = states(written(call=read("a.py", agent="dev"), expect="deny"))

    assert found["guarded", ("except", 0)] == "never"


def test_rewrites_redactions_limits_and_times_are_points():
    """Each item of a table is asked alone; a limit is matched where it refuses, a time where it is overrun."""
    search = {"tool": "search", "args": {"n": 1}}
    found = states(
        written(call={"tool": "x", "args": {"n": 5, "m": 6}}, rule="(default)"),
        written(call=search, expect="deny", rule="(default)"),
        written(call={"tool": "run_bash", "args": {"command": "ls"}}, result="AKIAIOSFODNN7EXAMPLE", expect_result="x"),
    )

    assert found["short", ("set", "/n")] == "matched"
    assert found["short", ("default", "/m")] == "matched"
    assert found["budget", ()] == "reached"
    assert found["quick", ()] == "reached"
    assert found["looking", ("effects", 1)] == "matched"
    assert found["looking", ("effects", 2)] == "reached"


@pytest.mark.parametrize(
    ("result", "state"), [("key AKIAIOSFODNN7EXAMPLE", ("matched", "matched", "reached")), ("none", ("reached",) * 3)]
)
def test_redactions_are_matched_by_results(result, state):
    """The rule and each of its formats, by the results of calls that may run."""
    rules = RULES.replace('kind = "rate-limit"', 'kind = "rate-limit"\nmode = "off"')
    tests = written(call={"tool": "x", "args": {}}, result=result, expect_result="?")
    (rule,) = (one for one in measure(suite_of(rules, tests)).coverage.rules if one.address == "hidden")

    assert tuple(point.state for point in rule.points) == state


def test_limits_and_times_are_matched_where_they_refuse():
    """The second call within a minute is too many; one that lasts ten seconds is ended."""
    call = {"tool": "search", "args": {}, "at": 0}
    row = [{**call, "ends": 10}, call]
    measured = measure(suite_of(RULES, written(calls=row, expect=["deny", "deny"])))
    found = {rule.address: rule.state for rule in measured.coverage.rules}

    assert measured.failing == ()
    assert (found["budget"], found["quick"]) == ("matched", "matched")


def test_examples_count_for_their_own_rule_only():
    """What a call of an example would mean to another rule is not asked."""
    example = '[[rule.example]]\ncall = { tool = "read_file", args = { path = "/etc/x" } }\nexpect = "deny"\n'
    rule = '[[rule]]\nid = "{}"\nkind = "path"\ndeny = ["/etc/**"]\n'
    text = f'version = 1\ndefault = "allow"\n{rule.format("one")}{example}{rule.format("two")}'
    one, two = measure(suite_of(text)).coverage.rules

    assert (one.state, one.points[1].matched) == ("matched", 1)
    assert {point.state for point in two.points} == {"never"}


def test_confinement_is_matched_by_what_lies_inside():
    """Each of the patterns that a rule confines to, by a call that it lets through."""
    rule = 'version = 1\ndefault = "allow"\n[[rule]]\nid = "in"\nkind = "path"\nonly = ["/a/**", "/b/**"]\n'
    (one,) = measure(suite_of(rule, written(call=read("/a/x"), expect="allow"))).coverage.rules

    assert [point.state for point in one.points[1:]] == ["matched", "reached"]


def test_points_stand_where_they_are_written():
    """Line and column are those of the item in the file."""
    (rule, *_) = measure(suite_of(RULES)).coverage.rules
    places = {point.path: RULES.split("\n")[point.span.line - 1][point.span.column - 1 :] for point in rule.points}

    assert places["deny", 1] == '"**/*.pem"]'
    assert places["when",].startswith("when = {")
    assert places[()] == "[[rule]]"
    assert places["except", 0].startswith('{ path = "{root}/tests/**" }')


def test_coverage_is_a_value():
    """Nothing of it changes once it is there."""
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        measure(suite_of(RULES)).coverage.rules = ()
