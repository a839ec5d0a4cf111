"""The MCP proxy over HTTP, as processes: what passes, what does not, and what nobody on either side can make it do."""

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import anyio
import anyio.to_thread
import httpx2
import pytest
from mcp import Client
from mcp.types import ElicitResult

from tests.adapters.mcp_raw_client import MODERN, PATIENCE, until
from tests.adapters.mcp_scripted_http_server import SECRET, SESSION
from tidegate.cli import main

HERE = Path(__file__).parent
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
deny = ["s/danger"]
message = "this is closed"

[[rule]]
id = "look"
kind = "tools"
deny = ["mcp__s__hi"]
effect = "ask"

[[rule]]
id = "few"
kind = "rate-limit"
limit = "2/hour"
tools = ["mcp__s__refuse"]
"""
HEADERS = {"content-type": "application/json", "accept": "application/json, text/event-stream"}

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the proxy is ended by a signal")


def environment(folder):
    path = os.pathsep.join(filter(None, [str(HERE.parents[1] / "engine"), os.environ.get("PYTHONPATH")]))
    home = {"HOME": str(folder), "XDG_STATE_HOME": str(folder / "state"), "SEEN": str(folder / "seen.jsonl")}
    return {**os.environ, **home, "PYTHONPATH": path, "UPSTREAM_TOKEN": "Bearer upstream", "TOKEN": "let-me-in"}


@contextmanager
def server(folder):
    """The scripted server; gives its address."""
    words = [sys.executable, str(HERE / "mcp_scripted_http_server.py")]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(folder), text=True
    ) as process:
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}/mcp"
        finally:
            process.kill()


class Proxy:
    """A proxy that listens somewhere, and what reached the server behind it."""

    def __init__(self, folder, process):
        self.folder = folder
        self.process = process
        self.url = json.loads(process.stdout.readline())["url"]
        self.http = httpx2.Client(timeout=PATIENCE)
        self.session = None

    def post(self, message, **headers):
        """One request of HTTP; headers that are `None` are left out."""
        content = message if isinstance(message, bytes) else json.dumps({"jsonrpc": "2.0", **message}).encode()
        told = {**HEADERS, **({"mcp-session-id": self.session} if self.session else {})}
        told |= {key.replace("_", "-"): value for key, value in headers.items()}
        return self.http.post(
            self.url, content=content, headers={key: value for key, value in told.items() if value is not None}
        )

    def begin(self, **capabilities):
        """Begin a session."""
        told = {
            "protocolVersion": "2025-11-25",
            "capabilities": capabilities,
            "clientInfo": {"name": "r", "version": "1"},
        }
        self.session = None
        self.session = self.post({"id": 0, "method": "initialize", "params": told}).headers["mcp-session-id"]
        assert self.post({"method": "notifications/initialized"}).status_code == 202

    def call(self, tool, _meta=None, **arguments):
        """Call a tool in the session, or without one as a stateless client."""
        meta = _meta if _meta is not None else {} if self.session else MODERN
        params = {"name": tool, "arguments": arguments, "_meta": meta}
        return self.post({"id": 1, "method": "tools/call", "params": params})

    @property
    def seen(self):
        """What reached the server."""
        return [json.loads(line) for line in (self.folder / "seen.jsonl").read_text().splitlines()]

    def called(self):
        """The tools that were called at the server."""
        messages = [one["message"] for one in self.seen if isinstance(one["message"], dict)]
        return [one["params"]["name"] for one in messages if one.get("method") == "tools/call"]


def messages(response):
    """The messages of an answer, whether it is JSON or a stream."""
    if response.headers["content-type"].startswith("application/json"):
        return [response.json()]
    return [json.loads(line.removeprefix("data: ")) for line in response.text.splitlines() if line.startswith("data:")]


def said(response):
    return messages(response)[-1]["result"]["content"][0]["text"]


@contextmanager
def proxy(folder, url, *options, rules=RULES):
    """The proxy before a server."""
    (folder / "rules.toml").write_text(rules)
    (folder / "seen.jsonl").touch()
    words = [sys.executable, "-m", "tidegate", "mcp", "--rules", str(folder / "rules.toml"), "--name", "s"]
    listen = ["--http", url, "--listen", "127.0.0.1:0", "--json", "--header", "Authorization=UPSTREAM_TOKEN"]
    with subprocess.Popen(
        [*words, *listen, *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment(folder)
    ) as process:
        try:
            found = Proxy(folder, process)
            with found.http:
                yield found
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE) == 0
        finally:
            process.kill()


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    folder = tmp_path_factory.mktemp("http")
    with server(folder) as url, proxy(folder, url, "--max-message", "100000", "--timeout", "60") as found:
        yield found


@pytest.fixture
def session(shared):
    """In a session, with nothing left over from other tests."""
    shared.begin(elicitation={})
    (shared.folder / "seen.jsonl").write_text("")
    return shared


@pytest.fixture
def stateless(shared):
    """Without a session."""
    shared.session = None
    (shared.folder / "seen.jsonl").write_text("")
    return shared


@pytest.fixture(params=["session", "stateless"])
def either(request):
    return request.getfixturevalue(request.param)


# What passes, and what does not.


def test_allowed_call_passes_and_refused_call_never_reaches_the_server(either):
    """In both eras."""
    allowed, refused = either.call("echo", a=1), either.call("danger")

    assert said(allowed) == '{"a": 1}'
    assert said(refused) == "Error: this is closed"
    assert messages(refused)[0]["result"]["isError"] is True
    assert either.called() == ["echo"]


def test_stream_is_shaped(either):
    """Logs, progress and the result, in their order."""
    meta = {"progressToken": "t"} if either.session else {**MODERN, "progressToken": "t"}
    found = messages(either.call("stream", _meta=meta))

    assert [one.get("method") for one in found] == ["notifications/message", "notifications/progress", None]
    assert found[0]["params"]["data"] == LABEL
    assert found[2]["result"]["content"][0]["text"] == f"a {LABEL}"


def test_server_sees_headers_of_what_was_sent_and_none_of_the_client(stateless):
    """The proxy's own token, the method, the name and marked arguments; no token of the client."""
    params = {"name": "echo", "arguments": {"region": "é"}, "_meta": MODERN}
    stateless.post(
        {"id": 1, "method": "tools/call", "params": params}, authorization="Bearer of-the-client", cookie="a=b"
    )
    headers = stateless.seen[-1]["headers"]

    assert headers["authorization"] == "Bearer upstream"
    assert "cookie" not in headers
    assert (headers["mcp-method"], headers["mcp-name"]) == ("tools/call", "echo")
    assert headers["mcp-param-region"] == "=?base64?w6k=?="
    assert headers["mcp-protocol-version"] == "2026-07-28"


def test_sessions_at_the_server_are_its_own(session):
    """The client does not hear of them, and its own session is not told to the server."""
    session.call("echo")

    assert session.session != SESSION
    assert session.seen[-1]["headers"]["mcp-session-id"] == SESSION
    assert session.http.delete(session.url, headers={"mcp-session-id": session.session}).status_code == 204
    until(lambda: session.seen[-1]["method"] == "DELETE")
    assert session.call("echo").status_code == 404


def test_server_asks_the_client_on_the_stream_of_its_call(session):
    """The question is shaped, and its answer reaches the server."""
    params = {"name": "ask", "arguments": {}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    headers = {**HEADERS, "mcp-session-id": session.session}
    found = []
    with (
        httpx2.Client(timeout=PATIENCE) as other,
        other.stream("POST", session.url, content=body, headers=headers) as stream,
    ):
        for line in stream.iter_lines():
            if line.startswith("data:"):
                found.append(json.loads(line.removeprefix("data: ")))
                if "method" in found[-1]:
                    session.post({"id": found[-1]["id"], "result": {"action": "decline"}})

    assert found[0]["params"]["message"] == f"who, {LABEL}?"
    assert json.loads(found[1]["result"]["content"][0]["text"])["result"] == {"action": "decline"}


def test_limits_count_over_all_sessions_and_requests(shared):
    """Whoever begins anew has not more."""
    (shared.folder / "seen.jsonl").write_text("")
    for _ in range(3):
        shared.begin()
        shared.call("refuse")
    shared.session = None
    last = messages(shared.call("refuse"))[0]

    assert last["result"]["isError"] is True
    assert shared.called() == ["refuse", "refuse"]


# Rounds.


def test_rounds_come_in_requests_of_their_own(stateless):
    """The state is the proxy's own; another call does not get through on it."""
    first = messages(stateless.call("input", a=1))[0]["result"]
    params = {"name": "input", "arguments": {"a": 1}, "_meta": MODERN, "requestState": first["requestState"]}
    given = {"inputResponses": {"q": {"action": "accept"}}}
    second = stateless.post({"id": 7, "method": "tools/call", "params": {**params, **given}})
    again = stateless.post({"id": 8, "method": "tools/call", "params": {**params, **given}})

    assert "server-state" not in json.dumps(first)
    assert json.loads(said(second)) == {"q": {"action": "accept"}}
    assert messages(again)[0]["error"]["code"] == -32602


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_person_is_asked_through_the_client_of_the_sdk(shared, mode):
    """In a round, or on the stream of the call; yes lets it pass, and no does not."""
    (shared.folder / "seen.jsonl").write_text("")
    asked = []

    async def ask(context, params):
        asked.append(params.message)
        return ElicitResult(action="accept", content={"allow": len(asked) == 1})

    async def work():
        with anyio.fail_after(PATIENCE):
            async with Client(shared.url, mode=mode, elicitation_callback=ask) as client:
                return [await client.call_tool("hi", {"n": 1}) for _ in range(2)]

    # The scripted server knows no discovery: a client that tries it begins a session then.
    allowed, refused = anyio.run(work)

    assert not allowed.is_error
    assert refused.is_error
    assert len(asked) == 2
    assert shared.called() == ["hi"]


def test_stateless_client_is_asked_in_a_round_over_http(stateless):
    """The yes lets that call pass."""
    first = messages(stateless.call("hi", n=1))[0]["result"]
    params = {"name": "hi", "arguments": {"n": 1}, "_meta": MODERN, "requestState": first["requestState"]}
    yes = {"tidegate": {"action": "accept", "content": {"allow": True}}}
    before = stateless.called()
    second = stateless.post({"id": 2, "method": "tools/call", "params": {**params, "inputResponses": yes}})

    assert before == []
    assert said(second) == '{"n": 1}'


def test_requests_without_a_session_leave_nothing_behind(stateless):
    """There may be more of them than the proxy has room for clients; a session makes room for another."""
    codes = {stateless.call("danger").status_code for _ in range(300)}
    stateless.begin()

    assert codes == {200}
    assert said(stateless.call("echo")) == "{}"


# Bad input.


@pytest.mark.parametrize(
    ("tool", "text"),
    [
        ("fail", "Error: the server answered with HTTP 500"),
        ("cut", "Error: the server ended its answer before it came"),
        ("garbage", "Error: the server ended its answer before it came"),
        ("huge", "Error: the server sent more than 100000 bytes"),
        ("other", "mine"),
    ],
)
def test_answer_of_the_server_that_is_none_fails_the_call(either, tool, text):
    """At once, with the reason, and nothing of what came."""
    answer = either.call(tool)

    assert said(answer) == text
    assert SECRET not in answer.text


def test_server_that_cannot_be_reached_fails_the_call(tmp_path):
    """The proxy goes on."""
    with proxy(tmp_path, "http://127.0.0.1:9/mcp") as found:
        assert said(found.call("echo")) == "Error: the server cannot be reached: ConnectError"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.test"}, 403),
        ({"origin": "https://evil.test"}, 403),
        ({"origin": "null"}, 403),
        ({"content_type": "text/plain"}, 415),
        ({"content_type": None}, 415),
        ({"mcp_protocol_version": "2031-01-01"}, 400),
        ({"mcp_protocol_version": "2025-11-25"}, 400),
        ({"mcp_method": "tools/list"}, 400),
        ({"mcp_name": "danger"}, 400),
        ({"mcp_name": "=?base64?!?="}, 400),
        ({"mcp_session_id": "guessed"}, 404),
    ],
)
def test_request_of_http_that_does_not_fit_is_refused(stateless, headers, status):
    """Pages of other origins, names that lead elsewhere, headers that say something else than the message."""
    params = {"name": "echo", "arguments": {}, "_meta": MODERN}
    answer = stateless.post({"id": 1, "method": "tools/call", "params": params}, **headers)

    assert answer.status_code == status
    assert stateless.seen == []


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, -32700),
        (b"", 400, -32700),
        (b"x" * 200_000, 413, -32700),
        (b'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"a":1,"a":2}}', 400, -32700),
        (b'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo"}}', 400, -32600),
        (b"[]", 400, -32600),
    ],
)
def test_body_that_is_no_message_is_refused(stateless, body, status, code):
    """Also one that belongs to no session and says no version."""
    answer = stateless.post(body)

    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert stateless.seen == []


def test_other_methods_and_paths_are_refused(stateless):
    """There is one endpoint."""
    assert stateless.http.put(stateless.url).status_code == 405
    assert stateless.http.get(stateless.url).status_code == 405
    assert stateless.http.get(f"{stateless.url}/x").status_code == 404


def test_stateless_client_that_leaves_cancels_its_call(stateless):
    """At the server, by closing the stream of the request."""
    with pytest.raises(httpx2.TimeoutException):
        httpx2.post(
            stateless.url,
            content=json.dumps(
                {
                    "jsonrpc": "2.0",
                    "id": 1,
                    "method": "tools/call",
                    "params": {"name": "never", "arguments": {}, "_meta": MODERN},
                }
            ),
            headers=HEADERS,
            timeout=1,
        )
    until(lambda: stateless.seen[-1]["message"] == "the client has left")

    assert stateless.called() == ["never"]


def test_cancelled_call_of_a_session_is_cancelled_at_the_server(session):
    """By a notification with the id that the server knows."""
    body = {"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "never", "arguments": {}}}
    headers = {**HEADERS, "mcp-session-id": session.session}

    async def work():
        async with httpx2.AsyncClient(timeout=PATIENCE) as http, anyio.create_task_group() as group:
            group.start_soon(lambda: http.post(session.url, content=json.dumps(body), headers=headers))
            await anyio.to_thread.run_sync(until, lambda: session.called() == ["never"])
            told = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}}
            await http.post(session.url, content=json.dumps(told), headers=headers)
            left = lambda: any(one["message"] == "the client has left" for one in session.seen)  # noqa: E731
            await anyio.to_thread.run_sync(until, left)

    anyio.run(work)
    sent = [one["message"] for one in session.seen if isinstance(one["message"], dict)]
    (call,) = [one for one in sent if one["method"] == "tools/call"]

    assert [one["params"]["requestId"] for one in sent if one["method"] == "notifications/cancelled"] == [call["id"]]


@pytest.mark.parametrize(("options", "passes"), [([], False), (["--local"], True)])
def test_paths_of_a_server_elsewhere_are_unknown(tmp_path, options, passes):
    """A grant for paths holds only where somebody attests whose files they are."""
    rules = (
        'version = 1\ndefault = "deny"\n[tools.mcp__s__echo]\npath = { role = "path", access = "read" }\n'
        '[[rule]]\nid = "inside"\nkind = "path"\nallow = ["/srv/**"]\n'
    )
    with server(tmp_path) as url, proxy(tmp_path, url, *options, rules=rules) as found:
        answer = messages(found.call("echo", path="/srv/a"))[0]["result"]

        assert answer.get("isError", False) is not passes
        assert found.called() == ["echo"] * passes


def test_clients_must_show_the_token(tmp_path):
    """Where there is one, nothing passes without it."""
    with server(tmp_path) as url, proxy(tmp_path, url, "--token", "TOKEN") as found:
        params = {"name": "echo", "arguments": {}, "_meta": MODERN}
        message = {"id": 1, "method": "tools/call", "params": params}
        codes = [found.post(message, authorization=one).status_code for one in (None, "Bearer x", "Bearer let-me-in")]

        assert codes == [401, 401, 200]
        assert found.called() == ["echo"]


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--http", "http://x/mcp", "--", "x"],
        ["--http", "ftp://x/mcp"],
        ["--http", "http://user@x/mcp"],
        ["--http", "http://x/mcp", "--listen", "0.0.0.0:1"],
        ["--http", "http://x/mcp", "--listen", "127.0.0.1"],
        ["--http", "http://x/mcp", "--header", "A"],
        ["--http", "http://x/mcp", "--header", "A=NO_SUCH_VARIABLE_HERE"],
        ["--json", "--", "x"],
    ],
)
def test_options_that_do_not_fit_are_misuse(words, tmp_path):
    """Before anything is started; open to others only with a token."""
    (tmp_path / "rules.toml").write_text('version = 1\ndefault = "deny"\n')

    assert main(["mcp", "--rules", str(tmp_path / "rules.toml"), *words]) == 2
