"""The law of examples: an inline example answers what a plan with that rule alone answers."""

import json

import attrs
from hypothesis import example, given, note
from hypothesis import strategies as st

from tests.laws.worlds import Clock
from tidegate.compile.compiler import compile_plan
from tidegate.compile.examples import WORDS, check_examples
from tidegate.engine import Engine, Sources
from tidegate.facts import Facts
from tidegate.facts.counters import MemoryCounters
from tidegate.lang.inline import inline
from tidegate.lang.layers import loads

ROOT, HOME = "/srv/project", "/home/dev"
HEAD = 'version = 1\n[tools."x_*"]\ntarget = { role = "url" }\n'

TOOLS = ["read_file", "run_bash", "http_get", "x_get", "other"]
WHENS = [
    {"agent": "dev"},
    {"session": ["s1", "s2"]},
    {"path": "{root}/**"},
    {"url": "https://a.test"},
    {"command": "git ..."},
    {"tool": "x_*"},
    {"args": {"n": {"min": 3}}},
]
GUARDS = [
    {"kind": "path", "allow": ["{root}/**"]},
    {"kind": "path", "deny": ["/etc/**"], "effect": "ask"},
    {"kind": "path", "allow": ["{root}/**"], "otherwise": "deny"},
    {"kind": "command", "allow": ["git status ...", "ls ..."]},
    {"kind": "command", "deny": ["git push"], "except": [{"agent": "dev"}]},
    {"kind": "url", "deny": ["https://a.test"], "unknown": "deny"},
    {"kind": "url", "only": ["https://a.test"]},
    {"kind": "tools", "allow": ["read_*", "x_get"]},
    {"kind": "tools", "deny": ["x_get"], "effect": "ask", "except": [{"url": "https://a.test"}]},
]
LIMITS = [
    {"kind": "rate-limit", "limit": "1/minute", "per": per}
    for per in (["tool"], ["host"], ["session"], ["agent", "host"])
]
REWRITES = [
    {"kind": "rewrite", "set": {"/n": 1}},
    {"kind": "rewrite", "default": {"/n": 3}},
    {"kind": "rewrite", "clamp": {"/n": {"max": 2}}},
    {"kind": "rewrite", "set": {"/path": 7}},
]
PATHS = st.sampled_from(["a.py", "/etc/passwd", "../x", "{root}/b", 3])
URLS = st.sampled_from(["https://a.test/x", "https://b.test/", "http://A.test", "a.test", ""])
COMMANDS = st.sampled_from(["git status", "git push -f", "cd /etc && ls", "curl https://a.test/", "$(x)", "ls; ls"])
NUMBERS = st.integers(0, 5)


@st.composite
def rules(draw, shapes):
    """A rule of one of these shapes, perhaps for some tools and perhaps with a condition."""
    rule = {"id": "alone", **draw(st.sampled_from(shapes))}
    if draw(st.booleans()):
        rule["tools"] = draw(st.lists(st.sampled_from([*TOOLS, "*_file", "READ_FILE"]), min_size=1, max_size=2))
    if draw(st.booleans()):
        rule["when"] = draw(st.sampled_from(WHENS))
    return rule


@st.composite
def calls(draw):
    """A call of a tool with arguments that its bindings may or may not take."""
    names = {"path": PATHS, "url": URLS, "target": URLS, "command": COMMANDS, "n": NUMBERS}
    given = draw(st.lists(st.sampled_from(sorted(names)), unique=True, max_size=4))
    call = {"tool": draw(st.sampled_from(TOOLS)), "args": {name: draw(names[name]) for name in given}}
    place = {"agent": st.sampled_from(["dev", "ops"]), "session": st.sampled_from(["s1", "s3"])}
    place["interactive"] = st.booleans()
    return {**call, **{key: draw(value) for key, value in place.items() if draw(st.booleans())}}


def text_of(rule, default, *examples):
    """A file that holds the rule, and nothing else that could speak."""
    lines = [f"{key} = {inline(value)}" for key, value in rule.items()]
    for one in examples:
        lines += ["[[rule.example]]", *(f"{key} = {inline(item)}" for key, item in one.items())]
    return f'default = "{default}"\n{HEAD}[[rule]]\n' + "\n".join(lines) + "\n"


def engine_of(rule, default):
    """An engine over the rule alone, in the world of examples."""
    counters = MemoryCounters()
    facts = Facts(Clock(), lambda _: counters, cwd=lambda: ROOT, home=HOME)
    facts = attrs.evolve(facts, files=NoLinks())
    return Engine(compile_plan(loads(text_of(rule, default)), now=0.0), Sources(), facts)


class NoLinks:
    """A file system without any link."""

    def readlink(self, _):
        return None

    def kind(self, _):
        return "absent"

    def names(self, _):
        return None


def decided(engine, call, at=None):
    """The engine's decision about a call at its place."""
    place = {key: value for key, value in call.items() if key not in ("tool", "args")}
    return engine.decide(call["tool"], call["args"], **{"cwd": ROOT, "root": ROOT, "home": HOME, "at": at, **place})


def wrong(rule, default, *examples):
    """What is wrong with examples of the rule."""
    text = text_of(rule, default, *examples)
    note(text)
    outcome = compile_plan(loads(text), now=0.0)
    assert outcome.plan is not None, outcome.findings

    return [finding.what for finding in check_examples(outcome)]


def holding(rule, default, call):
    """The one word that holds for a call, of all that an example can expect."""
    failed = wrong(rule, default, *({"call": call, "expect": word} for word in WORDS))
    held = [word for number, word in enumerate(WORDS, 1) if not any(f"example {number} " in what for what in failed)]
    assert len(held) == 1

    return held[0]


@given(rules(GUARDS), calls())
def test_example_of_a_guard_answers_what_the_plan_answers(rule, call):
    """It refuses as the engine refuses, allows where the engine needs no other rule, and else passes."""
    asking = decided(engine_of(rule, "ask"), call)
    denying = decided(engine_of(rule, "deny"), call)
    refuses = asking.rule is not None and asking.effect != "allow"
    expected = asking.effect if refuses else "allow" if denying.allowed else "pass"

    assert holding(rule, "ask", call) == expected


UNREADABLE = {"tool": "read_file", "args": {"command": "$(x)"}}


@given(rules(LIMITS), st.lists(calls(), min_size=1, max_size=4))
@example({"id": "alone", **LIMITS[0], "when": {"path": "{root}/**"}}, [UNREADABLE]).via("a condition on an unknown")
@example({"id": "alone", **LIMITS[0], "when": {"command": "git ..."}}, [UNREADABLE]).via("a condition on an unknown")
def test_example_of_a_limit_answers_what_the_plan_answers(rule, several):
    """Each call of a row is counted where the engine counts it, and nowhere else."""
    engine = engine_of(rule, "allow")
    answers = [decided(engine, call, at=0.0).effect for call in several]
    expected = ["pass" if answer == "allow" else answer for answer in answers]
    other = ["deny" if answer == "pass" else "pass" for answer in expected]

    assert wrong(rule, "allow", {"calls": several, "expect": expected}) == []
    assert wrong(rule, "allow", {"calls": several, "expect": other}) != []


@given(rules(REWRITES), calls())
def test_example_of_a_rewrite_answers_what_the_plan_answers(rule, call):
    """The arguments become what the engine makes of them; `pass` holds only where it changes nothing."""
    decision = decided(engine_of(rule, "allow"), call)
    shown = {"call": call}
    if not decision.allowed:
        assert wrong(rule, "allow", {**shown, "expect": decision.effect}) == []
    else:
        arguments = json.loads(json.dumps(decision.arguments))
        passes = wrong(rule, "allow", {**shown, "expect": "pass"}) == []

        assert wrong(rule, "allow", {**shown, "expect_arguments": arguments}) == []
        assert wrong(rule, "allow", {**shown, "expect_arguments": {**arguments, "more": 1}}) != []
        assert passes == (arguments == call["args"])


@given(st.sampled_from(TOOLS), st.sampled_from(["dev", "ops"]), st.booleans(), st.booleans())
def test_example_of_an_output_rule_answers_what_the_plan_answers(tool, agent, for_tool, for_agent):
    """A result is shaped only where the rule is about its call."""
    about = {**({"tools": ["read_file"]} if for_tool else {}), **({"when": {"agent": "dev"}} if for_agent else {})}
    rule = {"id": "alone", "kind": "truncate", "max_lines": 2, **about}
    call = {"tool": tool, "args": {}, "agent": agent}
    applies = (not for_tool or tool == "read_file") and (not for_agent or agent == "dev")
    untouched = {"call": call, "result": "a\nb\nc\nd\n", "expect_result": "a\nb\nc\nd\n"}

    assert (wrong(rule, "allow", untouched) == []) == (not applies)
