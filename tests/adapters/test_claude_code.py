"""The hook of Claude Code: exact answers, from a real process, whatever it is fed."""

import json
import os
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate import Engine
from tidegate.adapters import claude_code
from tidegate.adapters.claude_answers import withheld
from tidegate.adapters.hook_answers import WITHHELD, Wanted
from tidegate.adapters.hook_calls import Event
from tidegate.adapters.hook_reply import respond
from tidegate.cli.hook_engines import fresh

RULES = """\
version = 1
default = "ask"

[[rule]]
id = "workspace"
kind = "path"
tools = ["Read", "Write", "WebSearch", "mcp__*", "Bash"]
access = ["read", "write"]
allow = ["{root}/**"]
otherwise = "deny"
message = "stay inside the project"

[[rule]]
id = "notes"
kind = "tools"
allow = ["mcp__notes__*", "WebSearch"]

[[rule]]
id = "few-results"
kind = "rewrite"
tools = ["WebSearch"]
clamp = { "/count" = { max = 10 } }

[[rule]]
id = "ask-first"
kind = "path"
tools = ["Read"]
deny = ["{root}/private/**"]
effect = "ask"
message = "this is private"

[[rule]]
id = "searches"
kind = "rate-limit"
tools = ["WebSearch"]
limit = "2/hour"

[[rule]]
id = "circles"
kind = "repeat"
tools = ["mcp__notes__find"]
same = "1/3 calls"
then = "remind"
message = "you have found these notes already"

[[rule]]
id = "short"
kind = "truncate"
max_bytes = 60
marker = "[cut]"
"""

PRE, POST, PERMISSION = "PreToolUse", "PostToolUse", "PermissionRequest"


@pytest.fixture
def project(tmp_path):
    """A project with rules and a home of its own."""
    for name in ("project", "home"):
        (tmp_path / name).mkdir()
    (tmp_path / "project/rules.toml").write_text(RULES, encoding="utf-8")
    return tmp_path / "project"


@pytest.fixture
def hook(project):
    """Runs the hook as Claude Code does; an event may be given as it is, or as bytes."""

    def run(event, *options, rules="rules.toml"):
        kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "SYSTEMROOT") if name in os.environ}
        home = str(project.parent / "home")
        words = ["hook", "claude-code", "--rules", rules, *options]
        return subprocess.run(
            [sys.executable, "-m", "tidegate", *words],
            input=event if isinstance(event, bytes) else json.dumps(event).encode(),
            capture_output=True,
            cwd=project,
            env={**kept, "HOME": home, "XDG_STATE_HOME": f"{home}/state", "CLAUDE_PROJECT_DIR": str(project)},
            timeout=60,
            check=False,
        )

    return run


@pytest.fixture
def event(project):
    """Makes an event of one tool call."""

    def make(name, tool, arguments, **more):
        return {
            "session_id": "s1",
            "transcript_path": "/tmp/t.jsonl",
            "cwd": str(project),
            "permission_mode": "default",
            "hook_event_name": name,
            "tool_name": tool,
            "tool_input": arguments,
            "tool_use_id": "toolu_1",
            **more,
        }

    return make


def said(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def pre(decision, **more):
    return {"hookSpecificOutput": {"hookEventName": PRE, "permissionDecision": decision, **more}}


def refused(done):
    """The reason of a refusal; the answer must be a valid deny."""
    answered = said(done)
    reason = answered["hookSpecificOutput"]["permissionDecisionReason"]

    assert answered == pre("deny", permissionDecisionReason=reason)
    assert "Traceback" not in done.stderr.decode()
    return reason


# Before the call.


def test_a_refusal_has_exactly_the_keys_of_the_contract(hook, event):
    """A deny says why, in the words of the rule, and nothing of the rule itself."""
    done = hook(event(PRE, "Read", {"file_path": "/etc/passwd"}))

    assert said(done) == pre("deny", permissionDecisionReason="stay inside the project")


def test_an_allowed_call_is_left_to_the_harness(hook, event, project):
    """For an allow the answer is no opinion, so that the harness's own rules and questions hold."""
    done = hook(event(PRE, "Read", {"file_path": str(project / "a.py")}))

    assert said(done) == {}


def test_a_question_lists_reasons_and_effects(hook, event, project):
    """An ask shows the person every reason and what the call does."""
    path = str(project / "private/a.txt")
    done = hook(event(PRE, "Read", {"file_path": path}))

    assert said(done) == pre("ask", permissionDecisionReason=f"this is private\nit does: reading `{path}`")


def test_rewritten_arguments_are_the_whole_object(hook, event):
    """A rewrite is told with all arguments, beside an allow, as the contract asks."""
    done = hook(event(PRE, "WebSearch", {"query": "tides", "count": 50}))

    assert said(done) == pre("allow", updatedInput={"query": "tides", "count": 10})


def test_limits_count_over_processes(hook, event):
    """Each call has a process of its own, and a limit counts them all the same."""
    call = event(PRE, "WebSearch", {"query": "tides", "count": 1})
    answers = [said(hook(call)) for _ in range(3)]

    assert answers[:2] == [{}, {}]
    assert answers[2]["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert "2 calls per hour" in answers[2]["hookSpecificOutput"]["permissionDecisionReason"]


def test_a_reminder_is_context_and_no_decision(hook, event):
    """What a rule reminds of goes to the model, and the harness decides as it would without us."""
    call = event(PRE, "mcp__notes__find", {"text": "tides"})
    notice = "you have found these notes already"

    assert said(hook(call)) == {}
    assert said(hook(call)) == {"hookSpecificOutput": {"hookEventName": PRE, "additionalContext": notice}}


def test_the_installed_hook_is_protected(tmp_path, hook, event, project):
    """A call that changes the settings in which the hook stands is refused, whatever the rules grant."""
    for path in (project / ".claude/settings.json", tmp_path / "home/.claude/settings.json", project / "rules.toml"):
        reason = refused(hook(event(PRE, "Write", {"file_path": str(path), "content": "{}"})))

        assert "changed by people only" in reason or reason == "stay inside the project"


# At the question, and after the call.


def test_at_the_question_a_denial_is_a_denial(hook, event):
    """Where the harness is about to ask, a refusal spares the question."""
    done = hook(event(PERMISSION, "Read", {"file_path": "/etc/passwd"}))
    decision = {"behavior": "deny", "message": "stay inside the project"}

    assert said(done) == {"hookSpecificOutput": {"hookEventName": PERMISSION, "decision": decision}}


def test_at_the_question_nothing_is_answered_for_the_person(hook, event, project):
    """An allow and an ask both leave the question to the person."""
    for name in ("a.py", "private/a.py"):
        assert said(hook(event(PERMISSION, "Read", {"file_path": str(project / name)}))) == {}


def test_at_the_question_nothing_is_counted_twice(hook, event):
    """A limit that the call itself has used up does not refuse it when the person is asked."""
    call = event(PRE, "WebSearch", {"query": "tides", "count": 1})
    for _ in range(2):
        said(hook(call))

    assert said(hook({**call, "hook_event_name": PERMISSION})) == {}


def test_at_the_question_arguments_that_nobody_rewrote_are_refused(hook, event):
    """What a rule would still rewrite is not what was judged."""
    answered = said(hook(event(PERMISSION, "WebSearch", {"query": "tides", "count": 50})))

    assert answered["hookSpecificOutput"]["decision"]["behavior"] == "deny"


LONG = "x" * 100
CUT = "x" * 54 + "\n[cut]"


@pytest.mark.parametrize(
    ("tool", "response", "shaped"),
    [
        pytest.param(
            "Bash",
            {"stdout": LONG, "stderr": LONG, "interrupted": False, "isImage": False},
            {"stdout": CUT, "stderr": CUT, "interrupted": False, "isImage": False},
            id="bash",
        ),
        pytest.param(
            "Bash",
            {"stdout": LONG, "stderr": "", "persistedOutputPath": "/tmp/x", "persistedOutputSize": 100},
            {"stdout": CUT, "stderr": ""},
            id="bash, whose copy of the output would be shown",
        ),
        pytest.param(
            "Read",
            {"type": "text", "file": {"filePath": "a", "content": LONG, "numLines": 1}},
            {"type": "text", "file": {"filePath": "a", "content": CUT, "numLines": 1}},
            id="read",
        ),
        pytest.param(
            "mcp__notes__get",
            [{"type": "text", "text": LONG}],
            [{"type": "text", "text": CUT}],
            id="mcp",
        ),
        pytest.param("mcp__notes__get", LONG, CUT, id="mcp, text alone"),
    ],
)
def test_results_are_shaped_in_the_tools_own_shape(hook, event, tool, response, shaped):
    """Every text is shaped where it stands, and the shape stays what the tool gave."""
    done = hook(event(POST, tool, {}, tool_response=response))

    assert said(done) == {"hookSpecificOutput": {"hookEventName": POST, "updatedToolOutput": shaped}}


def test_a_result_that_is_fine_is_left_alone(hook, event):
    """Nothing is answered where nothing changes."""
    assert said(hook(event(POST, "Bash", {"command": "ls"}, tool_response={"stdout": "a", "stderr": ""}))) == {}


def test_other_events_have_no_answer(hook):
    """An event that the rules have nothing to do with is answered with no opinion."""
    assert said(hook({"hook_event_name": "Stop", "session_id": "s"})) == {}


# Whatever goes wrong.

GARBAGE = {
    "nothing": b"",
    "no JSON": b"garbage \xff\x00",
    "no object": b"[1]",
    "truncated": b'{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_in',
    "deeply nested": b'{"hook_event_name":"PreToolUse","tool_input":' + b'{"a":' * 100_000 + b"1" + b"}" * 100_001,
    "duplicate keys": b'{"hook_event_name":"PreToolUse","tool_name":"Read","tool_name":"Bash","tool_input":{}}',
    "NaN": b'{"hook_event_name":"PreToolUse","tool_name":"Read","cwd":"/","tool_input":{"a":NaN}}',
    "no event name": b'{"tool_name":"Read","cwd":"/","tool_input":{}}',
    "no arguments": b'{"hook_event_name":"PreToolUse","tool_name":"Read","cwd":"/"}',
    "arguments that are none": b'{"hook_event_name":"PreToolUse","tool_name":"Read","cwd":"/","tool_input":[]}',
    "no folder": b'{"hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{}}',
    "a relative folder": b'{"hook_event_name":"PreToolUse","tool_name":"Read","cwd":"a","tool_input":{}}',
    "no tool": b'{"hook_event_name":"PreToolUse","cwd":"/","tool_input":{}}',
}


@pytest.mark.parametrize("name", GARBAGE)
def test_what_is_no_event_is_refused(hook, name):
    """Whatever comes in, a valid deny comes out, and it says what is wrong."""
    assert "the event cannot be read" in refused(hook(GARBAGE[name]))


def test_a_huge_event_is_answered(hook, event):
    """An argument of 10 MB gets an answer that is no allow."""
    done = hook(event(PRE, "Read", {"file_path": "x" * 10_000_000}))

    assert said(done)["hookSpecificOutput"]["permissionDecision"] in ("ask", "deny")


def test_what_is_no_event_at_the_question_is_refused_there(hook):
    """A refusal has the form of the event that the text is most likely about."""
    answered = said(hook(b'{"hook_event_name" : "PermissionRequest", "tool_'))

    assert answered["hookSpecificOutput"]["hookEventName"] == PERMISSION
    assert answered["hookSpecificOutput"]["decision"]["behavior"] == "deny"


def test_broken_rules_refuse_and_say_what_to_do(hook, event, project):
    """With an error in the rules nothing is allowed, and the reason names the command that tells why."""
    (project / "rules.toml").write_text("version = 1\nnope = 1\n")
    reason = refused(hook(event(PRE, "Read", {"file_path": "a"})))

    assert "the rules have an error" in reason
    assert "tidegate check rules.toml" in reason


def test_missing_rules_refuse(hook, event):
    """Rules that are not there are an error too."""
    assert "the rules have an error" in refused(hook(event(PRE, "Read", {"file_path": "a"}), rules="nope.toml"))


def test_broken_rules_withhold_a_result(hook, event, project):
    """After a call, what cannot be shaped is not shown."""
    (project / "rules.toml").write_text("version = 1\nnope = 1\n")
    response = {"stdout": "secret", "stderr": "", "interrupted": False}
    answered = said(hook(event(POST, "Bash", {}, tool_response=response)))

    assert answered["hookSpecificOutput"]["updatedToolOutput"] == {
        "stdout": WITHHELD,
        "stderr": "",
        "interrupted": False,
    }


def test_a_wrong_installation_blocks(hook, event):
    """A command line that is no hook ends in 2, which blocks, and says what is wrong."""
    done = hook(event(PRE, "Read", {"file_path": "a"}), "--nope", "x")

    assert (done.returncode, done.stdout) == (2, b"")
    assert b"not installed as it should be" in done.stderr


def test_json_is_accepted_as_everywhere(hook, event):
    """`--json` changes nothing, since every answer is JSON."""
    asked = event(PRE, "Read", {"file_path": "/etc/passwd"})
    plain, said = hook(asked), hook(asked, "--json")

    assert (said.returncode, said.stdout) == (0, plain.stdout)
    assert json.loads(said.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"


def in_process(work):
    """A script that runs the hook with something in it replaced."""
    head = "import sys\nfrom tidegate.cli import hook, main\n"
    return f"{head}{work}\nsys.exit(main(['hook', 'claude-code', '--rules', 'rules.toml']))\n"


WRECKS = {
    "an exception": "hook._work = lambda *_: 1 / 0",
    "an exit": "hook._work = lambda *_: sys.exit(0)",
    "a sudden end": "import os; hook._work = lambda *_: os._exit(0)",
    "a crash": "import os; hook._work = lambda *_: os.kill(os.getpid(), 11)",
    "a process that is too slow": "import time; hook.SECONDS = 0.5; hook._work = lambda *_: time.sleep(60)",
    "a loop that never yields": "hook.SECONDS = 0.5; hook._work = lambda *_: any(1 for _ in iter(int, 1) if 0)",
    "a print": "hook._work = lambda *_: print('{}') or 1 / 0",
    "a broken installation": "sys.modules['tidegate.engine'] = None",
}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="without processes of its own, a thread stands in")
@pytest.mark.parametrize("name", WRECKS)
def test_a_wreck_still_refuses(project, event, name):
    """Whatever becomes of the work, the answer is a valid deny with exit code 0."""
    done = subprocess.run(
        [sys.executable, "-c", in_process(WRECKS[name])],
        input=json.dumps(event(PRE, "Read", {"file_path": "a"})).encode(),
        capture_output=True,
        cwd=project,
        timeout=30,
        check=False,
    )

    assert refused(done)


def test_without_processes_a_thread_is_watched(project, event):
    """On a system that cannot fork, an error and a delay still end in a deny."""
    for wreck in (WRECKS["an exception"], WRECKS["a process that is too slow"]):
        done = subprocess.run(
            [sys.executable, "-c", in_process(f"from tidegate.cli import watch; del watch.os.fork\n{wreck}")],
            input=json.dumps(event(PRE, "Read", {"file_path": "a"})).encode(),
            capture_output=True,
            cwd=project,
            timeout=30,
            check=False,
        )

        assert said(done)["hookSpecificOutput"]["permissionDecision"] == "deny"


@pytest.mark.skipif(os.name != "posix", reason="only there reading can be given a time limit")
def test_an_event_that_never_ends_is_refused(project):
    """A harness that never closes the input gets its answer in time."""
    process = subprocess.Popen(
        [sys.executable, "-c", in_process("hook.SECONDS = 0.5")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=project,
    )
    process.stdin.write(b'{"hook_event_name": "PreToolUse"')
    process.stdin.flush()
    answered = json.loads(process.stdout.read())
    process.stdin.close()
    process.stdout.close()

    assert process.wait(30) == 0
    assert answered["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_an_answer_that_cannot_be_written_blocks(project, event):
    """Where even the answer cannot be written, the exit code blocks."""
    if not Path("/dev/full").exists():
        pytest.skip("there is no file that is always full")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "tidegate", "hook", "claude-code", "--rules", "rules.toml"],
            input=json.dumps(event(PRE, "Read", {"file_path": "/etc/passwd"})).encode(),
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=project,
            timeout=30,
            check=False,
        )

    assert done.returncode == 2
    assert b"refused this call" in done.stderr


def test_the_hook_begins_with_the_standard_library_only():
    """Nothing that could fail to import stands between the start and the certainty of an answer."""
    code = "import sys; import tidegate.cli.hook; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"attrs", "attr", "click", "rich", "cattrs", "re2", "asyncio", "tidegate.engine", "tidegate.errors"}

    assert heavy & set(done.stdout.split()) == set()


def test_the_hook_needs_neither_click_nor_an_event_loop(project, event):
    """Answering a call imports nothing that is for people or for event loops."""
    code = (
        "import os, sys\nfrom tidegate.adapters.hook_answers import Wanted\n"
        "from tidegate.adapters.hook_reply import respond\nfrom tidegate.cli.hook_engines import fresh\n"
        "wanted = Wanted('claude-code', rules='rules.toml')\n"
        "print(respond(wanted, sys.stdin.buffer.read(), os.environ, fresh).stdout.decode(), *sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(event(PRE, "Read", {"file_path": "a"})),
        capture_output=True,
        text=True,
        cwd=project,
        check=True,
    )

    assert {"click", "rich", "asyncio", "anyio", "jsonschema"} & set(done.stdout.split()) == set()


# From an event to a call.


def call(event, environ):
    return claude_code.call_of(Event(PRE, "before", event), environ)


def test_the_identity_of_a_tool_comes_from_the_harness(event):
    """An MCP tool has the server that the harness names, and is never taken apart without it."""
    named = call(event(PRE, "mcp__my_notes__get__all", {}, mcp_server={"name": "my notes", "source": "user"}), {})
    joined = call(event(PRE, "mcp__my_notes__get__all", {}), {})
    other = call(event(PRE, "mcp__else__get", {}, mcp_server={"name": "my notes"}), {})

    assert (named.tool.origin, named.tool.server, named.tool.raw) == ("mcp", "my notes", "get__all")
    assert (joined.tool.origin, joined.tool.server, joined.tool.raw) == ("", "", "")
    assert (other.tool.server, other.tool.raw) == ("my notes", "")


def test_what_is_known_of_a_call_comes_from_the_event(event, project):
    """Session, folder, mode and agent are those of the event; the root is the harness's project."""
    one = call(event(PRE, "Read", {}, agent_id="a7"), {"CLAUDE_PROJECT_DIR": "/srv/p"})

    assert (one.session, one.cwd, one.mode, one.agent) == ("s1", str(project), "default", "a7")
    assert (one.root, one.call_id) == ("/srv/p", "toolu_1")
    assert call(event(PRE, "Read", {}), {"CLAUDE_PROJECT_DIR": "p"}).root is None


def test_a_managed_layer_alone_is_enough(hook, event, project):
    """Rules of the machine stand over those of the project."""
    (project / "managed.toml").write_text('version = 1\n[[rule]]\nid = "no"\nkind = "tools"\ndeny = ["Read"]\n')
    done = hook(event(PRE, "Read", {"file_path": str(project / "a.py")}), "--managed", "managed.toml")

    assert said(done)["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_decisions_are_recorded(hook, event, project):
    """With `--audit` every decision leaves a line."""
    hook(event(PRE, "Read", {"file_path": "/etc/passwd"}), "--audit", "audit.jsonl")
    record = json.loads((project / "audit.jsonl").read_text())

    assert (record["tool"], record["effect"], record["session"]) == ("Read", "deny", "s1")


def test_an_answer_in_process(project, event):
    """A host that has an engine already is answered with it."""
    engine = Engine.load(project / "rules.toml")
    data = json.dumps(event(PRE, "Read", {"file_path": "/etc/passwd"})).encode()
    reply = respond(Wanted("claude-code"), data, {}, lambda *_: nullcontext(engine))

    assert json.loads(reply.stdout) == pre("deny", permissionDecisionReason="stay inside the project")


def test_withholding_keeps_the_shape():
    """A withheld result has the tool's shape, without any of its texts."""
    response = {"type": "text", "file": {"content": "secret", "lines": 3}, "more": ["secret", ""]}
    told = withheld(POST, json.dumps({"tool_response": response}).encode())["hookSpecificOutput"]["updatedToolOutput"]

    assert told == {"type": "text", "file": {"content": WITHHELD, "lines": 3}, "more": [WITHHELD, ""]}
    assert withheld(POST, b"garbage") == {"decision": "block", "reason": WITHHELD}


ANSWER_KEYS = {
    PRE: {"hookEventName", "permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext"},
    POST: {"hookEventName", "updatedToolOutput"},
    PERMISSION: {"hookEventName", "decision"},
}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
events = st.fixed_dictionaries(
    {},
    optional={
        "hook_event_name": st.sampled_from([PRE, POST, PERMISSION, "Stop"]) | json_values,
        "tool_name": st.sampled_from(["Read", "Bash", "WebSearch", "mcp__notes__x"]) | json_values,
        "tool_input": st.dictionaries(st.sampled_from(["file_path", "command", "count"]), json_values) | json_values,
        "tool_response": json_values,
        "cwd": st.just("/srv/project") | json_values,
        "session_id": json_values,
        "mcp_server": json_values,
    },
)


@pytest.fixture(scope="module")
def wanted(tmp_path_factory):
    """What stands on the hook's command line."""
    folder = tmp_path_factory.mktemp("rules")
    (folder / "rules.toml").write_text(RULES, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(folder))
        yield Wanted("claude-code", rules=str(folder / "rules.toml"))


@given(data=events.map(lambda event: json.dumps(event).encode()) | st.binary(max_size=60))
def test_any_input_is_answered_with_keys_of_the_contract(wanted, data):
    """Whatever comes in, the answer has only keys that the contract knows, and is no allow unless arguments changed."""
    answered = json.loads(respond(wanted, data, os.environ, fresh).stdout or "{}")
    inner = answered.get("hookSpecificOutput", {})
    name = inner.get("hookEventName")

    assert set(answered) in (set(), {"hookSpecificOutput"}, {"decision", "reason"})
    assert set(inner) <= ANSWER_KEYS.get(name, set())
    assert inner.get("permissionDecision") != "allow" or "updatedInput" in inner
