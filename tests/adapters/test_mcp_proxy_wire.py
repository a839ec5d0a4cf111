"""What the proxy reads and writes: properties over messages of both sides, and over hostile bytes."""

import json

import anyio
import anyio.lowlevel
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.laws.worlds import facts
from tidegate.adapters.mcp_proxy.client_side import KNOWN, ClientSide
from tidegate.adapters.mcp_proxy.gate import Gate, Place
from tidegate.adapters.mcp_proxy.line import Line
from tidegate.adapters.mcp_proxy.methods import FROM_SERVERS
from tidegate.adapters.mcp_proxy.offer import Offer
from tidegate.adapters.mcp_proxy.outlets import Backlog
from tidegate.adapters.mcp_proxy.peer import Peer
from tidegate.adapters.mcp_proxy.results import given_back, taken
from tidegate.adapters.mcp_proxy.server_side import ServerSide
from tidegate.adapters.mcp_proxy.wire import Bad, Lines, Request, Response, dump, read
from tidegate.engine import Engine
from tidegate.kernel.json_values import same_json

RULES = 'version = 1\ndefault = "deny"\n[[rule]]\nid = "a"\nkind = "mcp"\nallow = ["s/good"]\n'
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
ids = texts | st.integers()
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(texts, values, max_size=4)
methods = st.sampled_from(sorted(KNOWN)) | texts
params = objects | st.fixed_dictionaries(
    {}, optional={"name": st.sampled_from(["good", "bad"]), "arguments": objects, "uri": texts, "ref": objects}
)
requests = st.fixed_dictionaries({"jsonrpc": st.just("2.0"), "id": ids, "method": methods, "params": params})
notes = st.fixed_dictionaries({"jsonrpc": st.just("2.0"), "method": methods, "params": params})
messages = requests | notes | objects | values
hostile = st.binary(max_size=60) | messages.map(dump) | st.lists(messages, max_size=3).map(dump)


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rules")
    (folder / "rules.toml").write_text(RULES)
    return Engine.load(folder / "rules.toml", facts=facts())


@given(requests)
def test_request_is_read_as_it_was_written(message):
    """Reading what was written gives the same id, method and params, also for `0` and the empty text."""
    (found,) = read(dump(message)).messages

    assert found == Request(message["id"], message["method"], message["params"])
    assert type(found.id) is type(message["id"])


@given(hostile)
def test_whatever_is_read_is_a_message_or_told_apart_from_one(line):
    """Nothing that comes makes reading fail, and what is written of it is one line of ASCII."""
    for message in read(line.replace(b"\n", b" ")).messages:
        written = dump(message._asdict())

        assert written.isascii()
        assert b"\n" not in written


@given(ids, st.sampled_from(["NaN", "1e999", '"\\ud800"', '{"a":1,"a":2}', "9" * 5_000]))
def test_id_of_what_cannot_be_taken_is_found(identifier, broken):
    """So that whoever waits for an answer under it hears at once."""
    line = f'{{"jsonrpc":"2.0","id":{json.dumps(identifier)},"result":{{"x":{broken}}}}}'.encode()
    (found,) = read(line).messages

    assert isinstance(found, Bad)
    assert (found.id, found.beyond) == (identifier, False)


@given(st.lists(st.binary(max_size=12)), st.data())
def test_lines_do_not_depend_on_how_they_come(lines, data):
    """Cut anywhere, the same lines are found, empty ones left out and too long ones told once each."""
    lines = [line.replace(b"\n", b"") for line in lines]
    stream = b"".join(line + b"\n" for line in lines)
    splitter, found, start = Lines(8), [], 0
    while start < len(stream):
        end = start + data.draw(st.integers(1, len(stream) - start))
        found += splitter.feed(stream[start:end])
        start = end

    assert found == [line if len(line) <= 8 else None for line in lines if line.strip() or len(line) > 8]


contents = st.lists(
    st.fixed_dictionaries({"type": st.just("text"), "text": texts}, optional={"annotations": objects, "_meta": objects})
    | st.fixed_dictionaries({"type": st.just("image"), "data": texts, "mimeType": texts})
    | st.fixed_dictionaries({"type": st.just("resource"), "resource": objects}),
    max_size=4,
)
resources = st.lists(
    st.fixed_dictionaries({"uri": texts, "text": texts}, optional={"mimeType": texts, "_meta": objects})
    | st.fixed_dictionaries({"uri": texts, "blob": texts}),
    max_size=4,
)
prompts = st.lists(
    st.fixed_dictionaries(
        {
            "role": st.sampled_from(["user", "assistant"]),
            "content": st.fixed_dictionaries({"type": st.just("text"), "text": texts}, optional={"_meta": objects})
            | st.fixed_dictionaries({"type": st.just("image"), "data": texts, "mimeType": texts}),
        }
    ),
    max_size=4,
)
results = st.one_of(
    st.tuples(
        st.just("tools/call"),
        st.fixed_dictionaries({"content": contents}, optional={"structuredContent": objects, "isError": st.just(True)}),
    ),
    st.tuples(st.just("resources/read"), st.fixed_dictionaries({"contents": resources})),
    st.tuples(st.just("prompts/get"), st.fixed_dictionaries({"messages": prompts}, optional={"description": texts})),
    st.tuples(st.just("completion/complete"), st.fixed_dictionaries({"completion": objects})),
)


@given(results, texts)
def test_result_that_no_rule_changes_comes_back_as_it_was(result, name):
    """What a server returned goes through the form in which rules see it without losing anything."""
    method, value = result
    found = taken(method, Response(1, value), name)
    back = given_back(method, found.result, found.shells, name)
    failed = method == "tools/call" and value.get("isError")
    wanted = {key: one for key, one in value.items() if not (failed and key == "structuredContent")}

    assert same_json({key: one for key, one in back.items() if key != "structuredContent" or not failed}, wanted)


async def exchanged(engine, lines):
    """What a client that sends *lines* gets, and what reaches the server, which answers everything with nothing."""
    sent, reached = [], []

    async def to_client(value):
        sent.append(value)

    async def to_server(value):
        reached.append(value)
        if "id" in value and "method" in value:
            await server_side.take(dump({"jsonrpc": "2.0", "id": value["id"], "result": {"content": [], "tools": []}}))

    offer = Offer("s", None)
    client = Peer("client", to_client, most=9, patience=1)
    server = Peer("server", to_server, most=99, patience=1)
    line = Line(client, server, Gate(engine, "s", Place("run"), offer.suspended), offer, lambda _: None)
    async with anyio.create_task_group() as group:
        client_side = ClientSide(line, to_client, group)
        server_side = ServerSide(line, to_server, group)
        for one in lines:
            await client_side.take(one)
            await anyio.lowlevel.checkpoint()
    return sent, reached, line


@given(st.lists(hostile, max_size=4))
@example([b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"good"}}'])
@example([b'{"jsonrpc":"2.0","id":0,"method":"tools/call","params":{"name":"bad"}}'])
def test_whatever_a_client_sends_only_what_is_allowed_reaches_the_server(engine, lines):
    """Every answer is JSON-RPC, every request is answered once, and what reaches the server is known and was judged."""
    lines = [line.replace(b"\n", b" ") for line in lines]
    sent, reached, line = anyio.run(exchanged, engine, lines)
    asked = [one for data in lines for one in read(data).messages if isinstance(one, Request | Bad)]
    answers = [one for value in sent for one in (value if isinstance(value, list) else [value])]

    assert len(answers) == len(asked)
    assert all(one["jsonrpc"] == "2.0" and ("result" in one) != ("error" in one) for one in answers)
    assert line.jobs == {}
    for one in reached:
        assert one["method"] in KNOWN or one["method"].startswith("notifications/")
        assert one["method"] not in ("resources/read", "resources/subscribe", "prompts/get", "completion/complete")
        if one["method"] == "tools/call":
            assert one["params"]["name"] == "good"


VERSION = {"jsonrpc": st.just("2.0")}
server_methods = st.sampled_from([*FROM_SERVERS, "sampling/createMessage", "ping", "evil"])
from_servers = st.one_of(
    hostile,
    st.fixed_dictionaries({"jsonrpc": st.just("2.0"), "method": server_methods, "params": objects}).map(dump),
    st.fixed_dictionaries({"jsonrpc": st.just("2.0"), "id": ids, "method": server_methods, "params": objects}).map(
        dump
    ),
    st.fixed_dictionaries({"jsonrpc": st.just("2.0"), "id": ids, "result": objects}).map(dump),
)


async def told_by_server(engine, lines):
    """What a client gets of a server that sends *lines*, and what the server gets for it."""
    sent, answered = [], []

    async def to_client(value):
        sent.append(value)

    async def to_server(value):
        answered.append(value)

    offer = Offer("s", None)
    client = Peer("client", to_client, most=9, patience=0.001)
    server = Peer("server", to_server, most=9, patience=0.001)
    line = Line(client, server, Gate(engine, "s", Place("run"), offer.suspended), offer, lambda _: None)
    async with anyio.create_task_group() as group:
        side = ServerSide(line, to_server, group)
        for one in lines:
            await side.take(one.replace(b"\n", b" "))
    return sent, answered


@given(st.lists(from_servers, max_size=4))
def test_whatever_a_server_sends_its_client_hears_only_what_is_known(engine, lines):
    """No answer that nobody waits for, no unknown method, and under rules that deny no question but a ping."""
    sent, answered = anyio.run(told_by_server, engine, lines)

    assert {one["method"] for one in sent} <= {*FROM_SERVERS, "ping"}
    assert all("id" not in one or one["method"] == "ping" for one in sent)
    assert all(one["method"] != "notifications/progress" for one in sent)
    assert all("error" in one for one in answered)


def test_backlog_has_room_once_enough_was_written():
    """Who fills it waits for who empties it."""
    order = []

    async def work():
        backlog = Backlog(10)
        with backlog.holding(8):
            await backlog.room()
            order.append("there is room")
            async with anyio.create_task_group() as group:
                with backlog.holding(8):
                    group.start_soon(fill, backlog)
                    await anyio.wait_all_tasks_blocked()
                    order.append("there was none")

    async def fill(backlog):
        await backlog.room()
        order.append("again")

    anyio.run(work)

    assert order == ["there is room", "there was none", "again"]
