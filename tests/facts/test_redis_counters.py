"""Counters on a real server: safe over lost data and clocks that step, quick where nobody answers."""

import os
import socket
import time
from contextlib import closing
from threading import Thread

import pytest

from tests.laws.servers import emptied, free_port
from tidegate.errors import StoreError
from tidegate.facts.counters import Lease, Refused
from tidegate.facts.redis_counters import PREFIX, TIMEOUT, RedisCounters
from tidegate.kind import Claim

ONE = [Claim("k", 1, 60.0)]
TOKEN = [Claim("t", 1, 60.0, refill=1)]


@pytest.fixture
def url(redis_server):
    """An empty server."""
    return emptied(redis_server)


@pytest.fixture
def counters(url):
    """A store on it, by the server's own clock."""
    made = RedisCounters(url)
    yield made
    made.close()


@pytest.fixture
def client(url):
    """What else talks to the server."""
    from redis import Redis

    with Redis.from_url(url, decode_responses=True) as made:
        yield made


def spend(counters, claims, now=1_000.0):
    """Take claims and count them; whether there was room."""
    lease = counters.reserve(claims, now, 30.0)
    return isinstance(lease, Lease) and counters.commit(lease, now)


class TestServer:
    """What one process uses up is used up for all, and what nobody uses goes away by itself."""

    def test_another_client_sees_what_was_used(self, counters, url):
        spend(counters, ONE + TOKEN)
        with closing(RedisCounters(url)) as other:
            refused = [other.test(ONE, 1_000.0), other.test(TOKEN, 1_000.0)]

        assert [isinstance(one, Refused) for one in refused] == [True, True]
        assert [59 < one.retry_after <= 60 for one in refused] == [True, True]

    def test_every_key_of_a_claim_expires(self, counters, client):
        """A minute after the last unit has left, the server drops the key; only the clock stays."""
        spend(counters, ONE + TOKEN)
        counters.reserve([Claim("held", 1, 1.0)], 1_000.0, 30.0)
        lasting = {key: client.ttl(key) for key in client.scan_iter()}

        assert lasting.pop(f"{PREFIX}clock") == -1
        assert sorted(lasting) == [f"{PREFIX}{key}" for key in ("level:t", "units:held", "units:k")]
        assert [lasting[f"{PREFIX}{key}"] for key in ("units:k", "level:t", "units:held")] == pytest.approx(
            [120, 120, 90], abs=2
        )

    def test_every_key_lies_on_one_node_of_a_cluster(self, counters, client):
        spend(counters, ONE + TOKEN)

        assert {key.split("}")[0] for key in client.scan_iter()} == {"{tidegate"}

    def test_lease_from_before_a_loss_is_none(self, counters, url):
        """A server that lost its data gives out no number twice."""
        old = counters.reserve(ONE, 1_000.0, 30.0)
        emptied(url)
        new = counters.reserve(ONE, 1_000.0, 30.0)
        entered = [counters.commit(old, 1_000.0), counters.commit(new, 1_000.0)]

        assert old.id != new.id
        assert entered == [False, True]

    def test_reading_of_a_client_moves_no_time(self, counters):
        """The clock is the server's: no call can say that time has passed."""
        entered = [spend(counters, ONE, 1_000.0 * number) for number in range(1, 4)]

        assert entered == [True, False, False]

    def test_store_goes_on_after_it_was_closed(self, counters):
        spend(counters, ONE)
        counters.close()

        assert counters.test(ONE, 1_000.0) is not None

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a POSIX system")
    def test_child_of_a_fork_shares_the_count(self, counters):
        spend(counters, ONE)
        child = os.fork()
        if child == 0:
            os._exit(0 if counters.test(ONE, 1_000.0) is not None else 1)
        _, status = os.waitpid(child, 0)

        assert os.waitstatus_to_exitcode(status) == 0
        assert counters.test(ONE, 1_000.0) is not None


class TestClock:
    """Where the server's clock is set back, time stands, and then goes on at its pace."""

    def test_no_window_ends_early_when_the_clock_is_set_back(self, url):
        times = iter([1_000.0, 1_000.0, 400.0, 459.0, 460.0, 460.0])
        with closing(RedisCounters(url, lambda: next(times))) as counters:
            entered = [spend(counters, ONE), spend(counters, ONE), spend(counters, ONE), spend(counters, ONE)]

        assert entered == [True, False, False, True]

    @pytest.mark.parametrize("now", [float("nan"), float("inf")])
    def test_reading_that_is_no_time_is_an_error(self, counters, now):
        with pytest.raises(StoreError):
            counters.reserve(ONE, now, 30.0)


class TestDown:
    """A server that cannot be used is a `StoreError` each time, soon, and without its password."""

    def test_nobody_listens(self):
        counters = RedisCounters(f"redis://user:hunter2@127.0.0.1:{free_port()}/0")
        began = time.monotonic()
        with pytest.raises(StoreError) as caught:
            counters.test(ONE, 1_000.0)

        assert "hunter2" not in str(caught.value)
        assert time.monotonic() - began < 5 * TIMEOUT

    def test_server_that_never_answers_is_given_up(self):
        """Connections are taken and nothing comes back."""
        with socket.create_server(("127.0.0.1", 0)) as silent:
            counters = RedisCounters(f"redis://127.0.0.1:{silent.getsockname()[1]}/0")
            began = time.monotonic()
            with pytest.raises(StoreError):
                counters.reserve(ONE, 1_000.0, 30.0)
            took = time.monotonic() - began

        assert took < 5 * TIMEOUT

    def test_no_request_is_sent_twice(self):
        """A server that hangs up may have done what it was asked; who asked again would take twice."""
        connections = []

        def hang_up():
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                connections.append(connection.recv(10_000))
                connection.close()

        with socket.create_server(("127.0.0.1", 0)) as listening:
            thread = Thread(target=hang_up, daemon=True)
            thread.start()
            counters = RedisCounters(f"redis://127.0.0.1:{listening.getsockname()[1]}/0")
            with pytest.raises(StoreError):
                counters.reserve(ONE, 1_000.0, 30.0)
            listening.shutdown(socket.SHUT_RDWR)
            thread.join(10)

        assert len(connections) == 1

    def test_server_that_restarts_is_used_again(self, counters, client):
        """Also by a client whose connection it has closed."""
        spend(counters, ONE)
        client.client_kill_filter(_type="normal", skipme=True)

        assert counters.test(ONE, 1_000.0) is not None

    def test_key_of_another_type_is_an_error(self, counters, client):
        client.set(f"{PREFIX}units:k", "x")

        with pytest.raises(StoreError):
            counters.test(ONE, 1_000.0)

    @pytest.mark.parametrize("url", ["redis://[", "redis://h:port/0", "ftp://h/"])
    def test_url_that_is_none_is_an_error(self, url):
        with pytest.raises(StoreError):
            RedisCounters(url).test(ONE, 1_000.0)

    def test_claim_that_takes_nothing_is_an_error(self, counters):
        with pytest.raises(StoreError):
            counters.reserve([Claim("k", 1, 60.0, 0)], 1_000.0, 30.0)
