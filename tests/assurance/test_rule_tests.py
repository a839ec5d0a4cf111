"""Tests of test files: they say what the engine decides, and fail where it decides otherwise."""

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from tests.assurance.suites_of import suite_of
from tests.laws.test_examples import GUARDS, HEAD, LIMITS, NoLinks, calls, decided
from tests.laws.worlds import Clock
from tidegate.assurance.suites import run
from tidegate.engine import Engine, Sources
from tidegate.facts import Facts
from tidegate.facts.counters import MemoryCounters
from tidegate.lang.inline import inline

WORDS = ("allow", "ask", "deny")


def rules_text(rules, default):
    """A file of several rules."""
    lines = [f'default = "{default}"', HEAD]
    for number, rule in enumerate(rules):
        lines += ["[[rule]]", f'id = "r{number}"', *(f"{key} = {inline(value)}" for key, value in rule.items())]
    return "\n".join(lines) + "\n"


def written(**fields):
    """A `[[test]]`."""
    return "[[test]]\n" + "".join(f"{key} = {inline(value)}\n" for key, value in fields.items())


def failing(rules, *tests):
    """The texts of what fails, by test."""
    return [
        None if one.finding is None else one.finding.what
        for one in run(suite_of(rules, "".join(tests)))
        if one.group == "test"
    ]


def engine_of(text):
    """An engine over the rules, in the world of tests."""
    counters = MemoryCounters()
    facts = Facts(Clock(), lambda _: counters, cwd=lambda: "/srv/project", home="/home/dev", files=NoLinks())
    return Engine(suite_of(text).outcome, Sources(), facts)


RULES = st.lists(st.sampled_from([*GUARDS, *LIMITS]), min_size=1, max_size=4)


@given(RULES, st.sampled_from(WORDS), calls())
def test_test_holds_for_what_the_engine_decides_and_for_nothing_else(rules, default, call):
    """Of the three decisions one holds: the engine's; and of the rules only the determining one."""
    text = rules_text(rules, default if all("allow" not in rule for rule in rules) else "ask")
    note(text)
    decision = decided(engine_of(text), call)
    name = decision.rule or "(default)"
    expected = [written(call=call, expect=word) for word in WORDS]
    named = [written(call=call, rule=name), written(call=call, not_rule=name), written(call=call, rule="other")]
    words = [word for word, what in zip(WORDS, failing(text, *expected), strict=True) if what is None]
    held = [what is None for what in failing(text, *named)]

    assert (words, held) == ([decision.effect], [True, False, False])


@given(st.lists(calls(), min_size=1, max_size=5), st.sampled_from(LIMITS))
def test_calls_in_a_row_are_counted_as_the_engine_counts_them(several, limit):
    """A row of calls gets the decisions that one engine gives them one after the other."""
    text = rules_text([limit, {"kind": "path", "deny": ["/etc/**"]}], "allow")
    engine = engine_of(text)
    row = [{**call, "at": number * 25} for number, call in enumerate(several)]
    expected = [decided(engine, call, at=call["at"]).effect for call in row]

    assert failing(text, written(calls=row, expect=expected)) == [None]


SECRETS = """\
version = 1
default = "allow"
[[rule]]
id = "secrets"
kind = "path"
deny = ["**/.env"]
message = "no"
[[rule]]
id = "reading"
kind = "path"
access = "read"
deny = ["**/.env", "**/*.pem"]
[[rule]]
id = "asked"
kind = "path"
deny = ["/etc/**"]
effect = "ask"
[[rule]]
id = "short"
kind = "rewrite"
tools = ["run_bash"]
clamp = { "/timeout" = { max = 20 } }
[[rule]]
id = "hidden"
kind = "redact"
secrets = ["*"]
"""
READ = {"tool": "read_file", "args": {"path": ".env"}}
RUN = {"tool": "run_bash", "args": {"command": "ls", "timeout": 600}}
KEY = "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE"


def one(**fields):
    """What is wrong with one test of these rules."""
    return failing(SECRETS, written(**fields))[0]


def test_only_names_every_rule_that_answers_alike():
    """Two rules refuse this, so one alone is too few, and a third too many."""
    assert one(call=READ, only=["secrets", "reading"]) is None
    assert one(call=READ, only="secrets") == (
        "`test 1` fails: it expects only `secrets` to say `deny`, and `secrets`, `reading` do"
    )
    assert one(call={"tool": "x", "args": {}}, only="(default)") is None


def test_arguments_are_those_that_would_run():
    """What a rewrite makes of them is expected word for word."""
    assert one(call=RUN, expect_arguments={"command": "ls", "timeout": 20}) is None
    assert one(call=RUN, expect_arguments={"command": "ls"}) == (
        '`test 1` fails: the arguments become `{"command":"ls","timeout":20}`'
    )


def test_arguments_are_not_expected_of_a_refused_call():
    """A call that does not run has no arguments, unless the test expects the refusal as well."""
    assert one(call=READ, expect_arguments={"path": ".env"}) == (
        "`test 1` fails: it expects arguments, and the call is refused by rule `secrets`"
    )
    assert one(call=READ, expect="deny", expect_arguments={"path": ".env"}) is None


def test_result_is_what_the_model_gets():
    """Output rules have shaped it; a refused call has none."""
    run_it = {"tool": "run_bash", "args": {"command": "env"}}

    assert one(call=run_it, result=KEY, expect_result="AWS_ACCESS_KEY_ID=[secret: aws-access-key]") is None
    assert one(call=run_it, result=KEY, expect_result=KEY) is not None
    assert one(call=READ, result="x", expect_result="x") == (
        "`test 1` fails: it expects a result, and the call is refused by rule `secrets`"
    )


def test_result_of_a_call_that_fails_is_one_of_a_failure():
    """Output rules that are about successes alone leave it."""
    rules = 'version = 1\ndefault = "allow"\n[[rule]]\nid = "n"\nkind = "annotate"\ntext = "!"\non = "success"\n'
    call = {"tool": "x", "args": {}}

    assert failing(
        rules,
        written(call=call, result="a", expect_result="a!"),
        written(call={**call, "fails": True}, result="a", expect_result="a"),
    ) == [None, None]


def test_links_exist_only_in_their_test():
    """A symlink of one test leads nowhere in the next."""
    call = {"tool": "read_file", "args": {"path": "link"}}

    assert failing(
        SECRETS,
        written(call=call, links={"link": "/etc/passwd"}, expect="ask"),
        written(call=call, expect="allow"),
    ) == [None, None]


def test_trace_tells_of_every_rule_that_was_consulted():
    """A failing test shows each rule with what it said, also those that said nothing."""
    done = next(iter(run(suite_of(SECRETS, written(call=READ, expect="allow")))))
    rows = [line.split()[:3] for line in done.trace]

    assert done.trace[:2] == (
        'call: `read_file` `{"path":".env"}`',
        "decision: deny by `secrets`",
    )
    assert ["secrets", "path", "deny"] in rows
    assert ["reading", "path", "deny"] in rows
    assert ["asked", "path", "-"] in rows


def test_call_that_is_none_fails():
    """What cannot be put before rules does not pass."""
    assert "its call is none" in one(call={"tool": "x"}, expect="allow")


@pytest.mark.parametrize("at", [0, 1_000_000.5])
def test_time_is_what_the_test_says(at):
    """Two calls within a second are too many, two a minute apart are not, whenever that is."""
    rules = rules_text([{"kind": "rate-limit", "limit": "1/second"}], "allow")
    call = {"tool": "x", "args": {}}
    row = [{**call, "at": at}, {**call, "at": at + 0.5}, {**call, "at": at + 60}]

    assert failing(rules, written(calls=row, expect=["allow", "deny", "allow"])) == [None]
