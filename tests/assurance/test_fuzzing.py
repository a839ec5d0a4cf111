"""Fuzzing: what it tries, what it tells, and what it must not find."""

import posixpath
from random import Random

import pytest
import tomli
from hypothesis import given
from hypothesis import strategies as st

from tests.assurance.planted import PLANTED, suite
from tests.assurance.suites_of import PLACE, suite_of
from tidegate.assurance.fuzz import PROPERTIES, fuzz
from tidegate.assurance.fuzzing.approving import Step, unapproved
from tidegate.assurance.fuzzing.instances import commands_of, names_of, paths_of, texts_of, urls_of
from tidegate.assurance.fuzzing.regressions import HEADER, with_entries
from tidegate.assurance.fuzzing.respelled import Chance, path_respelled, respelled, script_of, url_respelled, varied
from tidegate.assurance.fuzzing.search import Effort
from tidegate.assurance.suites import run
from tidegate.assurance.test_files import invariants_of, parse_test_file
from tidegate.facts.approvals import MemoryApprovals
from tidegate.kernel.json_values import thaw
from tidegate.meaning.commands.table import Table

STRONG = """\
version = 1
default = "deny"

[[rule]]
id = "project"
kind = "path"
allow = ["{root}/**"]
otherwise = "deny"

[[rule]]
id = "secrets"
kind = "path"
deny = ["**/.env", "~/.ssh/**"]

[[rule]]
id = "everyday"
kind = "command"
allow = ["git status ...", "ls ...", "cat **"]

[[rule]]
id = "web"
kind = "rate-limit"
tools = ["http_get"]
limit = "3/minute"

[[rule]]
id = "pages"
kind = "url"
allow = ["https://docs.example.com/**"]
"""
MEANT = """\
[[invariant]]
id = "inside"
when = { does = ["write", "delete"], outside = "{root}/**" }
never = "allow"

[[invariant]]
id = "no-secrets"
when = { does = "read", path = ["{root}/.env", "~/.ssh/**"] }
always = "deny"

[[invariant]]
id = "few"
when = { tool = "http_get" }
at_most = "3/minute"
"""
BINDINGS = suite_of(STRONG).outcome.readers[-1].bindings


def findings_of(text):
    """What is wrong with the invariants of a text."""
    file, findings = parse_test_file(f"version = 1\n{text}".encode(), PLACE, PLACE.name)
    if file is None:
        return [(one.code, one.line) for one in findings]
    return [(one.code, one.line) for one in invariants_of(file, Table.builtin())[1]]


class TestSearch:
    """The search itself."""

    def test_policy_that_holds_is_not_complained_about(self):
        """Nothing is found where nothing is weak."""
        found = fuzz(suite_of(STRONG, MEANT), Effort(examples=80), PROPERTIES)

        assert found.violations == []
        assert set(found.tried) == set(PROPERTIES) - {"approval"}

    def test_same_seed_finds_the_same(self):
        """Without a database and a time limit the outcome is a function of rules and seed."""
        weak = suite(PLANTED[0])

        first, again = (fuzz(weak, Effort(examples=200, seed=3), ["law", "invariant"]) for _ in range(2))

        assert first.violations == again.violations != []
        assert first.tried == again.tried

    def test_several_weaknesses_are_told_apart(self):
        """One weak rule does not hide another."""
        rules = PLANTED[1]["rules"] + PLANTED[2]["rules"]

        found = fuzz(suite_of(f'version = 1\ndefault = "allow"\n{rules}'), Effort(examples=700), ["evasion"])

        assert {one.about for one in found.violations} == {"no-rm", "no-env"}

    def test_search_ends_when_the_time_is_over(self):
        """Seconds end a search, and before that it goes on with other chances."""
        found = fuzz(suite_of(STRONG, MEANT), Effort(examples=5, seconds=1.0), ["law"])

        assert found.tried["law"] > 5
        assert found.seconds < 20


class TestRegressions:
    """What was found is a test of the rules from then on."""

    @pytest.mark.parametrize("planted", [PLANTED[0], PLANTED[1], PLANTED[5]], ids=lambda one: one["name"])
    def test_what_was_found_is_written_as_a_test_that_fails(self, planted):
        """The file that is written is one of tests, which fail as long as nobody mends the rules."""
        weak = suite(planted)
        found = fuzz(weak, Effort(examples=200, enough=1), PROPERTIES)

        text = with_entries("", found.violations, "rules.toml")

        default = planted.get("default", "deny")
        again = suite_of(f'version = 1\ndefault = "{default}"\n{planted["rules"]}', text.split("\n", 4)[4])
        ran = [one for one in run(again) if one.group == "test"]
        assert len(ran) == len(found.violations) > 0
        assert all(one.finding is not None for one in ran)

    def test_what_is_known_is_not_written_again(self):
        """A second run over the same file adds nothing, and keeps what people wrote."""
        found = fuzz(suite(PLANTED[0]), Effort(examples=60), PROPERTIES)
        once = with_entries("", found.violations, "rules.toml")

        assert with_entries(once, found.violations, "rules.toml") == once
        assert once.startswith(HEADER)
        assert tomli.loads(once)["rules"] == "rules.toml"


class TestWords:
    """Words of which calls are made."""

    def test_instances_are_named_by_their_patterns(self):
        """What is made of a pattern is something that it means."""
        assert paths_of("{root}/src/**")[:2] == ["/srv/project/src/x", "/srv/project/src"]
        assert paths_of("~/.ssh/*.pub")[0] == "/home/dev/.ssh/.pub"
        assert paths_of("[broken") == []
        assert commands_of("git push --force ...") == ["git push --force", "git push --force x"]
        assert commands_of("rm -r -f /srv/**") == ["rm -r -f /srv/x"]
        assert urls_of("https://*.example.com/**") == ["https://a.example.com/x"]
        assert urls_of("example.com:*") == ["https://example.com:8443/"]
        assert names_of("read_*", ("read_file", "write_file")) == ["read_file"]
        assert names_of("mine_*", ()) == ["mine_x"]
        assert texts_of("*rm*") == ["rm", "xrmx"]

    @given(st.text(max_size=20), st.integers(0, 99))
    def test_any_text_may_be_spelled_otherwise(self, text, seed):
        """Whatever the value of an argument is, saying it otherwise fails for nobody."""
        for tool, name in (("run_bash", "command"), ("read_file", "path"), ("http_get", "url")):
            arguments = {name: text}
            of = {one.pointer: one.binding for one in BINDINGS.arguments(tool, arguments)}
            for way in (respelled, varied):
                said = way(arguments, of, Chance((seed, seed + 1), Random(seed)))

                assert said is None or isinstance(said[1][name], str)

    def test_simple_command_is_taken_apart(self):
        """Only a plain command is re-spelled word by word; any other stays whole."""
        assert script_of("rm -rf x").words == ("rm", "-rf", "x")
        assert script_of("rm -rf $x").words == ()
        assert script_of("A=b rm").words == ()
        assert script_of("'").words == ()

    @pytest.mark.parametrize("seed", range(40))
    def test_respelled_path_is_the_same_path(self, seed):
        """A path said otherwise leads to the same file."""
        said = path_respelled("src/a.py", None, Random(seed))

        assert said is not None
        paths = ["/srv/project/src/a.py", "/proc/self/root/srv/project/src/a.py"]
        assert posixpath.normpath(posixpath.join("/srv/project", said[1])) in paths

    def test_other_schemes_are_left_alone(self):
        """What is no URL of the web is not re-spelled."""
        assert url_respelled("ssh://host/x", None, Random(0)) is None


class TestInvariants:
    """`[[invariant]]` in a test file."""

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ('[[invariant]]\nid = "a"\n', [("missing-key", 2)]),
            ('[[invariant]]\nid = "a"\nnever = "allow"\nalways = "deny"\n', [("missing-key", 2)]),
            ('[[invariant]]\nid = "a"\nnever = "pass"\n', [("bad-value", 4)]),
            ('[[invariant]]\nid = "a"\nat_most = "many"\n', [("bad-limit", 4)]),
            ('[[invariant]]\nid = "a"\nnever = "allow"\nwhen = { outside = "[" }\n', [("bad-pattern", 5)]),
            ('[[invariant]]\nid = "a"\nnever = "allow"\nwhen = { path = ["/a", "["] }\n', [("bad-pattern", 5)]),
            ('[[invariant]]\nid = "a"\nnever = "allow"\nwhen = { does = "eat" }\n', [("bad-value", 5)]),
            ('[[invariant]]\nid = "a"\nnever = "allow"\nwhen = { command = "rm (" }\n', [("bad-pattern", 5)]),
            ('[[invariant]]\nid = "a"\nnever = "allow"\nwhen = { pth = "/a" }\n', [("unknown-key", 5)]),
        ],
    )
    def test_what_is_wrong_is_found_at_its_place(self, text, expected):
        """An invariant that could not be checked is a finding."""
        assert findings_of(text) == expected

    def test_calls_of_a_counterexample_stand_as_they_were_tried(self):
        """A row is told with everything that it takes to see it again."""
        found = fuzz(suite(PLANTED[5]), Effort(examples=400), ["invariant"])

        (violation,) = found.violations
        calls = [thaw(call) for call in violation.calls]
        assert len(calls) == 6
        assert {call["at"] for call in calls} == {0.0}
        assert len({call["session"] for call in calls}) > 1
        assert violation.said == ("allow",) * 6
        assert violation.trace != ()


APPROVED = """\
version = 1
default = "allow"

[[rule]]
id = "mail-is-asked"
kind = "approval"
tools = ["send_email"]
remember = ["session", "until"]
longest = "1 hour"

[[rule.example]]
call = { tool = "send_email", args = { to = "a@example.com" } }
expect = "ask"
"""
CALL = {"tool": "send_email", "args": {"to": "a@example.com"}}


class TestApprovals:
    """Rows of calls, answers and pauses."""

    def test_nothing_passes_that_nobody_allowed(self):
        """The machine finds nothing where approvals are kept as the docs say."""
        found = fuzz(suite_of(APPROVED), Effort(examples=400), ["approval"])

        assert found.violations == []
        assert found.tried == {"approval": 100}

    def test_property_is_tried_only_where_a_rule_has_terms(self):
        """Without a rule of that kind there is nothing to try."""
        assert fuzz(suite_of(STRONG), Effort(examples=5), ["approval"]).tried == {}

    @pytest.mark.parametrize("scope", ["once", "session", "until"])
    def test_answer_that_counts_too_long_is_seen(self, monkeypatch, scope):
        """A store that never forgets an answer is found out."""
        monkeypatch.setattr(MemoryApprovals, "take", lambda *_: True)
        monkeypatch.setattr(MemoryApprovals, "find", lambda self, bindings, _: self.all(-1.0))
        monkeypatch.setattr("tidegate.plan.remembered._holds", lambda *_: True)
        later = Step(0.0, 0, 0, None) if scope == "once" else Step(86_400.0, 0, 0, None)
        steps = [Step(0.0, 0, 0, scope), Step(0.0, 0, 0, None), later]

        violation = unapproved(suite_of(APPROVED).outcome, ([CALL], steps))

        assert violation is not None
        assert violation.wanted == "ask"

    @pytest.mark.parametrize("scope", ["once", "session", "until"])
    def test_answer_that_counts_is_used(self, scope):
        """What a person allowed passes once, or as often as they said; the machine really gets that far."""
        steps = [Step(0.0, 0, 0, scope), *[Step(1.0, 0, 0, None)] * 3]

        assert unapproved(suite_of(APPROVED).outcome, ([CALL], steps)) is None
