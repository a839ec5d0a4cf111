"""The kind `mcp`: identities, look-alikes, hints and pins; `tests/adapters/test_mcp_pins.py` has real servers."""

import json
from hashlib import sha256

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from tests.kinds.making import case, made, problems
from tests.laws.worlds import facts
from tidegate.call import Call
from tidegate.calls import call_of
from tidegate.compile.compiler import compile_plan
from tidegate.decision import STRICTNESS
from tidegate.errors import CallError
from tidegate.kernel.json_values import snapshot
from tidegate.kernel.told import SAID, Told
from tidegate.kind import Effect, Tool, Unknown
from tidegate.kinds.mcp import KIND
from tidegate.lang.layers import loads
from tidegate.pins import BadPins, read_pins, written
from tidegate.plan.judge import answer
from tidegate.plan.rule import Rule
from tidegate.plan.sitting import Sitting
from tidegate.served import public_name, served

HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
USE = Effect("use", "a tool")
names = st.text(st.sampled_from("abAB_-ο"), min_size=1, max_size=4)
annotations = st.none() | st.dictionaries(st.sampled_from(HINTS), st.booleans() | st.sampled_from(["true", None, 1, 0]))
rules_hints = st.lists(
    st.sampled_from(["read-only", "not-destructive", "idempotent", "closed-world"]), min_size=1, unique=True
)


def tool(server="github", name="create_issue", **said):
    """A tool of a server, with what it says of itself."""
    return served({"server": server, "name": name, **said})


def asks(guard, *tools):
    """What the lists of a guard say of each tool: deny, only, allow."""
    lists = (guard.denies, guard.confines, guard.grants)
    return [tuple(one and one(USE, case(tool=tool)) for one in lists) for tool in tools]


def decide(rule, tool, default="deny"):
    """What a plan of this rule decides about a call of *tool*."""
    outcome = compile_plan(loads(f'version = 1\ndefault = "{default}"\n{rule}', "/rules/rules.toml"), now=0.0)

    assert [str(finding) for finding in outcome.findings] == []
    sitting = Sitting(outcome.plan, Call(tool, snapshot({}), root="/work"), facts())
    sitting.take_all()
    return sitting.settle().effect


@given(names, names, names, names)
def test_a_grant_names_a_tool_exactly(server, name, other_server, other_name):
    """By server and by name; the same letters otherwise spelled are another tool."""
    grants = made(KIND, allow=(f"{server}/{name}",)).grants

    assert grants(USE, case(tool=tool(other_server, other_name))) is ((server, name) == (other_server, other_name))


@given(names, names, st.sampled_from([str.upper, str.lower, str.swapcase, lambda t: f" {t}", lambda t: t + "\u200b"]))
def test_a_deny_sees_through_spelling(server, name, spell):
    """Of the server and of the tool."""
    denies = made(KIND, deny=(f"{server}/{name}",)).denies

    assert denies(USE, case(tool=tool(spell(server), name)))
    assert denies(USE, case(tool=tool(server, spell(name))))


@given(names, names)
def test_a_joined_name_is_enough_for_a_deny_and_never_for_a_grant(server, name):
    """Where a harness attests no server; a confinement cannot tell then."""
    joined = Tool(public_name(server, name)) if server.isascii() and name.isascii() else Tool(f"mcp__{server}__{name}")
    pattern = (f"{server}/{name}",)

    if server.isascii() and name.isascii():
        assert made(KIND, deny=pattern).denies(USE, case(tool=joined))
    assert not made(KIND, allow=pattern).grants(USE, case(tool=joined))
    assert isinstance(made(KIND, only=pattern).confines(USE, case(tool=joined)), Unknown)


@pytest.mark.parametrize(
    ("pattern", "hits", "misses"),
    [
        ("github/*", [tool(), tool(name="a/b")], [tool("GitHub"), tool("github2"), Tool("mcp__github__create_issue")]),
        ("*/read_?", [tool("x", "read_a"), tool("y", "read_b")], [tool("x", "read_ab"), tool("x", "READ_A")]),
        (
            "resource:docs/file:///srv/*",
            [served({"server": "docs", "resource": "file:///srv/a"})],
            [tool("docs", "file:///srv/a"), served({"server": "docs", "resource": "file:///etc/a"})],
        ),
        (
            "prompt:docs/review",
            [served({"server": "docs", "prompt": "review"})],
            [tool("docs", "review"), served({"server": "docs", "resource": "review"})],
        ),
        ("*/*", [tool(), tool("x", "y")], [Tool("read_file"), served({"server": "docs", "prompt": "review"})]),
    ],
)
def test_a_pattern_names_servers_and_what_they_offer(pattern, hits, misses):
    """Tools, resources and prompts are told apart; the host's own tools are none of them."""
    grants = made(KIND, allow=(pattern,)).grants

    assert [grants(USE, case(tool=one)) for one in hits] == [True] * len(hits)
    assert [grants(USE, case(tool=one)) for one in misses] == [False] * len(misses)


@pytest.mark.parametrize("alike", ["GitHub/create_issue", "github/Create_Issue", "githuƄ/create_issue"])
def test_look_alikes_are_refused_where_the_rule_says_so(alike):
    """Of what it allows or confines to, and nothing else."""
    server, name = alike.split("/")
    guard = made(KIND, allow=("github/create_issue", "gitlab/*"), lookalikes=True)
    said = asks(guard, tool(server, name), tool(), tool("gitlab", "x"), tool("mail", "send"), Tool("read_file"))

    assert said[0] == (True, None, False)
    assert said[1:] == [(False, None, True), (False, None, True), (False, None, False), (False, None, False)]


@pytest.mark.parametrize(
    ("hint", "meets", "fails"),
    [
        (
            "read-only",
            [{"readOnlyHint": True}],
            [{}, {"readOnlyHint": True, "destructiveHint": True}, {"readOnlyHint": "true"}],
        ),
        (
            "not-destructive",
            [{"destructiveHint": False}, {"readOnlyHint": True}],
            [{}, {"readOnlyHint": True, "destructiveHint": True}, {"destructiveHint": 0}],
        ),
        ("idempotent", [{"idempotentHint": True}], [{}, {"idempotentHint": 1}]),
        ("closed-world", [{"openWorldHint": False}], [{}, {"openWorldHint": None}]),
    ],
)
def test_a_hint_must_be_said(hint, meets, fails):
    """What is not said counts as MCP's default, and so does what is no boolean."""
    confines = made(KIND, hints=(hint,)).confines

    assert [confines(USE, case(tool=tool(annotations=one))) for one in meets] == [True] * len(meets)
    assert [confines(USE, case(tool=tool(annotations=one))) for one in fails] == [False] * len(fails)
    assert isinstance(confines(USE, case(tool=tool())), Unknown)
    assert confines(USE, case(tool=Tool("read_file"))) is True


@given(
    st.sampled_from(['allow = ["*/*"]', 'only = ["a/*"]', 'allow = ["a/*"]\notherwise = "ask"', 'deny = ["a/b"]', ""]),
    rules_hints,
    annotations,
    st.sampled_from(["ask", "deny"]),
)
def test_hints_only_tighten(lists, hints, said, default):
    """A rule that asks for hints never decides more permissively than without, whatever a server says."""
    one = tool("a", "b", **({} if said is None else {"annotations": said}))
    with_hints = decide(f'[[rule]]\nid = "r"\nkind = "mcp"\n{lists}\nhints = {json.dumps(hints)}\n', one, default)
    without = decide(f'[[rule]]\nid = "r"\nkind = "mcp"\n{lists}\n', one, default) if lists else default

    assert STRICTNESS[with_hints] >= STRICTNESS[without]


@given(
    st.dictionaries(
        st.sampled_from([*SAID, "name", "icons"]), st.text() | st.none() | st.dictionaries(names, st.integers())
    )
)
def test_a_digest_is_of_what_the_server_says(entry):
    """SHA-256 of canonical JSON of what is said, in whatever order; other keys and nulls are left out."""
    said = {key: entry[key] for key in sorted(entry) if key in SAID and entry[key] is not None}
    text = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    shuffled = dict(reversed(entry.items()))

    assert Told.of(entry).digest == Told.of(shuffled).digest == f"sha256:{sha256(text.encode()).hexdigest()}"


@given(st.sampled_from(SAID), st.text(min_size=1), st.text(min_size=1))
def test_another_word_is_another_digest(key, one, other):
    """In each of the keys."""
    assert (Told.of({key: one}).digest == Told.of({key: other}).digest) is (one == other)


digests = st.builds(lambda number: f"sha256:{number:064x}", st.integers(0, 2**256 - 1))


@given(st.dictionaries(st.tuples(st.text(min_size=1), st.text(min_size=1)), digests))
def test_written_pins_are_read_again(pins):
    """Whatever servers and tools are called."""
    assert read_pins(written(pins).encode()) == pins


@pytest.mark.parametrize(
    "text",
    [
        "",
        "version = 2",
        "version = 1\nserver = 1",
        "version = 1\nservers = []",
        "version = 1\n[servers]\na = 1",
        'version = 1\n[servers.a]\nb = "sha256:00"',
        "version = 1\n[servers.a]\nb = 1",
        "version = 1\nversion = 1",
    ],
)
def test_what_is_no_file_of_pins_is_refused(text):
    """None of it is guessed."""
    with pytest.raises(BadPins):
        read_pins(text.encode())


@pytest.mark.parametrize("pattern", ["github", "/x", "github/", "resource:docs", "prompt:/x", "", "mcp__github__x"])
def test_a_pattern_without_server_or_name_is_a_finding(pattern):
    """At its place in the array."""
    assert problems(KIND, deny=("a/b", pattern)) == [("bad-pattern", ("deny", 1))]


def test_a_failing_word_of_explanation_leaves_the_refusal():
    """A rule that cannot say why still refuses."""
    guard = evolve(made(KIND, deny=("a/*",)), explains=lambda *_: 1 / 0)
    call = case(tool=tool("a", "b"), effects=(USE,))

    assert [one.says for one in answer(Rule("r", "mcp", guard), call)] == ["deny"]


@pytest.mark.parametrize(
    ("table", "error"),
    [
        ({"name": "x"}, "`server` in `tool` must be a text"),
        ({"server": "a"}, "`tool` must have one of `name`, `resource`, `prompt` and `request`"),
        (
            {"server": "a", "name": "x", "prompt": "y"},
            "`tool` must have one of `name`, `resource`, `prompt` and `request`",
        ),
        ({"server": "a", "name": ""}, "`name` in `tool` must be a text"),
        ({"server": "a", "nam": "x"}, "unknown key `nam` in `tool`; write `name`"),
        ({"server": "a", "name": "x", "annotations": []}, "`annotations` in `tool` is of the wrong type"),
        ({"server": "a", "prompt": "x", "title": "t"}, "`title` is said of tools alone"),
    ],
)
def test_a_line_that_names_no_tool_of_a_server_is_no_call(table, error):
    """And says why."""
    with pytest.raises(CallError) as raised:
        call_of({"tool": table, "args": {}})
    assert str(raised.value) == error


def test_a_line_names_a_tool_of_a_server():
    """With what the server says of it, if that is known."""
    call = call_of({"tool": {"server": "git", "name": "log", "description": "d"}, "args": {}})

    assert call.tool == Tool("mcp__git__log", "mcp", "git", "log")
    assert call.tool.told.said == {"description": "d"}
    assert call_of({"tool": {"server": "git", "name": "log"}, "args": {}}).tool.told is None
