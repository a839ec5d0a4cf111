"""What the service bears: slow, huge and many requests, reloads under load, and its own end."""

import asyncio
import json
import os
import socket
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from time import monotonic

import pytest

from tests.service.services import ATTESTED, RULES, call, serving
from tidegate.service.judging import Bench
from tidegate.service.replies import Refused
from tidegate.service.settings import Settings

READING = call("read_file", path="src/a.py")
BODY = json.dumps(READING).encode()
HEAD = b"POST /v1/decide HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
posix = pytest.mark.skipif(os.name != "posix", reason="it is told by signals")


def head(length):
    """The head of a request whose body has that length."""
    return HEAD + b"content-length: %d\r\n\r\n" % length


def all_of(connection):
    """What comes until the other side ends."""
    chunks = []
    try:
        while chunk := connection.recv(65_536):
            chunks.append(chunk)
    except ConnectionResetError:
        pass
    return b"".join(chunks)


def drip(connection, data):
    """Send byte by byte, never pausing longer than the service waits for a whole request; what came back, and when."""
    connection.settimeout(0.05)
    started = monotonic()
    for byte in data:
        try:
            connection.sendall(bytes([byte]))
            connection.recv(1, socket.MSG_PEEK)
        except TimeoutError:
            continue
        except ConnectionError:
            pass
        break
    connection.settimeout(30)
    return all_of(connection), monotonic() - started


def test_head_that_drips_is_cut_off(service):
    """A head must have come whole in time, however busily it comes."""
    with service.raw() as connection:
        said, seconds = drip(connection, HEAD + b"x-filler: " + b"y" * 4_000)

        assert said == b""
        assert 0.5 < seconds < 25


def test_silent_connection_is_cut_off(service):
    """A connection on which nothing comes is closed, also after an answer."""
    with service.raw() as silent, service.raw() as answered:
        answered.sendall(head(len(BODY)) + BODY)

        assert silent.recv(1) == b""
        assert all_of(answered).count(b"HTTP/1.1 200") == 1


def test_body_that_drips_is_refused(service):
    """A body must have come whole in time; the answer is a deny that says so."""
    with service.raw() as connection:
        connection.sendall(head(4_000))
        said, seconds = drip(connection, b" " * 4_000)

        assert said.startswith(b"HTTP/1.1 408")
        assert b'"effect":"deny"' in said
        assert 0.5 < seconds < 25


def test_huge_body_is_refused_unread(service):
    """A length beyond the bound is refused before anything of the body is sent; chunks as soon as they are too many."""
    with service.raw() as connection:
        connection.sendall(head(10**15))

        assert all_of(connection).startswith(b"HTTP/1.1 413")
    with service.raw() as connection:
        connection.sendall(HEAD + b"transfer-encoding: chunked\r\n\r\n")
        chunk = b"%x\r\n%s\r\n" % (65_536, b" " * 65_536)
        sent = 0
        try:
            while sent < 400:
                connection.sendall(chunk)
                sent += 1
        except ConnectionError:
            pass

        assert sent < 400


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01 hello",
        b"GET\r\n\r\n",
        b"POST /v1/decide HTTP/1.1\r\n\r\n",
        HEAD + b"content-length: 5\r\ncontent-length: 6\r\n\r\nabcdef",
        HEAD + b"content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        HEAD + b"x: " + b"y" * 20_000 + b"\r\n\r\n",
        b"POST /v1/decide HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: a\r\n continued\r\ncontent-length: 0\r\n\r\n",
    ],
    ids=["tls", "short", "no-host", "two-lengths", "two-framings", "long-head", "folded"],
)
def test_garbage_is_refused_in_json(service, data):
    """What is not HTTP, or could be read in two ways, is refused, and nothing is allowed."""
    with service.raw() as connection:
        connection.sendall(data)
        said = all_of(connection)

        assert said.startswith(b"HTTP/1.1 4")
        assert b'"effect":"deny"' in said


def test_request_with_two_ends_is_refused_and_ends_the_connection(service):
    """What stands in front may have gone by the length, and taken the rest for somebody else's request."""
    chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY)
    another = b"GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"
    with service.raw() as connection:
        connection.sendall(HEAD + b"content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n" + chunked + another)
        said = all_of(connection)

    assert said.startswith(b"HTTP/1.1 400")
    assert said.count(b"HTTP/1.1") == 1


def refusals(service, why):
    """How many requests were refused for that."""
    return service.count(f'tidegate_refused_requests_total{{why="{why}"}}')


def test_answer_that_nobody_reads_is_cut_off(service):
    """Whoever asks and does not read the answer does not hold it for ever."""
    before = refusals(service, "slow")
    body = json.dumps(call("add_note", text="x" * 900_000)).encode()
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        connection.connect(service.address)
        connection.settimeout(0.2)
        try:
            while True:
                connection.sendall(head(len(body)) + body)
        except OSError:
            pass
        service.wait(lambda: refusals(service, "slow") > before)


def test_connections_beyond_the_bound_are_closed(service):
    """So many connections are held and no more; those that are there go on."""
    before = refusals(service, "connections")
    try:
        held = [service.raw() for _ in range(Settings().connections + 20)]
    except OSError as error:
        pytest.skip(f"this process may not open so many connections: {error}")
    closed = 0
    for connection in held[-20:]:
        closed += all_of(connection) == b""
    for connection in held:
        connection.close()

    assert closed == 20
    service.wait(lambda: service.get("/healthz").status == 200)
    assert refusals(service, "connections") > before


def test_service_stands_after_all_that(service):
    """Nothing of what was sent has changed what is answered."""
    assert service.ask("/v1/decide", READING).value["rule"] == "workspace"
    assert service.process.poll() is None


def test_limit_lets_exactly_so_many_through(tmp_path):
    """Of many who ask at the same time for a limit of five, five are allowed; each decision is on record."""
    audit = tmp_path / "audit.jsonl"
    with serving(tmp_path, *ATTESTED, "--audit", str(audit)) as service, ThreadPoolExecutor(16) as pool:
        asked = [{**call("search", q="x"), "call_id": str(number)} for number in range(40)]
        values = [reply.value for reply in pool.map(lambda one: service.ask("/v1/decide", one), asked)]

        assert [value["effect"] for value in values].count("allow") == 5
        assert [value["call_id"] for value in values] == [one["call_id"] for one in asked]
    records = [json.loads(line) for line in audit.read_bytes().splitlines()]

    assert sorted(int(record["call_id"]) for record in records) == list(range(40))
    assert [record["effect"] for record in records].count("allow") == 5


def test_work_beyond_the_places_is_refused_at_once():
    """With every place taken, a further request is refused; a place is free again once its work has ended."""
    gate = Event()

    async def run():
        bench = Bench(Settings(in_flight=2, threads=1, seconds=30))
        first = [asyncio.create_task(bench.run(lambda _: gate.wait(30))) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(Refused, match="too many") as raised:
            await bench.run(lambda _: True)
        gate.set()
        ended = await asyncio.gather(*first)
        later = await bench.run(lambda _: "later")
        bench.close()
        return raised.value.status, ended, later

    assert asyncio.run(run()) == (503, [True, True], "later")


def test_late_work_is_refused_and_keeps_its_place():
    """Work that takes too long is refused, holds its place until it ends, and what waited behind it never begins."""
    gate, begun = Event(), []

    async def run():
        bench = Bench(Settings(in_flight=2, threads=1, seconds=0.05))
        tasks = [bench.run(lambda _: gate.wait(30)), bench.run(lambda _: begun.append("second"))]
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        taken = bench.taken
        gate.set()
        bench._threads.shutdown(wait=True)
        return [error.status for error in ended], taken, bench.taken

    statuses, held, freed = asyncio.run(run())

    assert (statuses, freed, begun) == ([504, 504], 0, [])
    assert held == 1


@posix
def test_reload_under_load_loses_no_request(tmp_path):
    """While rules are loaded again, good ones and broken ones, each request is answered by a good rule set."""
    path = tmp_path / "rules.toml"
    path.write_text(RULES, encoding="utf-8")
    stricter = RULES.replace('allow = ["{root}/**"]', 'allow = ["{root}/docs/**"]')
    with serving(tmp_path, *ATTESTED) as service, ThreadPoolExecutor(4) as pool:
        ended = Event()

        def load():
            found = []
            while not ended.is_set():
                found.append(service.ask("/v1/decide", READING))
            return found

        askers = [pool.submit(load) for _ in range(3)]
        for text, outcome in ((stricter, "taken"), ("version = 1\n[", "kept"), (RULES, "taken"), (stricter, "taken")):
            path.write_text(text, encoding="utf-8")
            service.reload(outcome)
        ended.set()
        replies = [reply for asker in askers for reply in asker.result()]

        assert {reply.status for reply in replies} == {200}
        assert {reply.value["effect"] for reply in replies} == {"allow", "deny"}
        assert service.ask("/v1/decide", READING).value["effect"] == "deny"


@posix
def test_broken_rules_leave_the_last_good_ones_in_force(tmp_path):
    """A reload that fails changes nothing, and readiness, metrics and standard error say so."""
    with serving(tmp_path, *ATTESTED) as service:
        (tmp_path / "rules.toml").write_text('version = 1\ndefault = "perhaps"\n', encoding="utf-8")
        service.reload("kept")

        assert service.ask("/v1/decide", READING).value["rule"] == "workspace"
        assert service.get("/readyz").value == {"ready": True, "rules": "last good"}
        assert service.count("tidegate_rules_stale") == 1
        assert "`default` is `perhaps`" in service.errors.read_text(encoding="utf-8")


def test_watched_rules_are_loaded_when_they_change(tmp_path):
    """With `--watch` a changed file counts by itself, also one that was put in the place of the old."""
    with serving(tmp_path, *ATTESTED, "--watch") as service:
        assert service.ask("/v1/decide", READING).value["effect"] == "allow"

        def changed():
            # A change in the moment before watching began would be missed; a later one is not.
            (tmp_path / "new.toml").write_text('version = 1\ndefault = "ask"\n', encoding="utf-8")
            (tmp_path / "new.toml").replace(tmp_path / "rules.toml")
            return service.ask("/v1/decide", READING).value["effect"] == "ask"

        service.wait(changed)


@posix
@pytest.mark.parametrize("number", [15, 2], ids=["term", "int"])
def test_request_under_way_is_answered_before_the_end(tmp_path, number):
    """A signal ends the service once the requests under way are answered; no new connection is taken meanwhile."""
    with serving(tmp_path, *ATTESTED) as service:
        with service.raw() as connection:
            connection.sendall(head(len(BODY)) + BODY[:10])
            service.wait(lambda: service.get("/healthz").status == 200)
            service.process.send_signal(number)
            service.wait(lambda: refuses(service))
            connection.sendall(BODY[10:])

            assert b'"effect":"allow"' in all_of(connection)
        assert service.process.wait(timeout=30) == 0
        assert "Traceback" not in service.errors.read_text(encoding="utf-8")


def refuses(service):
    """Whether it takes no new connection."""
    try:
        with service.raw():
            return False
    except OSError:
        return True
