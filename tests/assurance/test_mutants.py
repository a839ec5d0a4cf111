"""Mutants: which small wrong edits there are, what notices them, and which of them change nothing."""

import pytest
from hypothesis import example, given, note
from hypothesis import strategies as st

from tests.assurance.suites_of import suite_of
from tests.assurance.test_rule_tests import engine_of, rules_text, written
from tests.laws.test_examples import GUARDS, LIMITS, calls, decided
from tidegate.assurance.edits import edits
from tidegate.assurance.equivalent import why_equivalent
from tidegate.assurance.mutants import mutants
from tidegate.assurance.mutating import Judge, _exchanged, judge_all, speaks
from tidegate.assurance.suites import RulePaths, gather
from tidegate.compile.compiler import compile_plan
from tidegate.compile.fields import ExampleFields
from tidegate.engine import Engine, Sources

SHAPES = [
    *GUARDS,
    *LIMITS,
    {"kind": "path", "deny": ["/etc/**", "/etc/passwd", "**/*.py", "**"], "unknown": "ask", "effect": "deny"},
    {"kind": "path", "allow": ["{root}/**", "{root}/src/**", "/**"]},
    {"kind": "path", "only": ["{root}/**", "{root}/src/*"], "access": ["read", "write"]},
    {"kind": "command", "deny": ["git push", "git push -f", "git", "curl"], "code": "allow"},
    {"kind": "command", "allow": ["git status ...", "git status", "ls ..."], "effects": ["read", "list"]},
    {"kind": "url", "deny": ["https://*.test", "https://a.test", "http://a.test"], "unknown": "deny"},
    {"kind": "url", "deny_ranges": ["loopback", "private"], "except": [{"url": "http://a.test"}]},
    {"kind": "tools", "deny": ["read_*", "read_file", "*"], "except": [{"tool": "x_*"}]},
    {"kind": "tools", "allow": ["read_*", "read_file", "x_get"], "tools": ["read_*", "read_file"]},
    {"kind": "arguments", "argument": "/n", "min": 1, "max": 3},
]


@given(st.lists(st.sampled_from(SHAPES), min_size=1, max_size=3))
def test_mutant_is_another_rule_set_in_one_place(rules):
    """Each edit changes the rule that it names and no other, and no two edits are the same."""
    loaded = suite_of(rules_text(rules, "ask")).loaded
    found = mutants(loaded)
    before = {rule.address: rule.fields for rule in loaded.rule_sets[0].rules}
    for mutant in found:
        after = {rule.address: rule.fields for rule in mutant.applied(loaded).rule_sets[0].rules}
        changed = [address for address, fields in before.items() if after.get(address) != fields]

        assert changed == ([mutant.rule] if mutant.rule else [])
    assert len({repr(mutant.applied(loaded)) for mutant in found}) == len(found)


@given(st.sampled_from(SHAPES), st.lists(calls(), min_size=1, max_size=6))
@example(SHAPES[9], [{"tool": "read_file", "args": {"path": "/etc/passwd"}}])
def test_edit_that_is_proved_to_change_nothing_changes_nothing(rule, made):
    """Rules before and after such an edit decide every call alike."""
    suite = suite_of(rules_text([rule], "ask"))
    judge = Judge(suite)
    for number, mutant in enumerate(judge.mutants):
        if judge.judge(number).fate != "equivalent":
            continue
        note(f"{mutant.edit}: {mutant.before} -> {mutant.after}")
        after = Engine(compile_plan(mutant.applied(suite.loaded), now=0.0), Sources(), engine_of_facts())
        before = engine_of(rules_text([rule], "ask"))

        assert [decided(before, call).effect for call in made] == [decided(after, call).effect for call in made]


def engine_of_facts():
    """The facts of the world of tests."""
    return engine_of("version = 1\n").facts


def proved(rule):
    """The edits of a rule that are proved to change nothing, with the proof."""
    judge = Judge(suite_of(rules_text([rule], "ask")))
    judged = [judge.judge(number) for number in range(len(judge.mutants))]

    return [
        (judge.mutants[one.number].edit, judge.mutants[one.number].before, one.by)
        for one in judged
        if one.fate == "equivalent"
    ]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (
            {"kind": "path", "deny": ["/etc/**", "/etc/passwd"]},
            ("drop a pattern", '"/etc/passwd"', "`/etc/**` names all that it names"),
        ),
        (
            {"kind": "tools", "allow": ["read_*", "read_file"]},
            ("drop a pattern", '"read_file"', "`read_*` names all that it names"),
        ),
        (
            {"kind": "path", "deny": ["/etc/**"], "unknown": "ask"},
            ("drop a field", 'unknown = "ask"', "the rule means the same without it"),
        ),
    ],
    ids=["path", "tools", "default"],
)
def test_edit_that_changes_nothing_is_recognised(rule, expected):
    """What another pattern names as well, and what would hold anyway, is told apart, and why."""
    assert expected in proved(rule)


def test_pattern_that_says_something_of_its_own_is_no_equivalent():
    """Patterns that overlap and do not hold each other both count."""
    assert [one for one in proved({"kind": "path", "deny": ["/etc/**", "**/passwd"]}) if "drop a pattern" in one] == []


TESTED = """\
version = 1
default = "deny"

[[rule]]
id = "work"
kind = "path"
allow = ["{root}/**"]
otherwise = "deny"

[[rule.example]]
call = { tool = "read_file", args = { path = "/etc/x" } }
expect = "deny"

[[rule.example]]
call = { tool = "read_file", args = { path = "a/b.py" } }
expect = "allow"

[[rule]]
id = "budget"
kind = "rate-limit"
limit = "2/minute"
tools = ["search"]

[[rule.example]]
calls = [
  { tool = "search", args = {}, at = 0 },
  { tool = "search", args = {}, at = 1 },
  { tool = "search", args = {}, at = 2 },
  { tool = "other", args = {}, at = 3 },
]
expect = ["pass", "pass", "deny", "pass"]
"""


def fates(rules, tests=""):
    """What became of every mutant, by what was edited."""
    suite = suite_of(rules, tests)
    judge = Judge(suite)
    return {
        (mutant.rule, mutant.edit, mutant.before, mutant.after): judge.judge(number).fate
        for number, mutant in enumerate(judge.mutants)
    }


def test_examples_notice_edits_of_their_rule():
    """A bound moved either way, a list-item dropped, an answer swapped, the rule gone: each is noticed."""
    found = fates(TESTED)

    assert found["budget", "move a bound", 'limit = "2/minute"', 'limit = "3/minute"'] == "killed"
    assert found["budget", "move a bound", 'limit = "2/minute"', 'limit = "1/minute"'] == "killed"
    assert found["budget", "drop the rule", 'id = "budget"', ""] == "killed"
    assert found["budget", "drop a field", 'tools = ["search"]', ""] == "killed"
    assert found["work", "swap an answer", 'otherwise = "deny"', 'otherwise = "ask"'] == "killed"
    assert found["work", "drop a field", 'otherwise = "deny"', ""] == "killed"
    assert found["work", "narrow a pattern", '"{root}/**"', '"{root}/*"'] == "killed"
    assert found["work", "drop a field", 'allow = ["{root}/**"]', ""] == "refused"
    assert {fate for (rule, *_), fate in found.items() if rule} == {"killed", "refused"}


def test_examples_of_a_rule_say_nothing_of_the_default():
    """Only a test of all rules together notices another default."""
    swap = ("", "swap the default", 'default = "deny"', 'default = "allow"')
    test = written(call={"tool": "other", "args": {}}, expect="deny")

    assert fates(TESTED)[swap] == "survived"
    assert fates(TESTED, test)[swap] == "killed"


def test_rule_without_examples_is_noticed_by_tests_or_not_at_all():
    """A rule that nothing tests has no mutant that is noticed, and one test is enough for some."""
    rules = 'version = 1\ndefault = "allow"\n[[rule]]\nid = "env"\nkind = "path"\ndeny = ["**/.env"]\n'
    test = written(call={"tool": "read_file", "args": {"path": ".env"}}, expect="deny")

    assert set(fates(rules).values()) == {"survived", "refused"}
    assert fates(rules, test)["env", "drop the rule", 'id = "env"', ""] == "killed"
    assert fates(rules, test)["env", "widen a pattern", '"**/.env"', '"**/*"'] == "survived"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"expect": "deny"}, True),
        ({"expect": ("pass", "deny")}, True),
        ({"expect": "pass"}, False),
        ({"call": {"tool": "x", "args": {"n": 1}}, "expect_arguments": {"n": 1}}, False),
        ({"call": {"tool": "x", "args": {"n": 1}}, "expect_arguments": {"n": 2}}, True),
        ({"result": "x", "expect_result": "x"}, False),
        ({"result": "x", "expect_result": "y"}, True),
    ],
    ids=str,
)
def test_example_notices_that_its_rule_is_gone_where_it_expects_anything_of_it(fields, expected):
    """An example that expects nothing to happen would hold without the rule."""
    assert speaks(ExampleFields(**fields)) == expected


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("path", "~/.ssh/**", {"~/**", "~/.ssh/*"}),
        ("path", "**/.env", {"**/*", ".env"}),
        ("path", "**/.git/hooks/**", {"**/.git/**", "**/.git/hooks/*", ".git/hooks/**"}),
        ("path", "{root}/**", {"{root}/*"}),
        ("path", "**", set()),
        ("url", "https://*.example.com", {"https://example.com", "https://*"}),
        ("url", "https://example.com/a", {"https://*.example.com/a", "https://example.com"}),
        ("url", "http://127.0.0.1:*", {"http://127.0.0.1"}),
        ("name", "mcp__notes__list", {"mcp__notes__*"}),
        ("name", "read_*", {"*"}),
        ("name", "*", set()),
        ("command", "git push --force", {"git push"}),
        ("command", "git", set()),
        ("command", "git checkout -- **", {"git checkout"}),
        ("command", "git push ...", {"git ..."}),
        ("grant", "git status ...", {"git status"}),
        ("grant", "make test", {"make test ..."}),
    ],
)
def test_pattern_is_edited_in_its_own_language(language, text, expected):
    """A folder becomes the one around it, a host any beneath it, an option is left out."""
    assert {edited for _, edited in edits(text, language)} == expected


def test_several_processes_judge_as_one_does(tmp_path):
    """However the mutants are shared out, the same becomes of each."""
    (tmp_path / "rules.toml").write_text(
        TESTED + '[[rule]]\nid = "many"\nkind = "path"\ndeny = [' + ", ".join(f'"/a{i}/**"' for i in range(20)) + "]\n"
    )
    tests = written(call={"tool": "read_file", "args": {"path": "/a3/b"}}, expect="deny", only=["work", "many"])
    (tmp_path / "a.test.toml").write_text(f'version = 1\nrules = "rules.toml"\n{tests}')
    (suite,), findings = gather(RulePaths(), [tmp_path / "a.test.toml"], tmp_path)

    assert findings == []
    assert list(judge_all(suite, tmp_path, 2)) == list(judge_all(suite, tmp_path, 1))


TWICE = [{"tool": "x_get", "args": {}}, {"tool": "x_get", "args": {}}]


@given(
    st.lists(st.sampled_from(SHAPES), min_size=1, max_size=3),
    st.lists(calls(), min_size=1, max_size=4),
    st.integers(0, 5),
)
@example([LIMITS[0]], TWICE, None).via("limits are exchanged as well")
def test_plan_with_a_rule_exchanged_decides_as_one_compiled_anew(rules, made, start):
    """A mutant is judged by the plan that loading the edited rules would give."""
    suite = suite_of(rules_text([{"kind": "tools", "allow": ["x_get"]}, *rules], "ask"))
    judge = Judge(suite)
    for mutant in judge.mutants if start is None else judge.mutants[start::6]:
        before = judge._subjects.get((0, mutant.rule))
        after = judge._edited(mutant, before) if before else "none"
        if isinstance(after, str):
            continue
        plan = _exchanged(suite.outcome.plan, before.rule, after and after.rule)
        anew = Engine(compile_plan(mutant.applied(suite.loaded), now=0.0), Sources(), engine_of_facts())
        other = Engine(suite.outcome._replace(plan=plan), Sources(), engine_of_facts())

        assert [decided(other, call)[:3] for call in made] == [decided(anew, call)[:3] for call in made]


def test_proof_is_not_made_of_doubt():
    """Where the languages cannot be compared, the edit counts as one that a test should notice."""
    suite = suite_of(rules_text([{"kind": "sequence", "tools": ["x"], "after": [{"tool": "a"}, {"tool": "b"}]}], "ask"))
    judge = Judge(suite)
    subject = suite.outcome.subjects[0]
    mutant = next(one for one in judge.mutants if one.edit == "drop a pattern")
    after = judge._edited(mutant, subject)

    assert why_equivalent(mutant, subject, after, suite.outcome) == ""
