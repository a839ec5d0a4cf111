"""`tidegate new exceptions`: what was recorded passes, for a time, and nothing else does."""

import datetime as dt
import json
import tempfile
from pathlib import Path

import pytest
import tomli
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from tidegate import Engine
from tidegate.audit.jsonl import JsonlSink
from tidegate.calls import call_of
from tidegate.cli.excepting import exceptions_for
from tidegate.cli.exception_file import Excepted, Reach, rendered
from tidegate.compile.compiler import compile_plan
from tidegate.facts.local import local_facts
from tidegate.lang.layers import load

RULES = """\
version = 1
default = "allow"
include = ["pack:baseline", "./web.toml"]
"""
INCLUDING = RULES.replace('"./web.toml"', '"./web.toml", "./exceptions.toml"')
WEB = """\
version = 1

[[rule]]
id = "known-sites"
kind = "url"
only = ["https://example.com"]

[[rule]]
id = "no-mail"
kind = "tools"
deny = ["send_email"]
message = "people send mail"

[[rule]]
id = "small-refunds"
kind = "arguments"
tools = ["refund"]
argument = "/cents"
max = 100
extra = "allow"

[[rule.example]]
call = { tool = "refund", args = { cents = 100 } }
expect = "pass"
"""
REFUSED = [
    ("read_file", {"path": ".env"}),
    ("read_file", {"path": "sub/.env"}),
    ("read_file", {"path": "odd[1]*/.env"}),
    ("read_file", {"path": "{here}/../outside/.env"}),
    ("run_bash", {"command": "cat .env"}),
    ("run_bash", {"command": "base64 < .env"}),
    ("run_bash", {"command": "tar cz ~/.ssh | wc -c"}),
    ("run_bash", {"command": "rm -rf out"}),
    ("run_bash", {"command": "rm -rf ./out/a"}),
    ("run_bash", {"command": "cd sub && rm -rf out"}),
    ("run_bash", {"command": "git push -f origin main"}),
    ("run_bash", {"command": "git push --force origin other"}),
    ("run_bash", {"command": "git reset --hard && git stash clear"}),
    ("run_bash", {"command": "curl https://other.test/a"}),
    ("http_get", {"url": "https://other.test/a"}),
    ("http_get", {"url": "https://other.test/b?c=d"}),
    ("http_get", {"url": "https://other.test/b?c=e"}),
    ("http_get", {"url": "https://other.test/*"}),
    ("http_get", {"url": "https://third.test/"}),
    ("send_email", {"to": "a@example.com", "body": 'x "y"\n'}),
    ("send_email", {"to": "b@example.com"}),
    ("send_email", {}),
    ("refund", {"cents": 101, "to": [1, {"a": 2.5}]}),
    ("refund", {"cents": 101}),
    ("unknown_tool", {"where": "~/.ssh/id_rsa"}),
]
"""Calls of which each is refused, and none does what another one does."""


def filled(folder, rules=RULES):
    (folder / "rules.toml").write_text(rules, encoding="utf-8")
    (folder / "web.toml").write_text(WEB, encoding="utf-8")
    return folder / "rules.toml"


def call(folder, tool, args, **more):
    args = {
        key: value.replace("{here}", str(folder)) if isinstance(value, str) else value for key, value in args.items()
    }
    return {"tool": tool, "args": args, "cwd": str(folder), "root": str(folder), "home": str(folder / "home"), **more}


def lines(values):
    return "".join(json.dumps(value) + "\n" for value in values)


subsets = st.lists(st.sampled_from(range(len(REFUSED))), min_size=1, unique=True)


@settings(max_examples=25)
@given(subsets, st.sampled_from([None, "helper"]))
def test_exactly_what_was_recorded_passes(recorded, agent):
    """The written file has no finding once it is included, the recorded calls pass, and all others are refused."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        facts = local_facts(folder / "state")
        loaded = load(project=filled(folder))
        plan = compile_plan(loaded, now=facts.clock.now()).plan
        reach = Reach(loaded, folder)
        more = {"agent": agent} if agent else {}
        calls = [call_of(call(folder, *one, **more)) for one in REFUSED]
        excepted = {}
        for at in recorded:
            for rule, table in exceptions_for(calls[at], plan, facts, reach.why_not).exceptions:
                excepted.setdefault(rule.id, Excepted(reach.raw(rule), rule.message)).add(table, 1.0)
        today = dt.datetime.now(dt.UTC).date()
        text = rendered(excepted.values(), reach, today, today + dt.timedelta(days=30))
        (folder / "exceptions.toml").write_text(text, encoding="utf-8")
        engine = Engine.load(filled(folder, INCLUDING), facts=facts)

        assert engine.findings == ()
        assert [at for at, one in enumerate(calls) if engine.judge(one).allowed] == sorted(recorded)
        strangers = (evolve(one, agent="other") for one in calls)
        assert [one for one in strangers if agent and engine.judge(one).allowed] == []


@pytest.mark.parametrize("command", ["rm -rf out", "cat .env", "tar cz .env | wc -c"])
def test_a_command_is_excepted_where_it_ran(tidegate, tmp_path, command):
    """In another folder the same words mean other files."""
    filled(tmp_path)
    here = call(tmp_path, "run_bash", {"command": command})
    value = decided(tidegate, tmp_path, [here])
    filled(tmp_path, INCLUDING)
    (tmp_path / "calls.jsonl").write_text(lines([here, here | {"cwd": str(tmp_path / "sub")}]))
    answers = tidegate("decide", "rules.toml", "calls.jsonl").stdout.splitlines()

    assert value["calls"] == 1
    assert [json.loads(answer)["effect"] for answer in answers] == ["allow", "deny"]


def test_exceptions_from_what_decide_printed(tidegate, tmp_path):
    """The decisions of `decide` with its calls: once the file is included every call passes, and `check` is content."""
    filled(tmp_path)
    known = [one for one in REFUSED if one[0] != "unknown_tool"]  # of others `check` says that nobody knows them
    calls = [call(tmp_path, tool, args, call_id=str(at)) for at, (tool, args) in enumerate(known)]
    (tmp_path / "calls.jsonl").write_text(lines([*calls, calls[0] | {"call_id": "again"}]) + "\n", encoding="utf-8")
    (tmp_path / "decisions.jsonl").write_bytes(tidegate("decide", "rules.toml", "calls.jsonl").stdout)
    done = tidegate("new", "exceptions", "decisions.jsonl", "--calls", "calls.jsonl", "--ttl", "20d")
    written = (tmp_path / "exceptions.toml").read_text(encoding="utf-8")
    filled(tmp_path, INCLUDING)
    checked = tidegate("check", "--strict")
    decided = tidegate("decide", "rules.toml", "calls.jsonl")
    ends = dt.datetime.now(dt.UTC).date() + dt.timedelta(days=20)

    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().startswith("wrote exceptions.toml: ")
    assert "for 25 calls; read it, then include it in rules.toml" in done.stdout.decode()
    assert '  # 2 calls\n  { tool = "read_file", path = "{root}/.env", expires = ' in written
    assert "# It said: people send mail\n[[override]]" in written
    assert {one["expires"] for rule in tomli.loads(written)["override"] for one in rule["except"]} <= {
        ends,
        ends - dt.timedelta(days=1),
    }
    assert (checked.returncode, checked.stdout[:5]) == (0, b"fine:")
    assert decided.returncode == 0


def test_exceptions_from_the_audit(tidegate, tmp_path):
    """Decision records tell the call themselves, and when the last one was."""
    rules = filled(tmp_path)
    with JsonlSink(tmp_path / "audit.jsonl") as sink:
        engine = Engine.load(rules, facts=local_facts(tmp_path / "state"), recorders=[sink])
        for day in (1, 2):
            engine.decide("read_file", {"path": ".env"}, cwd=str(tmp_path), agent="a", at=1_796_000_000 + day * 86_400)
        engine.decide("read_file", {"path": "README.md"}, cwd=str(tmp_path))
    done = tidegate("new", "exceptions", "audit.jsonl", "--json")
    value = json.loads(done.stdout)

    assert (done.returncode, value["exceptions"], value["calls"], value["passed_over"]) == (0, 1, 2, [])
    assert "# 2 calls, the last on 2026-12-02" in value["toml"]
    assert tomli.loads(value["toml"])["include"] == ["pack:baseline"]
    (override,) = tomli.loads(value["toml"])["override"]
    assert override["rule"] == "baseline/secrets"
    assert {key: override["except"][0][key] for key in ("tool", "agent", "path")} == {
        "tool": "read_file",
        "agent": "a",
        "path": "{root}/.env",
    }


def decided(tidegate, folder, calls, *options):
    """What is written of these calls, by the options of both commands."""
    (folder / "calls.jsonl").write_text(lines(calls), encoding="utf-8")
    (folder / "decisions.jsonl").write_bytes(tidegate("decide", "rules.toml", "calls.jsonl", *options).stdout)
    done = tidegate("new", "exceptions", "decisions.jsonl", "--calls", "calls.jsonl", "--json", *options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("overridable", [False, True])
def test_a_higher_layer_says_whether_it_may_be_excepted_from(tidegate, tmp_path, overridable):
    """Nothing is written for what a rule refuses that is not released, and what is written for others is reached."""
    released = "overridable = true\n" if overridable else ""
    rule = f'[[rule]]\nid = "no-keys"\nkind = "path"\ndeny = ["**/*.key"]\n{released}'
    (tmp_path / "managed.toml").write_text(f'version = 1\ndefault = "allow"\n{rule}', encoding="utf-8")
    filled(tmp_path)
    calls = [call(tmp_path, "read_file", {"path": "a.key"}), call(tmp_path, "run_bash", {"command": "cat .env a.key"})]
    value = decided(tidegate, tmp_path, calls, "--managed", "managed.toml")
    filled(tmp_path, INCLUDING if overridable else RULES)
    again = tidegate("decide", "rules.toml", "calls.jsonl", "--managed", "managed.toml")

    assert (value["calls"], again.returncode) == ((2, 0) if overridable else (0, 1))
    assert (value["toml"] == "") is not overridable
    assert overridable or "not marked `overridable`" in value["passed_over"][0]["why"]


@pytest.mark.parametrize(
    ("tool", "args", "why"),
    [
        ("run_bash", {"command": "$UNKNOWN"}, "can name just this"),
        ("run_bash", {"command": "cat x | bash"}, "can name just this"),
        ("run_bash", {"command": "rm -rf $DIR"}, "can name just this"),
        ("send_email", {"body": None}, "can name just this"),
        ("send_email", {"body": "x" * 5_000}, "can name just this"),
        ("write_file", {"path": "rules.toml", "content": ""}, "would refuse it all the same"),
        ("touch_own", {}, "stands in rules.toml itself"),
        ("too_often", {"n": 2}, "`few` would refuse it all the same"),
    ],
    ids=["unknown", "piped", "variable", "null", "long", "protected", "own-rule", "limit"],
)
def test_what_gets_no_exception(tidegate, tmp_path, tool, args, why):
    """What nobody can tell or TOML cannot say, what rules protect, and what no override reaches."""
    own = '[[rule]]\nid = "own"\nkind = "tools"\ndeny = ["touch_own"]\n'
    few = '[[rule]]\nid = "few"\nkind = "quota"\ntools = ["too_often"]\nlimit = 1\ncost = "/n"\n'
    filled(tmp_path, f"{RULES}\n{own}\n{few}")
    value = decided(tidegate, tmp_path, [call(tmp_path, tool, args)])

    assert (value["wrote"], value["toml"], value["calls"]) == (None, "", 0)
    assert why in value["passed_over"][0]["why"]
    assert not (tmp_path / "exceptions.toml").exists()


def test_what_no_rule_grants_gets_no_exception(tidegate, tmp_path):
    """An exception lifts a refusal; it grants nothing."""
    filled(tmp_path, RULES.replace("allow", "ask"))
    value = decided(tidegate, tmp_path, [call(tmp_path, "read_file", {"path": ".env"})])

    assert [one["why"] for one in value["passed_over"]] == [
        "read_file: the default, since no rule grants it, would refuse it all the same"
    ]


def test_only_what_one_rule_refused(tidegate, tmp_path):
    """With `--rule` a call that another rule refuses as well is passed over, and others are not looked at."""
    filled(tmp_path)
    commands = ["rm -rf out", "rm -rf out && cat .env", "git push -f"]
    (tmp_path / "calls.jsonl").write_text(lines(call(tmp_path, "run_bash", {"command": one}) for one in commands))
    (tmp_path / "decisions.jsonl").write_bytes(tidegate("decide", "rules.toml", "calls.jsonl").stdout)
    options = ("--calls", "calls.jsonl", "--rule", "baseline/forced-recursive-delete")
    done = tidegate("new", "exceptions", "decisions.jsonl", *options, "--json", "--out", "-")
    wider = tidegate("new", "exceptions", "decisions.jsonl", *options, "--rule", "baseline/secrets", "--json")

    assert json.loads(done.stdout)["calls"] == 1
    assert len(tomli.loads(json.loads(done.stdout)["toml"])["override"]) == 1
    assert json.loads(wider.stdout)["calls"] == 2


def test_wider_only_where_asked(tidegate, tmp_path):
    """With `--widen` the folder and the host are excepted."""
    filled(tmp_path)
    calls = [
        call(tmp_path, "read_file", {"path": "a/b/.env"}),
        call(tmp_path, "http_get", {"url": "https://o.test/a?b"}),
    ]
    (tmp_path / "calls.jsonl").write_text(lines(calls))
    (tmp_path / "decisions.jsonl").write_bytes(tidegate("decide", "rules.toml", "calls.jsonl").stdout)
    done = tidegate("new", "exceptions", "decisions.jsonl", "--calls", "calls.jsonl", "--widen", "--out", "-")

    assert 'path = "{root}/a/b/**"' in done.stdout.decode()
    assert 'url = "https://o.test"' in done.stdout.decode()


def test_lines_that_are_none_are_passed_over(tidegate, tmp_path):
    """A broken line, a decision about a broken call, and a record without arguments are told, and the others count."""
    filled(tmp_path)
    good = call(tmp_path, "read_file", {"path": ".env"})
    (tmp_path / "calls.jsonl").write_text(lines([{"tool": "x"}, good]))
    (tmp_path / "decisions.jsonl").write_bytes(tidegate("decide", "rules.toml", "calls.jsonl").stdout)
    withheld = {"tool": "t", "effect": "deny", "rule": "r", "reason": "", "arguments": "withheld: E", "at": 1.0}
    (tmp_path / "audit.jsonl").write_text("{\n" + lines([{"effect": "maybe"}, withheld]))
    done = tidegate("new", "exceptions", "decisions.jsonl", "--calls", "calls.jsonl", "--out", "-", "--json")
    audit = tidegate("new", "exceptions", "audit.jsonl")

    assert (json.loads(done.stdout)["calls"], len(json.loads(done.stdout)["passed_over"])) == (1, 1)
    assert (audit.returncode, audit.stdout) == (0, b"wrote nothing\n")
    assert audit.stderr.count(b"passed over: line ") == 3


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["decisions.jsonl"], b"give the calls with `--calls`"),
        (["decisions.jsonl", "--calls", "others.jsonl"], b"these are other calls"),
        (["decisions.jsonl", "--calls", "more.jsonl"], b"there are more calls than decisions"),
        (["decisions.jsonl", "--calls", "calls.jsonl", "--ttl", "30 dais"], b"write `30 days`"),
        (["decisions.jsonl", "--calls", "calls.jsonl", "--out", "rules.toml"], b"is there already"),
    ],
    ids=["no-calls", "other-calls", "more-calls", "ttl", "overwriting"],
)
def test_misuse(tidegate, tmp_path, words, said):
    """Decisions need the calls that they are about; nothing is written over."""
    filled(tmp_path)
    one = call(tmp_path, "read_file", {"path": ".env"}, call_id="1")
    (tmp_path / "calls.jsonl").write_text(lines([one]))
    (tmp_path / "others.jsonl").write_text(lines([one | {"call_id": "2"}]))
    (tmp_path / "more.jsonl").write_text(lines([one, one]))
    (tmp_path / "decisions.jsonl").write_bytes(tidegate("decide", "rules.toml", "calls.jsonl").stdout)
    done = tidegate("new", "exceptions", *words)

    assert done.returncode == 2
    assert said in done.stderr
    assert not (tmp_path / "exceptions.toml").exists()
