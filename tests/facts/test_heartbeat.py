"""The heartbeat of a running call."""

from threading import Event

from tidegate.errors import StoreError
from tidegate.facts.counters import Lease
from tidegate.facts.heartbeat import Heartbeat
from tidegate.kind import Claim

LEASE = Lease(1, (Claim("k", 1, 0.04, settles="slot"), Claim("w", 1, 60.0)), 1_000.0)


class Renewing:
    """A store that tells when it was asked to renew three times, and may fail each time."""

    def __init__(self, error=None):
        self.error, self.asked, self.enough = error, [], Event()

    def renew(self, lease, now):
        self.asked.append((lease, now))
        if len(self.asked) == 3:
            self.enough.set()
        if self.error is not None:
            raise self.error


def test_heartbeat_renews_until_it_is_stopped():
    store = Renewing()
    beat = Heartbeat(store, LEASE, lambda: 7.0)

    assert store.enough.wait(10)
    beat.stop()
    assert set(store.asked) == {(LEASE, 7.0)}


def test_heartbeat_goes_on_when_the_store_fails(caplog):
    """A server that is down for a moment does not cost the slot."""
    store = Renewing(StoreError("down"))
    beat = Heartbeat(store, LEASE, lambda: 7.0)

    assert store.enough.wait(10)
    beat.stop()
    assert "could not be renewed" in caplog.text


def test_heartbeat_ends_with_its_thread():
    beat = Heartbeat(Renewing(), LEASE, lambda: 7.0)
    beat.stop()
    beat._thread.join(10)

    assert not beat._thread.is_alive()
