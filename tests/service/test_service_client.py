"""The client fails closed: whatever a service, or what poses as one, does, the answer is a deny that says why."""

import json
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.service.services import PLACE
from tidegate.client import AsyncClient, Client
from tidegate.client.asking import _decision
from tidegate.client.wire import NoAnswer


@contextmanager
def posing(*answers):
    """A server that reads a request on each connection, and answers with the next of these: bytes, or a function."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        Thread(target=_pose, args=(listener, answers), daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


def _pose(listener, answers):
    for answer in answers:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection:
            data = b""
            while b"\r\n\r\n" not in data or not data.rstrip().endswith(b"}"):
                chunk = connection.recv(65_536)
                if not chunk:
                    break
                data += chunk
            head, _, body = data.partition(b"\r\n\r\n")
            try:
                said = answer(head, body) if callable(answer) else answer
                for piece in [said] if isinstance(said, bytes) else said:
                    connection.sendall(piece)
            except OSError:
                pass


def reply(value, *, status=200, kind="application/json", ident=None, more=b""):
    """An answer to whatever was asked, with the id of the request unless another is given."""

    def answer(head, body):
        lines = dict(line.split(b": ", 1) for line in head.lower().split(b"\r\n")[1:])
        made = value(json.loads(body)) if callable(value) else value
        data = made if isinstance(made, bytes) else json.dumps(made).encode()
        echoed = lines[b"x-request-id"] if ident is None else ident
        text = f"HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {len(data)}\r\nconnection: close\r\n"
        return text.encode() + b"x-request-id: " + echoed + b"\r\n" + more + b"\r\n" + data

    return answer


def allowed(asked, **other):
    """An allow of what was asked."""
    return {
        "effect": "allow",
        "rule": "r",
        "reason": "",
        "arguments": asked["args"],
        "call_id": asked["call_id"],
        **other,
    }


def without(key):
    """An allow that lacks something."""
    return lambda asked: {name: value for name, value in allowed(asked).items() if name != key}


def drops(_head, _body):
    """Byte by byte, for ever."""
    yield b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n"
    pace = Event()
    while not pace.wait(0.02):
        yield b" "


HOSTILE = {
    "nothing": b"",
    "no-http": b"hello\r\n\r\n",
    "cut": b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{",
    "status-500": reply(allowed, status=500),
    "status-302": reply(allowed, status=302, more=b"location: http://127.0.0.1:1/\r\n"),
    "status-204": reply(b"", status=204),
    "other-type": reply(allowed, kind="text/html"),
    "other-request": reply(allowed, ident=b"other"),
    "other-call": reply(lambda asked: allowed(asked, call_id="other")),
    "garbage": reply(b"{"),
    "twice": reply(lambda asked: json.dumps(allowed(asked)).replace('"rule"', '"effect": "deny", "rule"').encode()),
    "nan": reply(b'{"effect": NaN}'),
    "other-word": reply(lambda asked: allowed(asked, effect="ALLOW")),
    "true": reply(lambda asked: allowed(asked, effect=True)),
    "list": reply([]),
    "no-arguments": reply(lambda asked: allowed(asked, arguments=None)),
    "rule-number": reply(lambda asked: allowed(asked, rule=1)),
    **{f"without-{key}": reply(without(key)) for key in ("effect", "rule", "reason", "arguments", "call_id")},
    "drips": drops,
    "deep": reply(b"[" * 100_000),
    "authzen": reply({"decision": True}),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_answer_that_is_none_is_a_deny(name):
    """Errors, other words, other calls and garbage are denied, in time, with a reason."""
    started = monotonic()
    with posing(HOSTILE[name]) as url, Client(url, timeout=1) as client:
        decision = client.decide("read_file", {"path": "a"}, call_id="c-1")

    assert (decision.effect, decision.rule, decision.arguments, decision.call_id) == ("deny", None, None, "c-1")
    assert "gave no answer: it" in decision.reason
    assert monotonic() - started < 20


def test_answer_that_is_one_is_taken():
    """The same server is believed where it answers what was asked."""
    with posing(reply(allowed)) as url, Client(url) as client:
        decision = client.decide("read_file", {"path": "a"}, call_id="c-1")

    assert (decision.allowed, decision.arguments, decision.call_id) == (True, {"path": "a"}, "c-1")


def test_unreachable_service_is_a_deny():
    """Where nobody listens, every call is denied, and each of several."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    client = Client(f"http://127.0.0.1:{port}", timeout=2)

    assert "cannot be reached" in client.decide("x", {}).reason
    assert [one.effect for one in client.decide_each([{"tool": "x", "args": {}, "call_id": "1"}, {}])] == ["deny"] * 2
    assert [one.effect for one in client.decide_each([7])] == ["deny"]


@pytest.mark.parametrize("arguments", [{"x": float("nan")}, {"x": object()}, {"x": "\ud800"}, None])
def test_call_that_is_none_is_a_deny(service, arguments):
    """What cannot be asked is denied."""
    with Client(service.url) as client:
        assert client.decide("read_file", arguments).effect == "deny"


def test_client_asks_the_service(service):
    """Decisions, peeks and batches come through, rewritten arguments with them; connections are used again."""
    with Client(service.url) as client:
        note = client.decide("add_note", {"text": "x"}, call_id="1", **PLACE)

        assert (note.effect, note.arguments, note.call_id) == ("allow", {"text": "x", "by": "agent"}, "1")
        assert client.peek("read_file", {"path": "a.py"}, **PLACE).rule == "workspace"
        assert client.decide("send_email", {"to": "a@example.com"}, **PLACE).effect == "ask"
        assert len(client._wire._idle) == 1
        calls = [
            {"tool": "read_file", "args": {"path": path}, "call_id": path, **PLACE} for path in ("a", "/etc/shadow")
        ]

        assert [(one.effect, one.call_id) for one in client.decide_each(calls)] == [
            ("allow", "a"),
            ("deny", "/etc/shadow"),
        ]
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda n: client.decide("add_note", {"n": n}, call_id=str(n)), range(40)))

        assert [(one.arguments["n"], one.call_id) for one in found] == [(n, str(n)) for n in range(40)]


def test_lost_connection_is_made_again(service):
    """A kept connection that the service has closed meanwhile is replaced, and the question asked once more."""
    with Client(service.url) as client:
        client.peek("add_note", {})
        client._wire._idle[0].sock.shutdown(socket.SHUT_RDWR)

        assert client.decide("add_note", {}).effect == "allow"


def test_later_time_is_refused(service):
    """A time of its own would have a call counted apart; the service refuses it, and the reason comes through."""
    with Client(service.url) as client:
        assert "`at` is for recorded calls" in client.decide("add_note", {}, at=1.0).reason


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_async_client_asks_in_a_thread(service, backend):
    """Under asyncio and trio the answers are the same, and a service that is silent is denied in time."""
    import anyio

    async def run():
        client = AsyncClient(Client(service.url))
        with socket.create_server(("127.0.0.1", 0)) as silent:
            other = AsyncClient(Client(f"http://127.0.0.1:{silent.getsockname()[1]}", timeout=0.2))
            found = [await client.decide("add_note", {}), await client.peek("nobody", {}), await other.decide("x", {})]
        client.close()
        return found

    assert [one.effect for one in anyio.run(run, backend=backend)] == ["allow", "deny", "deny"]


@pytest.mark.parametrize(
    ("url", "token"),
    [
        ("ftp://127.0.0.1", None),
        ("127.0.0.1:8470", None),
        ("http://decisions.example", "t"),
        ("http://127.0.0.1/?a", None),
    ],
)
def test_address_that_is_none_is_refused(url, token):
    """A slip in the address is told at once, and a token is not sent where anybody could read it."""
    with pytest.raises(ValueError, match=r"address|https"):
        Client(url, token=token)


JSON = st.none() | st.booleans() | st.integers() | st.sampled_from(["allow", "ask", "deny", "id", ""]) | st.just({})


@given(value=JSON | st.lists(JSON, max_size=2) | st.dictionaries(
    st.sampled_from(["effect", "rule", "reason", "arguments", "call_id", "would"]), JSON))  # fmt: skip
def test_only_a_whole_decision_about_the_call_is_one(value):
    """Whatever JSON comes, it allows only where it is a whole decision about this very call."""
    try:
        decision = _decision(value, {"call_id": "id"}, "own")
    except NoAnswer:
        return

    assert value["call_id"] == "id"
    assert decision.effect == value["effect"]
    assert decision.effect in ("allow", "ask", "deny")
    assert decision.effect == "deny" or decision.arguments == {}
