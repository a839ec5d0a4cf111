"""Every harness's hook: each decision becomes a valid answer, and the quirks of each contract are kept."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.adapters.harnesses import AFTER, BEFORE, RESULT, SHELL, Hook, checked, event, reason, rewritten, verdict
from tidegate import Engine
from tidegate.adapters.hook_answers import HARNESSES, WITHHELD, answers_of, refusal
from tidegate.adapters.hook_reply import harness_of
from tidegate.cli.installing.places import PLACES
from tidegate.facts.local import local_facts

RULES = """\
version = 1
default = "allow"

[[rule]]
id = "no-rm"
kind = "command"
deny = ["rm -r"]
message = "recursive delete is not allowed"

[[rule]]
id = "ask-first"
kind = "command"
deny = ["git push"]
effect = "ask"
message = "somebody has to look at this"

[[rule]]
id = "quiet"
kind = "rewrite"
tools = ["Bash", "bash", "Shell", "run_shell_command"]
set = { "/command" = "npm test --silent" }
when = { args = { "/command" = "npm test" } }

[[rule]]
id = "bare"
kind = "rewrite"
tools = ["Bash"]
remove = ["/command"]
when = { args = { "/command" = "nothing" } }

[[rule]]
id = "here"
kind = "rewrite"
tools = ["exec"]
set = { "/environment_id" = "b" }
when = { args = { "/environment_id" = "a" } }

[[rule]]
id = "circles"
kind = "repeat"
tools = ["find"]
same = "1/3 calls"
then = "remind"
message = "you have found this already"

[[rule]]
id = "no-keys"
kind = "redact"
secrets = ["aws-access-key"]
"""

BARRED = """\
version = 1
default = "allow"

[[rule]]
id = "looking"
kind = "tools"
deny = ["look"]
effect = "ask"

[[rule]]
id = "barred"
kind = "sequence"
tools = ["send"]
not_after = [{ tool = "look" }]
"""

SECRET = "key AKIAQYLPMN5HNM3OIGPT end"
CLEAN = "key [secret: aws-access-key] end"


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    """An engine over the rules, which counts in memory."""
    path = tmp_path_factory.mktemp("rules") / "rules.toml"
    path.write_text(RULES, encoding="utf-8")
    return Engine.load(path)


@pytest.fixture(params=HARNESSES)
def harness(request):
    """Each harness in turn."""
    return request.param


@pytest.fixture
def hook(harness, engine):
    """Its hook."""
    return Hook(harness, engine)


@pytest.fixture
def command(harness, tmp_path):
    """Makes the event before a command."""
    return lambda text, **more: event(harness, BEFORE[harness], SHELL[harness], {"command": text, **more}, tmp_path)


# What is decided, in every harness.


def test_a_refusal_says_why(harness, hook, command):
    """A deny has the keys of the contract, and the words of the rule."""
    answered = hook(command("rm -rf build"), BEFORE[harness])

    assert (verdict(answered), reason(answered)) == ("deny", "recursive delete is not allowed")


def test_a_question_is_asked_where_it_reaches_somebody_and_else_refuses(harness, hook, command):
    """Gemini CLI, Codex and Cursor before every tool are told deny, since an `ask` would not stop the call there."""
    answered = hook(command("git push"), BEFORE[harness])
    asks = harness in ("claude-code", "copilot")

    assert verdict(answered) == ("ask" if asks else "deny")
    assert "somebody has to look at this" in reason(answered)


def test_no_answer_before_a_call_asks_where_nobody_would_be(harness):
    """The module of answers itself never asks where it says that no question reaches a person."""
    answers = answers_of(harness)
    for name, stage in answers.EVENTS.items():
        if stage == "before":
            answered = checked(harness, name, json.dumps(answers.asked(name, "why", None)))

            assert verdict(answered) == ("ask" if answers.asks(name) else "deny")


def test_a_call_that_nobody_can_be_asked_about_is_noted_nowhere(harness, tmp_path):
    """Where a question is a refusal, a call that is asked about bars nothing later, since it never ran."""
    (tmp_path / "rules.toml").write_text(BARRED, encoding="utf-8")
    engine = Engine.load(tmp_path / "rules.toml", facts=local_facts(tmp_path))
    said = [
        verdict(Hook(harness, engine)(event(harness, BEFORE[harness], tool, {}, tmp_path), BEFORE[harness]))
        for tool in ("look", "send")
    ]

    assert said == (["ask", "deny"] if harness in ("claude-code", "copilot") else ["deny", "nothing"])


def test_new_arguments_are_all_of_them(harness, hook, command):
    """A rewrite is told with the whole object, since each harness replaces and does not merge."""
    answered = hook(command("npm test", description="tests"), BEFORE[harness])

    assert verdict(answered) == "rewrite"
    assert rewritten(answered) == {"command": "npm test --silent", "description": "tests"}


def test_what_is_allowed_is_left_to_the_harness(harness, hook, command):
    """An allow has nothing against the call; only Cursor needs to read the word, and refuses without it."""
    answered = hook(command("ls"), BEFORE[harness])

    assert answered == ({"permission": "allow"} if harness == "cursor" else {})


def test_a_reminder_decides_nothing(harness, engine, tmp_path):
    """A notice goes out beside whatever was said before, and the answer stays valid."""
    told = event(harness, BEFORE[harness], "find", {"text": harness}, tmp_path, session_id=f"reminded-{harness}")
    told = told | ({"sessionId": told.pop("session_id")} if harness == "copilot" else {})
    answers = [Hook(harness, engine)(told, BEFORE[harness]) for _ in range(2)]

    assert [verdict(one) for one in answers] == ["nothing", "nothing"]
    assert "you have found this already" in json.dumps(answers[1])


def test_a_secret_reaches_no_channel_that_the_harness_lets_us_change(harness, hook, tmp_path):
    """The result is replaced, or its text stands where the harness puts a refusal; Cursor changes MCP results alone."""
    tool = "MCP:notes" if harness == "cursor" else SHELL[harness]
    answered = hook(event(harness, AFTER[harness], tool, {}, tmp_path, **RESULT[harness](SECRET)), AFTER[harness])

    assert CLEAN in json.dumps(answered)
    assert "AKIA" not in json.dumps(answered)


def test_a_result_that_is_fine_is_left_alone(harness, hook, tmp_path):
    """Nothing is answered where nothing changes."""
    told = event(harness, AFTER[harness], SHELL[harness], {}, tmp_path, **RESULT[harness]("fine"))

    assert hook(told, AFTER[harness]) == {}


def test_an_event_is_only_that_for_which_the_hook_is_installed(harness, hook, command, tmp_path):
    """Where the command line says the event, another one is refused, and its refusal is that of the installed one."""
    name = BEFORE[harness]
    told = {**command("ls"), "hook_event_name": "Stop"}
    answered = checked(harness, name, hook.reply(json.dumps(told).encode(), name).stdout)

    assert verdict(answered) == "deny"
    assert "installed for" in reason(answered)


def test_what_is_about_no_call_has_no_opinion(harness, hook):
    """An event that no rule has to do with is answered with an empty object."""
    assert json.loads(hook.reply(b'{"hook_event_name": "Stop", "session_id": "s"}').stdout) == {}


def test_installed_hooks_are_protected(harness, engine, tmp_path):
    """Every file in which the harness's own hooks stand, or are switched off, is among those that no call changes."""
    home = {"CODEX_HOME": "/else/codex", "COPILOT_HOME": "/else/copilot", "CLAUDE_PROJECT_DIR": "/srv/p"}
    own = harness_of(harness).installed_hooks("/srv/p/", "/home/me", home)
    files = {
        "claude-code": {"/srv/p/.claude/settings.json", "/home/me/.claude/settings.local.json"},
        "gemini": {"/srv/p/.gemini/settings.json", "/home/me/.gemini/settings.json"},
        "codex": {"/srv/p/.codex/hooks.json", "/home/me/.codex/config.toml", "/else/codex/hooks.json"},
        "copilot": {"/srv/p/.github/hooks", "/home/me/.copilot/hooks", "/else/copilot/hooks"},
        "cursor": {"/srv/p/.cursor/hooks.json", "/home/me/.cursor/hooks.json"},
    }

    assert files[harness] <= set(own)


def test_an_agent_cannot_take_out_its_own_hook(harness, tmp_path, monkeypatch):
    """A command that deletes the settings in which its hook stands is refused by rules that allow everything."""
    (tmp_path / "rules.toml").write_text('version = 1\ndefault = "allow"\n', encoding="utf-8")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    hook = Hook(harness, rules=tmp_path / "rules.toml")
    file = PLACES[harness].files["project"]
    said = [
        hook(event(harness, BEFORE[harness], SHELL[harness], {"command": text}, tmp_path), BEFORE[harness])
        for text in (f"rm -rf {file}", f"echo x > {file}", f"mv {file.partition('/')[0]} away", "echo x > notes.md")
    ]

    assert [verdict(one) for one in said] == ["deny", "deny", "deny", "nothing"]
    assert "changed by people only" in reason(said[0])


# Whatever comes in.

GARBAGE = {
    "nothing": b"",
    "no JSON": b"garbage \xff\x00",
    "no object": b"[1]",
    "truncated": b'{"tool_name": "Bash", "tool_in',
    "deeply nested": b'{"tool_input":' + b'{"a":' * 100_000 + b"1" + b"}" * 100_001,
    "duplicate keys": b'{"tool_name":"a","tool_name":"b","tool_input":{},"cwd":"/"}',
    "NaN": b'{"tool_name":"a","cwd":"/","tool_input":{"a":NaN}}',
    "a lone surrogate": b'{"tool_name":"a","cwd":"/","tool_input":{"a":"\\ud800"}}',
    "no arguments": b'{"tool_name":"a","cwd":"/","toolName":"a"}',
    "arguments that are none": b'{"tool_name":"a","cwd":"/","tool_input":[],"toolArgs":[]}',
    "a relative folder": b'{"tool_name":"a","cwd":"b","tool_input":{}}',
    "no tool": b'{"cwd":"/","tool_input":{}}',
    "another type of name": b'{"tool_name":{},"toolName":{},"cwd":"/","tool_input":{}}',
}


@pytest.mark.parametrize("name", GARBAGE)
def test_what_is_no_event_is_refused(harness, hook, name):
    """Whatever comes in, a valid refusal comes out, and it says that the event cannot be read."""
    answered = checked(harness, BEFORE[harness], hook.reply(GARBAGE[name], BEFORE[harness]).stdout)

    assert verdict(answered) == "deny"
    assert "the event cannot be read" in reason(answered)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
KEYS = ("hook_event_name", "tool_name", "tool_input", "toolName", "toolArgs", "cwd", "command", "tool_response")
KEYS = (*KEYS, "tool_output", "toolResult", "session_id", "sessionId", "workspace_roots", "mcp_context", "file_path")
events = st.dictionaries(st.sampled_from(KEYS), json_values | st.sampled_from(["/srv", "Bash", "Shell", "Stop"]))
anything = st.binary(max_size=80) | events.map(lambda told: json.dumps(told).encode())


@given(data=anything, at=st.sampled_from([(name, one) for name in HARNESSES for one in answers_of(name).EVENTS]))
@example(data=b'{"tool_response": null}', at=("claude-code", "PostToolUse")).via("a result without any text")
def test_any_input_has_one_valid_answer_that_permits_nothing_unread(data, at):
    """Any bytes on standard input get exactly one valid answer, and while nothing can judge it is a refusal."""
    harness, name = at
    reply = Hook(harness, rules="/nowhere/rules.toml").reply(data, name)
    answered = checked(harness, name, reply.stdout)

    assert reply.code == 0
    assert reply.stdout.count(b"\n") == 1
    if answers_of(harness).EVENTS[name] == "before":
        assert verdict(answered) == "deny"
    elif answers_of(harness).EVENTS[name] == "after":
        assert WITHHELD in json.dumps(answered)
    else:
        assert "deny" in json.dumps(answered)


@given(data=anything, harness=st.sampled_from(HARNESSES))
def test_without_an_event_on_the_command_line_nothing_is_permitted_either(data, harness):
    """A refusal finds the event in what was read; where parts of it say different things, it is the exit code."""
    reply = refusal(harness, None, data, "it went wrong")
    try:
        told = json.loads(data).get("hook_event_name")
    except (ValueError, AttributeError):
        told = None
    answers = answers_of(harness)

    assert reply.code in (0, 2)
    assert reply.code == 2 or (json.loads(reply.stdout) == {}) == (isinstance(told, str) and told not in answers.EVENTS)


def test_a_model_cannot_choose_the_event_of_a_refusal():
    """What looks like the name of another event inside of the arguments leaves the refusal one of the true event."""
    hidden = b'{"hook_event_name": "PreToolUse", "tool_input": {"hook_event_name": "PostToolUse", "b": "\\ud800"}}'
    broken = hidden[:-1]
    other = b'{"tool_input": {"hook_event_name": "Stop", "b": 1}, "hook_event_name": "PreToolUse"'

    assert b"permissionDecision" in refusal("claude-code", None, hidden, "x").stdout
    assert refusal("claude-code", None, broken, "x")[::2] == (b"", 2)
    twice = b'{"hook_event_name": "PreToolUse", "hook_event_name": "Stop", "tool_input": {}}'
    assert refusal("claude-code", None, twice, "x")[::2] == (b"", 2)
    assert b"permissionDecision" in refusal("claude-code", None, other, "x").stdout


def test_a_result_that_is_no_json_is_withheld():
    """A lenient reader takes NaN in a result; the answer has none."""
    data = b'{"hook_event_name": "PostToolUse", "tool_response": {"a": NaN, "b": "secret"}}'
    deep = b'{"hook_event_name":"PostToolUse","tool_response":' + b"[" * 900 + b"]" * 900 + b"}"

    for one in (data, deep):
        answered = checked("claude-code", "PostToolUse", refusal("claude-code", None, one, "x").stdout)

        assert "secret" not in json.dumps(answered)


# Gemini CLI.


def test_gemini_says_the_server_of_a_tool(tmp_path):
    """The identity of an MCP tool is what `mcp_context` says of it."""
    from tidegate.adapters.gemini import call_of
    from tidegate.adapters.hook_calls import Event

    context = {"server_name": "my notes", "tool_name": "get_all"}
    told = event("gemini", "BeforeTool", "mcp_my_notes_get_all", {}, tmp_path, mcp_context=context)
    call = call_of(Event("BeforeTool", "before", told), {"GEMINI_PROJECT_DIR": "/srv/p"})

    assert (call.tool.origin, call.tool.server, call.tool.raw) == ("mcp", "my notes", "get_all")
    assert (call.root, call.session, call.cwd) == ("/srv/p", "s1", str(tmp_path))


@pytest.mark.parametrize(
    "response",
    [
        pytest.param({"llmContent": SECRET, "returnDisplay": "shown"}, id="a text"),
        pytest.param({"llmContent": [{"text": SECRET}]}, id="parts"),
        pytest.param({"llmContent": "", "error": {"message": SECRET, "type": "x"}}, id="an error"),
        pytest.param({"llmContent": {"functionResponse": {"response": {"content": SECRET}}}}, id="another tool's"),
    ],
)
def test_gemini_reads_the_new_text_in_the_place_of_the_result(engine, tmp_path, response):
    """There is no other way to keep something of a result from the model than to refuse it and to give the rest."""
    told = event("gemini", "AfterTool", "run_shell_command", {}, tmp_path, tool_response=response)
    answered = Hook("gemini", engine)(told)

    assert answered["decision"] == "deny"
    assert "AKIA" not in answered["reason"]


def test_gemini_withholds_what_is_no_result(engine, tmp_path):
    """A result of another form cannot be shaped."""
    told = event("gemini", "AfterTool", "run_shell_command", {}, tmp_path, tool_response=SECRET)

    assert Hook("gemini", engine)(told)["decision"] == "deny"


# Codex.


@pytest.mark.parametrize(
    ("tool", "arguments", "why"),
    [
        ("Bash", {"command": "nothing"}, "takes away the command"),
        ("exec", {"command": "ls", "environment_id": "a"}, "another environment"),
    ],
)
def test_codex_is_refused_what_it_would_run_as_it_was(engine, tmp_path, tool, arguments, why):
    """New arguments that Codex does not take would let the old ones run, so such a call is refused."""
    answered = Hook("codex", engine)(event("codex", "PreToolUse", tool, arguments, tmp_path))

    assert verdict(answered) == "deny"
    assert why in reason(answered)


def test_codex_asks_where_it_asks_itself(engine, tmp_path):
    """At its own question a rule that asks is satisfied, and one that denies spares the question."""
    asked = event("codex", "PermissionRequest", "Bash", {"command": "git push"}, tmp_path)
    denied = event("codex", "PermissionRequest", "Bash", {"command": "rm -r a"}, tmp_path)

    assert Hook("codex", engine)(asked) == {}
    assert Hook("codex", engine)(denied)["hookSpecificOutput"]["decision"]["behavior"] == "deny"


def test_codex_is_never_told_what_makes_a_hook_fail():
    """No answer of its module has a key or a word that Codex does not know, and no reason is empty."""
    answers = answers_of("codex")
    for name in answers.EVENTS:
        for one in (answers.denied(name, "no"), answers.asked(name, "no", {"a": 1}), answers.withheld(name, b"")):
            checked("codex", name, json.dumps(one))


# Copilot CLI.


@pytest.mark.parametrize("name", ["preToolUse", "PreToolUse"])
def test_copilot_takes_both_forms_of_an_event(engine, tmp_path, name):
    """An event in camel case has Copilot's names of tools, one in Pascal case those of Claude Code."""
    tool = "bash" if name == "preToolUse" else "Bash"
    answered = Hook("copilot", engine)(event("copilot", name, tool, {"command": "rm -r a"}, tmp_path), name)

    assert answered == {
        "permissionDecision": "deny",
        "permissionDecisionReason": "recursive delete is not allowed",
    }


def test_copilot_may_write_arguments_as_text(engine, tmp_path):
    """In older versions `toolArgs` is the JSON of the arguments; it is read as strictly as the event."""
    hook = Hook("copilot", engine)
    text = event("copilot", "preToolUse", "bash", json.dumps({"command": "rm -r a"}), tmp_path)
    twice = event("copilot", "preToolUse", "bash", '{"command": "ls", "command": "rm -r a"}', tmp_path)

    assert reason(hook(text, "preToolUse")) == "recursive delete is not allowed"
    assert "stands twice" in reason(hook(twice, "preToolUse"))


def test_copilot_keeps_how_a_result_ended(engine, tmp_path):
    """The text of a result is replaced, and its type stays."""
    result = {"resultType": "failure", "textResultForLlm": SECRET}
    told = event("copilot", "postToolUse", "bash", {}, tmp_path, toolResult=result)

    assert Hook("copilot", engine)(told, "postToolUse") == {
        "modifiedResult": {"resultType": "failure", "textResultForLlm": CLEAN}
    }


def test_copilot_is_not_told_two_things(engine, tmp_path):
    """An event with both spellings of a key is none."""
    told = event("copilot", "preToolUse", "bash", {"command": "ls"}, tmp_path, tool_name="view")

    assert "has both" in reason(Hook("copilot", engine)(told, "preToolUse"))


# Cursor.


@pytest.mark.parametrize(
    ("name", "told", "expected"),
    [
        ("beforeShellExecution", {"command": "rm -r a"}, "deny"),
        ("beforeShellExecution", {"command": "git push"}, "ask"),
        ("beforeShellExecution", {"command": "npm test"}, "deny"),
        ("beforeMCPExecution", {"tool_name": "find", "tool_input": '{"text": "x"}', "command": "npx"}, "nothing"),
        ("beforeReadFile", {"file_path": "/srv/a", "content": "x"}, "nothing"),
    ],
)
def test_cursor_is_answered_at_its_older_events(engine, tmp_path, name, told, expected):
    """A question is asked about commands; new arguments, which Cursor would not take there, refuse."""
    event = {"hook_event_name": name, "conversation_id": "c1", "workspace_roots": [str(tmp_path)], **told}

    assert verdict(Hook("cursor", engine)(event)) == expected


def test_cursor_never_takes_a_served_tool_for_its_own(tmp_path):
    """A server that calls its tool `Shell` has a tool of another name."""
    from tidegate.adapters.cursor import call_of
    from tidegate.adapters.hook_calls import Event

    told = {"tool_name": "Shell", "tool_input": '{"command": "ls"}', "workspace_roots": [str(tmp_path)]}
    call = call_of(Event("beforeMCPExecution", "before", told), {})

    assert (call.tool.name, call.arguments) == ("MCP:Shell", {"command": "ls"})
    assert (call.root, call.cwd) == (str(tmp_path), str(tmp_path))


def test_cursor_cannot_change_the_output_of_a_command(engine, tmp_path):
    """Of what it cannot change the model is warned."""
    told = event("cursor", "postToolUse", "Shell", {}, tmp_path, tool_output=json.dumps({"output": SECRET}))
    answered = Hook("cursor", engine)(told)

    assert "do not repeat" in answered["additional_context"]


def test_cursor_gives_results_as_text(engine, tmp_path):
    """`tool_output` is the JSON of the result, or a text that is none; a new result is an object."""
    object_ = event("cursor", "postToolUse", "MCP:a", {}, tmp_path, tool_output=json.dumps({"a": SECRET}))
    plain = event("cursor", "postToolUse", "MCP:a", {}, tmp_path, tool_output=SECRET)

    assert Hook("cursor", engine)(object_) == {"updated_mcp_tool_output": {"a": CLEAN}}
    assert Hook("cursor", engine)(plain) == {"updated_mcp_tool_output": {"content": [{"type": "text", "text": CLEAN}]}}
