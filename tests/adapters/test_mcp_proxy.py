"""The MCP proxy over stdio, as processes: what passes, what does not, and what nobody on either side can make it do."""

import json
import os
import signal
import sys

import pytest

from tests.adapters.mcp_raw_client import MODERN, PATIENCE, RawClient, text, until
from tests.adapters.mcp_scripted_server import SECRET
from tidegate.cli import main

LABEL = "[secret: aws-access-key]"
RULES = """\
version = 1
default = "allow"

[[rule]]
id = "keys"
kind = "redact"
secrets = ["aws-access-key"]

[[rule]]
id = "closed"
kind = "mcp"
deny = ["s/danger", "resource:s/memo://shut", "prompt:s/bad", "request:s/roots/*"]
message = "this is closed"

[[rule]]
id = "sometimes"
kind = "mcp"
deny = ["s/spare"]
when = { args = { "/no" = "yes" } }

[[rule]]
id = "watched"
kind = "mcp"
deny = ["s/stray"]
mode = "monitor"

[[rule]]
id = "longer"
kind = "rewrite"
tools = ["mcp__s__hold"]
set = { "/added" = 1 }
"""
ASKING = """\
version = 1
default = "allow"

[[rule]]
id = "ask-echo"
kind = "tools"
deny = ["mcp__s__echo"]
effect = "ask"
message = "a person has to look at this"
"""
SAMPLED = {"role": "assistant", "content": {"type": "text", "text": "hi"}, "model": "m"}


@pytest.fixture(scope="module")
def wire(tmp_path_factory):
    """One session of a client that answers what servers may ask."""
    with RawClient(tmp_path_factory.mktemp("wire"), RULES) as client:
        client.begin(sampling={}, elicitation={}, roots={}, tasks={}, experimental={})
        client.answers = {
            "sampling/createMessage": {"result": SAMPLED},
            "elicitation/create": {"result": {"action": "accept", "content": {"x": 1}}},
            "roots/list": {"result": {"roots": []}},
        }
        yield client


@pytest.fixture
def client(wire):
    """The same with nothing left over from other tests."""
    wire.others.clear()
    wire.seen_file.write_text("")
    return wire


# What is allowed passes, and what is refused does not.


@pytest.mark.parametrize("identifier", [0, "", "a", -1, 2**70, "0"])
def test_call_is_answered_under_its_own_id(client, identifier):
    """Every id that JSON-RPC allows comes back as it was, also 0 and the empty text."""
    assert client.call(identifier, "echo", a=1)["id"] == identifier


def test_what_is_passed_on_is_what_was_sent(client):
    """Arguments reach the server as they are, and the whole result comes back."""
    arguments = {"é\u2028": [1, 1.5, None, True, {"deep": "😀"}], "big": 10**30}
    answer = client.call(1, "echo", **arguments)

    assert [one["params"]["arguments"] for one in client.seen if one["method"] == "tools/call"] == [arguments]
    assert answer["result"]["structuredContent"] == {"said": arguments}
    assert b"\xe2\x80\xa8" not in client.raw[-1]


def test_refused_call_never_reaches_the_server(client):
    """The model is told why, in a result that says that it is an error."""
    answer = client.call(1, "danger", x=1)

    assert answer["result"] == {"content": [{"type": "text", "text": "Error: this is closed"}], "isError": True}
    assert client.calls_seen() == []


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("resources/read", {"uri": "memo://shut"}),
        ("resources/subscribe", {"uri": "memo://shut"}),
        ("prompts/get", {"name": "bad"}),
        ("completion/complete", {"ref": {"type": "ref/prompt", "name": "bad"}, "argument": {}}),
        ("completion/complete", {"ref": {"type": "ref/resource", "uri": "memo://shut"}, "argument": {}}),
    ],
)
def test_refused_request_never_reaches_the_server(client, method, params):
    """Resources and prompts are governed like tools; their methods have an error of JSON-RPC for it."""
    assert client.ask(1, method, **params)["error"] == {"code": -32010, "message": "this is closed"}
    assert client.seen == []


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {}),
        ("tools/call", {"name": ""}),
        ("tools/call", {"name": "echo", "arguments": []}),
        ("tools/call", {"name": 7}),
        ("tools/call", {"name": "x" * 10_000}),
        ("resources/read", {"uri": ["memo://open"]}),
        ("prompts/get", {"name": "good", "arguments": "x"}),
        ("completion/complete", {"ref": {"type": "ref/else"}, "argument": {}}),
        ("tasks/get", {"taskId": "of-somebody-else"}),
        ("tools/call", {"name": "echo", "requestState": "guessed"}),
        ("tools/call", {"name": "echo", "inputResponses": {}}),
    ],
)
def test_params_that_are_none_are_refused(client, method, params):
    """What cannot be judged is not passed on."""
    assert client.ask(1, method, **params)["error"]["code"] == -32602
    assert client.seen == []


@pytest.mark.parametrize("method", ["evil", "tools/Call", "", "notifications/initialized", "sampling/createMessage"])
def test_unknown_method_is_refused(client, method):
    """A method that nobody has looked at could do anything."""
    assert client.ask(1, method)["error"]["code"] == -32601
    assert client.seen == []


def test_only_known_params_are_passed_on(client):
    """What nobody judged does not travel along."""
    smuggled = {"name": "echo", "arguments": {}, "args2": SECRET, "_meta": {"progressToken": 1, "x": 1}}
    client.ask(1, "tools/call", **smuggled)

    (call,) = [one for one in client.seen if one["method"] == "tools/call"]
    assert call["params"] == {"name": "echo", "arguments": {}, "_meta": {"progressToken": 1}}


def test_rewritten_arguments_reach_the_server(client):
    """What the rules have made of a call is what is passed on, also while others overtake it."""
    client.send(id="first", method="tools/call", params={"name": "hold", "arguments": {"n": 1}})
    client.send(id="second", method="tools/call", params={"name": "hold", "arguments": {"n": 2}})
    until(lambda: client.calls_seen().count("hold") >= 2)
    client.call("third", "release")
    answers = {one["id"]: json.loads(text(one)) for one in client.others if "result" in one}
    while len(answers) < 2:
        one = client.next()
        answers[one["id"]] = json.loads(text(one))

    assert answers == {"first": {"n": 1, "added": 1}, "second": {"n": 2, "added": 1}}


# Lists.


def test_lists_leave_out_what_no_call_is_allowed_for(client):
    """Only where a rule refuses the thing itself, whatever the arguments; templates name nothing yet."""
    tools = client.ask(1, "tools/list")["result"]
    rest = client.ask(2, "tools/list", cursor=tools["nextCursor"])["result"]
    names = [one["name"] for one in tools["tools"] + rest["tools"]]

    assert {"echo", "spare", "stray"} <= set(names)
    assert "danger" not in names
    assert client.call(6, "spare", no="yes")["result"]["isError"] is True
    assert [one["name"] for one in client.ask(3, "resources/list")["result"]["resources"]] == ["open"]
    assert [one["name"] for one in client.ask(4, "prompts/list")["result"]["prompts"]] == ["good"]
    assert client.ask(5, "resources/templates/list")["result"]["resourceTemplates"][0]["name"] == "memos"


# What comes back.


def test_no_secret_reaches_the_client_by_any_way(client):
    """Results, errors, logs, progress, resources, prompts, completions, tasks, and what is asked: all are shaped."""
    before = len(client.raw)
    for number, tool in enumerate(["secret", "fault", "log", "sample", "elicit", "task", "twice", "other-id"]):
        client.call(number, tool)
    client.ask("p", "tools/call", name="progress", _meta={"progressToken": 0})
    client.ask("r", "resources/read", uri="memo://open")
    client.ask("g", "prompts/get", name="good")
    client.ask("c", "completion/complete", ref={"type": "ref/prompt", "name": "good"}, argument={"name": "a"})
    for method in ("tasks/result", "tasks/get", "tasks/list"):
        client.ask(method, method, taskId="t1")
    said = client.raw[before:]

    assert len(said) > 15
    assert sum(LABEL.encode() in line for line in said) >= 12
    assert [line for line in said if SECRET.encode() in line] == []


def test_structured_content_is_shaped_with_the_content(client):
    """Every channel, and what stands beside them; what was clean comes back as it was."""
    result = client.call(1, "secret")["result"]

    assert result["structuredContent"] == {"key": LABEL}
    assert result["content"][0]["text"] == f"a {LABEL}"
    assert result["content"][2] == {"type": "text", "text": "plain", "annotations": {"priority": 1}}
    assert result["_meta"] == {"m": LABEL}


def test_progress_and_logs_come_before_their_result(client):
    """In order, with the client's own token, and none for a token that is not its own."""
    client.ask(1, "tools/call", name="progress", _meta={"progressToken": "t"})
    told = [one for one in client.others if one.get("method") == "notifications/progress"]

    assert [one["params"] for one in told] == [
        {"progressToken": "t", "progress": 1, "total": 2, "message": f"key {LABEL}"}
    ]


def test_session_begins_with_what_the_proxy_can_pass_on(tmp_path):
    """Neither side hears of capabilities whose methods would be refused."""
    with RawClient(tmp_path, RULES) as client:
        told = client.begin(sampling={}, tasks={}, experimental={"x": {}})

        assert client.seen[0]["params"]["capabilities"] == {"sampling": {}}
        assert told["capabilities"] == {"tools": {"listChanged": True}, "resources": {}, "prompts": {}}
        assert client.close() == 0


# What the server asks.


def test_server_asks_what_rules_allow(client):
    """Sampling reaches the client, shaped and with known params alone, and its answer the server."""
    answer = json.loads(text(client.call(1, "sample")))
    (asked,) = [one for one in client.others if one.get("method") == "sampling/createMessage"]

    assert answer["result"] == SAMPLED
    assert asked["params"]["messages"][0]["content"]["text"] == f"say {LABEL}"
    assert asked["params"].keys() == {"messages", "maxTokens"}


@pytest.mark.parametrize("identifier", [0, ""])
def test_server_may_use_any_id(client, identifier):
    """Its answer comes under that id."""
    assert json.loads(text(client.call(1, "sample", id=identifier)))["id"] == identifier


@pytest.mark.parametrize(("tool", "code"), [("roots", -32010), ("ask-unknown", -32601)])
def test_server_is_refused_what_rules_refuse(client, tool, code):
    """Neither what the rules refuse nor what nobody knows reaches the client."""
    assert json.loads(text(client.call(1, tool)))["error"]["code"] == code
    assert [one for one in client.others if "id" in one and "method" in one] == []


def test_question_that_the_server_withdraws_is_cancelled_at_the_client(client):
    """By the id that the client knows; what the server says of it does not pass."""
    client.send(id=1, method="tools/call", params={"name": "withdraw"})
    asked = client.next()
    client.send(method="notifications/roots/list_changed")
    cancelled = client.next()

    assert asked["method"] == "sampling/createMessage"
    assert cancelled["method"] == "notifications/cancelled"
    assert cancelled["params"]["requestId"] == asked["id"]
    assert SECRET not in json.dumps(cancelled)
    assert text(client.answer(1)) == "withdrawn"


def test_unknown_notification_of_the_server_is_dropped(client):
    """It could carry anything."""
    client.call(1, "unknown-note")

    assert client.others == []


def test_unknown_notification_of_the_client_is_dropped(client):
    """In this direction as well."""
    client.send(method="notifications/evil", params={})
    client.call(1, "echo")

    assert [one["method"] for one in client.seen] == ["tools/call"]


def test_reference_is_passed_on_as_it_was_judged(client):
    """A prompt that is asked about carries no URI along of which no rule has heard."""
    ref = {"type": "ref/prompt", "name": "p", "uri": "memo://shut", "more": 1}
    client.ask(1, "completion/complete", ref=ref, argument={"name": "n", "value": "v"})

    assert client.seen[-1]["params"]["ref"] == {"type": "ref/prompt", "name": "p"}


# Bad input.


ODD = [[1], {"a": 1}, None, True, 1.5]


def test_odd_values_of_a_server_end_nothing(client):
    """Where a text or a number belongs, anything else is nothing that is known; calls go on."""
    assert text(client.call(1, "odd-values")) == "odd"
    assert text(client.call(2, "echo")) == "{}"


@pytest.mark.parametrize("value", ODD)
def test_odd_values_of_a_client_end_nothing(client, value):
    """The same of what the client says."""
    client.send(method="notifications/progress", params={"progressToken": value, "progress": 1})
    client.send(method="notifications/cancelled", params={"requestId": value})
    answer = client.ask(1, "tasks/get", taskId=value)

    assert answer["error"]["code"] == -32602
    assert text(client.call(2, "echo")) == "{}"


@pytest.mark.parametrize(
    ("line", "code", "identifier"),
    [
        (b"\n{\n", -32700, None),
        (b"\xff\n", -32700, None),
        (b'{"jsonrpc":"2.0","id":5,"id":6,"method":"ping"}\n', -32700, None),
        (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a","name":"echo"}}\n', -32700, 7),
        (b'{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"echo","arguments":{"a":NaN}}}\n', -32700, 8),
        (b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"\\ud800"}}\n', -32700, 9),
        (b'{"jsonrpc":"2.0","id":1,"params":' + b'{"a":' * 9_999 + b"1" + b"}" * 9_999 + b"}\n", -32700, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"n":' + b"9" * 5_000 + b"}}\n", -32700, 1),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}\n', -32600, None),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}\n', -32600, None),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}\n', -32600, None),
        (b'{"jsonrpc":"1.0","id":3,"method":"ping"}\n', -32600, 3),
        (b'{"id":3,"method":"ping"}\n', -32600, 3),
        (b'{"jsonrpc":"2.0","id":3,"method":7}\n', -32600, 3),
        (b'{"jsonrpc":"2.0","id":3,"method":"ping","params":[]}\n', -32602, 3),
        (b'{"jsonrpc":"2.0","id":3,"method":"ping","result":{}}\n', -32600, 3),
        (b'{"jsonrpc":"2.0"}\n', -32600, None),
        (b"[]\n", -32600, None),
        (b"7\n", -32600, None),
        (b"[" + b",".join([b"1"] * 101) + b"]\n", -32600, None),
    ],
)  # fmt: skip
def test_what_is_no_message_is_refused(client, line, code, identifier):
    """With an error of JSON-RPC, under its id where that is plain to see; nothing of it reaches the server."""
    client.write(line)
    answer = client.next()

    assert (answer["error"]["code"], answer["id"]) == (code, identifier)
    assert client.seen == []


def test_batch_is_answered_as_a_batch(client):
    """Each of it is served for itself, and what is no message of it is told of."""
    call = {"jsonrpc": "2.0", "method": "tools/call"}
    batch = [
        {**call, "id": 0, "params": {"name": "echo", "arguments": {}}},
        {**call, "id": "", "params": {"name": "danger", "arguments": {}}},
        {"jsonrpc": "2.0", "method": "notifications/evil"},
        7,
        {"jsonrpc": "2.0", "id": 2, "method": "initialize", "params": {}},
    ]
    client.write(json.dumps(batch).encode() + b"\n")
    answers = {repr(one["id"]): one for one in client.next()}

    assert answers.keys() == {"0", "''", "None", "2"}
    assert "isError" not in answers["0"]["result"]
    assert answers["''"]["result"]["isError"] is True
    assert answers["2"]["error"]["code"] == answers["None"]["error"]["code"] == -32600
    assert client.calls_seen() == ["echo"]


def test_id_that_is_under_way_is_refused(client):
    """The answer of one request must not be taken for that of another."""
    client.send(id=1, method="tools/call", params={"name": "never"})
    client.send(id=1, method="tools/call", params={"name": "echo"})
    refused = client.next()
    client.send(method="notifications/cancelled", params={"requestId": 1})

    assert (refused["id"], refused["error"]["code"]) == (None, -32600)
    assert client.call(2, "echo")["id"] == 2


@pytest.mark.parametrize("tool", ["nan", "double", "surrogate", "deep", "no-result", "odd-type"])
def test_answer_that_is_none_fails_its_call(client, tool):
    """The client hears at once that there is no result, and nothing of it."""
    answer = client.call(1, tool)

    assert answer["result"]["isError"] is True
    assert "the server answered with something that is no" in text(answer)


@pytest.mark.parametrize(
    ("tool", "said"), [("twice", "first"), ("other-id", "mine"), ("garbage", "after it"), ("stray", "after it")]
)
def test_what_nobody_waits_for_is_dropped(client, tool, said):
    """A second answer, one to another id, and what is no message at all: the call gets its own answer, once."""
    assert text(client.call(1, tool)) == said
    assert client.call(2, "echo")["id"] == 2
    assert client.others == []


def test_standard_error_of_the_server_is_passed_on_escaped(client):
    """Nobody can move a terminal by it."""
    client.call(1, "stderr")
    until(lambda: any("red" in line for line in client.errors))

    assert "\\u{1b}[31mred\\u{202e}\n" in client.errors


def test_too_long_messages_are_refused_in_both_directions(tmp_path):
    """What waits for the server fails at once, and the connection goes on."""
    with RawClient(tmp_path, RULES, "--max-message", "20000") as client:
        client.begin()
        client.write(b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"' + b"x" * 30_000 + b'"}}\n')
        refused = client.next()
        failed = client.call(2, "huge", size=200_000)

        assert (refused["id"], refused["error"]["code"]) == (None, -32700)
        assert failed["result"]["isError"] is True
        assert text(client.call(3, "echo", a=1)) == '{"a": 1}'


# Time, cancellation, ends.


def test_cancelled_call_is_cancelled_at_the_server(client):
    """By the id that the server knows; the client gets no answer to it."""
    client.send(id="mine", method="tools/call", params={"name": "never"})
    until(lambda: client.calls_seen() == ["never"])
    (call,) = client.seen
    client.send(method="notifications/cancelled", params={"requestId": "mine"})
    until(lambda: len(client.seen) >= 2)
    client.call(2, "echo")

    assert client.seen[1]["method"] == "notifications/cancelled"
    assert client.seen[1]["params"]["requestId"] == call["id"]
    assert client.others == []


def test_server_that_never_answers_is_waited_for_so_long(tmp_path):
    """Then the call fails, and the server is told that nobody waits."""
    with RawClient(tmp_path, RULES, "--timeout", "0.3") as client:
        client.begin()
        answer = client.call(1, "never")

        assert text(answer) == "Error: the server did not answer `tools/call` within 0.3 s"
        assert text(client.call(2, "echo")) == "{}"
        assert "notifications/cancelled" in [one["method"] for one in client.seen]


def test_server_that_dies_ends_the_proxy_with_an_answer(tmp_path):
    """The call that was under way fails, and so does the proxy, clearly."""
    with RawClient(tmp_path, RULES) as client:
        client.begin()

        assert text(client.call(1, "die")) == "Error: the server has ended"
        assert client.process.wait(PATIENCE) == 1
        assert "tidegate: the server has ended (exit code 3)\n" in client.errors


def test_server_that_cannot_be_started_is_told_of(tmp_path):
    """Before anything is answered."""
    with RawClient(tmp_path, RULES, server=["no-such-program-at-all"]) as client:
        assert client.next() is None
        assert client.process.wait(PATIENCE) == 2

    assert "there is no program `no-such-program-at-all`" in "".join(client.errors)


def test_rules_with_an_error_start_nothing(tmp_path):
    """No plan, no server."""
    with RawClient(tmp_path, "version = 1\nnonsense = 1\n") as client:
        assert client.next() is None
        assert client.process.wait(PATIENCE) == 2

    assert client.seen == []


def test_client_that_leaves_in_the_middle_ends_the_server(tmp_path):
    """Its calls are cancelled at the server, which then ends with the proxy; slots are given back."""
    with RawClient(tmp_path, RULES) as client:
        client.begin()
        client.send(id=1, method="tools/call", params={"name": "never"})
        until(lambda: client.calls_seen() == ["never"])

        assert client.close() == 0

    assert client.seen[-1]["method"] == "notifications/cancelled"


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_signal_ends_proxy_and_server(tmp_path):
    """Neither outlives it."""
    pid = f"import os,sys; open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid())); sys.stdin.read()"
    with RawClient(tmp_path, RULES, server=[sys.executable, "-c", pid]) as client:
        until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text())
        client.process.send_signal(signal.SIGTERM)

        assert client.process.wait(PATIENCE) == 0
        with pytest.raises(ProcessLookupError):
            os.kill(int((tmp_path / "pid").read_text()), 0)


def test_too_many_requests_are_refused(tmp_path):
    """The bound holds, and what is under way goes on."""
    with RawClient(tmp_path, RULES) as client:
        client.begin()
        for number in range(257):
            client.send(id=number, method="tools/call", params={"name": "never"})
        busy = client.next()

        assert (busy["id"], busy["error"]["code"]) == (256, -32012)


def test_too_long_requests_together_are_refused(tmp_path):
    """What one client holds in memory is bounded, and given back when its requests end."""
    with RawClient(tmp_path, RULES, "--max-message", "20000") as client:
        client.begin()
        arguments = {"x": "x" * 15_000}
        for number in range(12):
            client.send(id=number, method="tools/call", params={"name": "never", "arguments": arguments})
        busy = client.next()
        until(lambda: client.calls_seen().count("never") == 10)
        for number in range(12):
            client.send(method="notifications/cancelled", params={"requestId": number})
        until(lambda: sum(one["method"] == "notifications/cancelled" for one in client.seen) >= 10)

        assert (busy["id"], busy["error"]["code"]) == (10, -32012)
        assert "isError" not in client.call("later", "log", **arguments)["result"]


def test_client_that_reads_late_gets_every_answer(tmp_path):
    """While it does not read, the server waits; when it reads again, every answer is there."""
    with RawClient(tmp_path, RULES, "--max-message", "2000000", reading=False) as client:
        client.send(id="init", method="initialize", params={"protocolVersion": "2025-11-25"})
        for number in range(20):
            call = {"name": "huge", "arguments": {"size": 1_500_000}}
            client.send(id=number, method="tools/call", params=call)
        until(lambda: client.calls_seen().count("huge") >= 5)
        client.read()

        assert {client.next()["id"] for _ in range(21)} == {"init", *range(20)}


# Rules that need a person, a session, a limit.


def test_person_is_asked_by_elicitation(tmp_path):
    """A plain yes lets the call pass, once; everything else refuses it."""
    with RawClient(tmp_path, ASKING) as client:
        client.begin(elicitation={})
        answers = []
        for number, reply in enumerate(
            [
                {"action": "accept", "content": {"allow": True}},
                {"action": "accept", "content": {}},
                {"action": "accept", "content": {"allow": "true"}},
                {"action": "decline"},
                {"action": "cancel"},
                {"action": "accept"},
            ]
        ):
            client.answers = {"elicitation/create": {"result": reply}}
            answers.append(client.call(number, "echo", n="\u202egpj").get("result").get("isError", False))
        (asked, *_) = [one for one in client.others if one.get("method") == "elicitation/create"]

        assert answers == [False, True, True, True, True, True]
        assert client.calls_seen() == ["echo"]
        assert "a person has to look at this" in asked["params"]["message"]
        assert "\\u{202e}gpj" in asked["params"]["message"]


def test_without_a_client_that_can_ask_asking_is_refusing(tmp_path):
    """There is nobody to ask."""
    with RawClient(tmp_path, ASKING) as client:
        client.begin(elicitation={"url": {}})
        answer = client.call(1, "echo")

        assert text(answer).startswith("Error: this call needs approval, and there is nobody to ask")
        assert client.calls_seen() == []


def test_limits_count_for_the_run_and_not_for_the_session_of_mcp(tmp_path):
    """Whoever begins a session anew has not more calls; denied calls never enter."""
    limit = '[[rule]]\nid = "two"\nkind = "rate-limit"\nlimit = "2/1h"\nper = ["session"]\ntools = ["mcp__*"]\n'
    with RawClient(tmp_path, f'version = 1\ndefault = "allow"\n{limit}') as client:
        client.begin()
        first = [client.call(number, "echo")["result"].get("isError", False) for number in range(2)]
        client.begin()
        later = [client.call(number, "echo")["result"].get("isError", False) for number in range(2)]

        assert first + later == [False, False, True, True]
        assert client.calls_seen() == ["echo", "echo"]


def test_slot_of_a_cancelled_call_is_given_back(tmp_path):
    """A limit on what runs at once counts what runs at the server."""
    rule = '[[rule]]\nid = "one"\nkind = "concurrency"\nlimit = 1\ntools = ["mcp__*"]\n'
    with RawClient(tmp_path, f'version = 1\ndefault = "allow"\n{rule}') as client:
        client.begin()
        client.send(id=1, method="tools/call", params={"name": "never"})
        until(lambda: client.calls_seen() == ["never"])
        busy = client.call(2, "echo")
        client.send(method="notifications/cancelled", params={"requestId": 1})
        until(lambda: client.seen[-1]["method"] == "notifications/cancelled")
        free = client.call(3, "echo")

        assert busy["result"]["isError"] is True
        assert "isError" not in free["result"]


def test_decisions_are_recorded(tmp_path):
    """Each governed request has one record, which says whether it reached the server."""
    audit = tmp_path / "audit.jsonl"
    with RawClient(tmp_path, RULES, "--audit", str(audit), "--agent", "me", "--session", "run-7") as client:
        client.begin()
        client.call(1, "echo", a=1)
        client.call(2, "danger")
        client.ask(3, "resources/read", uri="memo://open")
    records = [json.loads(line) for line in audit.read_text(encoding="utf-8").splitlines()]

    assert [(one["tool"], one["effect"], one["entered"]) for one in records] == [
        ("mcp__s__echo", "allow", True),
        ("mcp__s__danger", "deny", None),
        ("resource:s/memo://open", "allow", True),
    ]
    assert {(one["server"], one["agent"], one["session"]) for one in records} == {("s", "me", "run-7")}


# What the server says of its tools.


@pytest.mark.parametrize("tell", [True, False])
def test_tool_that_says_something_else_is_suspended(tmp_path, tell):
    """With the announcement, or with the next list; others go on, and the list leaves it out."""
    with RawClient(tmp_path, RULES) as client:
        client.begin()
        assert text(client.call(1, "echo")) == "{}"
        client.call(2, "change", tell=tell)
        if not tell:
            client.ask(3, "tools/list")
        held = client.call(4, "echo")
        names = [one["name"] for one in client.ask(5, "tools/list")["result"]["tools"]]

        assert "says something else of this tool than before" in text(held)
        assert client.calls_seen() == ["echo", "change"]
        assert "echo" not in names
        assert "isError" not in client.call(6, "log")["result"]


def test_tool_that_is_not_listed_any_more_is_suspended(tmp_path):
    """A server does not get around its list by leaving the tool out of it."""
    with RawClient(tmp_path, RULES) as client:
        client.begin()
        client.call(1, "echo")
        client.call(2, "vanish")

        assert "does not list this tool any more" in text(client.call(3, "echo"))


def test_tool_is_held_to_its_pin_until_it_is_pinned_again(tmp_path):
    """Also from one run to the next; to pin it again is enough."""
    listed = tmp_path / "listed.json"
    pins = tmp_path / "pins.toml"
    entry = {"name": "echo", "description": "another", "inputSchema": {"type": "object"}}
    listed.write_text(json.dumps({"tools": [entry]}))
    assert main(["new", "pins", "--from", f"s={listed}", "--out", str(pins)]) == 0
    with RawClient(tmp_path, RULES, "--pins", str(pins)) as client:
        client.begin()
        held = client.call(1, "echo")
        listed.write_text(json.dumps({"tools": [{**entry, "description": "about echo"}]}))
        assert main(["new", "pins", "--from", f"s={listed}", "--out", str(pins), "--update"]) == 0
        free = client.call(2, "echo")

        assert "says something else" in text(held)
        assert text(free) == "{}"


def test_rule_with_pins_knows_what_the_server_says(tmp_path):
    """The proxy attests it, so that a grant by pin holds: for the tool that was pinned, and no other."""
    listed = tmp_path / "listed.json"
    entry = {"name": "echo", "description": "about echo", "inputSchema": {"type": "object"}}
    listed.write_text(json.dumps({"tools": [entry]}))
    assert main(["new", "pins", "--from", f"s={listed}", "--out", str(tmp_path / "pins.toml")]) == 0
    rule = '[[rule]]\nid = "pinned"\nkind = "mcp"\nallow = ["s/*"]\npin = "pins.toml"\n'
    with RawClient(tmp_path, f'version = 1\ndefault = "deny"\n{rule}') as client:
        client.begin()

        assert text(client.call(1, "echo")) == "{}"
        assert client.call(2, "log")["result"]["isError"] is True
        assert client.calls_seen() == ["echo"]


# Stateless clients.


@pytest.fixture(scope="module")
def modern(tmp_path_factory):
    with RawClient(tmp_path_factory.mktemp("modern"), RULES) as client:
        yield client


def test_stateless_client_needs_no_session(modern):
    """Discovery says what the proxy can pass on; results say what kind they are."""
    found = modern.modern(1, "server/discover")["result"]
    called = modern.modern(2, "tools/call", name="echo", arguments={"a": 1})["result"]
    refused = modern.modern(3, "tools/call", name="danger", arguments={})["result"]

    assert found["supportedVersions"] == ["2026-07-28"]
    assert found["capabilities"] == {"tools": {}}
    assert called["resultType"] == refused["resultType"] == "complete"
    assert refused["isError"] is True


def test_version_that_nobody_knows_is_refused(modern):
    """In a version of tomorrow anything could mean something else."""
    meta = {**MODERN, "io.modelcontextprotocol/protocolVersion": "2031-01-01"}
    answer = modern.ask(1, "tools/call", name="echo", arguments={}, _meta=meta)

    assert answer["error"]["code"] == -32022
    assert answer["error"]["data"] == {"supported": ["2026-07-28"], "requested": "2031-01-01"}


def test_rounds_are_one_call(modern):
    """What the server wants is shaped; its state stays here, and what it gets is what was asked for."""
    modern.seen_file.write_text("")
    first = modern.modern(1, "tools/call", name="input", arguments={"a": 1})["result"]
    given = {"q": {"action": "accept", "content": {}}, "unasked": {"x": 1}}
    state = first["requestState"]
    second = modern.modern(2, "tools/call", name="input", arguments={"a": 1}, requestState=state, inputResponses=given)[
        "result"
    ]

    assert first["resultType"] == "input_required"
    assert first["inputRequests"]["q"]["params"]["message"] == f"really, {LABEL}?"
    assert "server-state" not in json.dumps(first)
    assert json.loads(second["content"][0]["text"]) == {"q": given["q"]}
    again = modern.seen[-1]["params"]
    assert (again["requestState"], again["arguments"]) == ("server-state", {"a": 1})


@pytest.mark.parametrize(
    ("name", "arguments"), [("input", {"a": 2}), ("input", {"a": True}), ("echo", {"a": 1}), ("danger", {"a": 1})]
)
def test_round_of_another_call_is_refused(modern, name, arguments):
    """Nobody gets another call through on the state of one that was judged, and the state is used up."""
    state = modern.modern(1, "tools/call", name="input", arguments={"a": 1})["result"]["requestState"]
    modern.seen_file.write_text("")
    wrong = modern.modern(2, "tools/call", name=name, arguments=arguments, requestState=state, inputResponses={})
    right = modern.modern(3, "tools/call", name="input", arguments={"a": 1}, requestState=state, inputResponses={})

    assert wrong["error"]["code"] == right["error"]["code"] == -32602
    assert modern.calls_seen() == []


def test_round_that_wants_what_rules_refuse_fails_the_call(modern):
    """Also a thing that nobody knows."""
    refused = modern.modern(1, "tools/call", name="input", arguments={"method": "roots/list"})["result"]
    unknown = modern.modern(2, "tools/call", name="input", arguments={"method": "evil"})["result"]

    assert (
        refused["content"][0]["text"]
        == "Error: the server wants `roots/list` for this, which is refused: this is closed"
    )
    assert unknown["isError"] is True


def test_state_alone_is_a_round(modern):
    """The server may want nothing but to be asked again."""
    first = modern.modern(1, "tools/call", name="state-only", arguments={})["result"]
    second = modern.modern(2, "tools/call", name="state-only", arguments={}, requestState=first["requestState"])

    assert "inputRequests" not in first
    assert text(second) == "done"


def test_subscription_has_the_ids_of_the_client(modern):
    """What comes on it is stamped with them; what belongs to none is dropped, and what is refused is not followed."""
    refused = modern.modern(1, "subscriptions/listen", notifications={"resourceSubscriptions": ["memo://shut"]})
    params = {"notifications": {"toolsListChanged": True}, "_meta": MODERN}
    modern.send(id="sub", method="subscriptions/listen", params=params)
    told = [modern.next(), modern.next()]
    modern.send(method="notifications/cancelled", params={"requestId": "sub"})
    modern.others.clear()
    modern.modern(2, "tools/call", name="echo", arguments={})

    assert refused["error"]["code"] == -32010
    assert [one["method"] for one in told] == [
        "notifications/subscriptions/acknowledged",
        "notifications/tools/list_changed",
    ]
    assert {one["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] for one in told} == {"sub"}
    assert modern.others == []


def test_stateless_client_is_asked_in_a_round(tmp_path):
    """The question comes as input that is wanted; the yes counts for that very call, once."""
    with RawClient(tmp_path, ASKING) as client:
        asked = client.modern(1, "tools/call", name="echo", arguments={"a": 1})["result"]
        yes = {"tidegate": {"action": "accept", "content": {"allow": True}}}
        state = asked["requestState"]
        other = client.modern(2, "tools/call", name="echo", arguments={"a": 2}, requestState=state, inputResponses=yes)
        again = client.modern(3, "tools/call", name="echo", arguments={"a": 1})["result"]["requestState"]
        passed = client.modern(4, "tools/call", name="echo", arguments={"a": 1}, requestState=again, inputResponses=yes)

        assert "a person has to look at this" in asked["inputRequests"]["tidegate"]["params"]["message"]
        assert other["error"]["code"] == -32602
        assert text(passed) == '{"a": 1}'
        assert client.calls_seen() == ["echo"]


def test_name_with_a_slash_is_misuse():
    """It could not be told from server and tool."""
    assert main(["mcp", "--rules", "rules.toml", "--name", "a/b", "--", "x"]) == 2
