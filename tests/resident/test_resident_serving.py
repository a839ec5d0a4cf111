"""What a resident makes of whoever connects."""

import os
import socket
import threading
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tidegate.adapters.hook_answers import Reply
from tidegate.resident import asking, serving
from tidegate.resident.asking import packed
from tidegate.resident.peers import World
from tidegate.resident.serving import Gone, Resident

ANY = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@pytest.fixture
def judged():
    """Which calls were really judged."""
    return []


@pytest.fixture
def resident(folder, judged, monkeypatch):
    """A resident in this process, over work that does nothing but count; it has no alarm that would end the tests."""
    monkeypatch.setattr(serving.signal, "setitimer", lambda *_: None)
    monkeypatch.chdir("/")

    def work(words, data, begin):
        begin(True)
        judged.append(data)
        return Reply(b"said")

    environ = dict(os.environ)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{folder}/{asking.own_name()}")
        listener.listen()
        yield Resident(listener, work, 60, lambda: False, lambda: b"{}")
    os.environ.clear()
    os.environ.update(environ)


@pytest.fixture
def converse(resident, folder):
    """Lets somebody talk to the resident, in a thread of their own, and returns what they found out."""

    def run(talk):
        found = []
        thread = threading.Thread(target=lambda: found.append(talk()))
        thread.start()
        resident._accept()
        thread.join(20)
        return found[0]

    return run


def sends(folder, data):
    """Somebody who sends something and reads until the end."""

    def talk():
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(f"{folder}/{asking.own_name()}")
            try:
                client.sendall(data)
                client.shutdown(socket.SHUT_WR)
                return client.recv(100)
            except ConnectionError:  # what was not read when the other side ended
                return b""

    return talk


def test_a_hook_that_waits_is_answered(converse, folder, judged):
    """Only after it said that it waits."""
    found = converse(lambda: asking.asked(folder, ["x"], b"data", time.monotonic() + 8))

    assert (found, judged) == ((b"said", b"", 0), [b"data"])


@ANY
@given(st.binary(max_size=60) | st.lists(st.binary(max_size=8), max_size=8).map(packed))
def test_whatever_else_is_sent_gets_no_answer_and_does_no_harm(converse, folder, judged, data):
    """Garbage, other messages and half messages end the connection and nothing else."""
    converse(sends(folder, data))

    assert judged == []


def test_a_hook_that_has_gone_is_not_judged(converse, folder, judged):
    """Nothing is counted for a hook that did not wait."""
    found = converse(sends(folder, asking.request(["x"], b"data")))

    assert (found, judged) == (asking.COUNTS, [])


def test_a_hook_of_another_version_gets_no_answer(converse, folder, judged, monkeypatch):
    """Also where it found the socket."""
    whole = asking.request(["x"], b"data")
    changed = whole.replace(b"asking.py", b"asked.pyc")

    assert converse(sends(folder, changed)) == b""
    assert judged == []


def test_a_process_of_another_world_gets_no_answer(converse, resident, folder, judged):
    """What it may see and do is not what the resident may."""
    resident.world = World(resident.world.user, ("another root",))

    assert converse(sends(folder, asking.request(["x"], b"data"))) == b""
    assert judged == []


def test_a_process_of_another_user_gets_no_answer(converse, resident, folder, judged):
    """Whatever the folder says."""
    resident.world = World(resident.world.user + 1, resident.world.seen)

    assert converse(sends(folder, asking.request(["x"], b"data"))) == b""
    assert judged == []


def test_gone_passes_what_turns_errors_into_refusals():
    """A refusal would be an answer, and nobody may answer for a call that nobody judged."""
    assert not issubclass(Gone, Exception)
