"""The heartbeat of a call that runs: it keeps its slots, which would be free again if its process died."""

from __future__ import annotations

from collections.abc import Callable
from logging import getLogger
from threading import Event, Thread

from .counters import Counters, Lease

BEATS = 4
"""How often a slot is renewed in the time for which it is held, so that a beat or two may be missed."""


class Heartbeat:
    """Renews the slots of a lease from a thread of its own, until it is stopped or the process ends."""

    __slots__ = ("_stopped", "_thread")

    def __init__(self, counters: Counters, lease: Lease, now: Callable[[], float]) -> None:
        """Begin to renew *lease*, whose slots are held for the shortest of its windows."""
        self._stopped = Event()
        shortest = min(claim.window for claim in lease.claims if claim.settles == "slot")
        self._thread = Thread(
            target=self._run, args=(counters, lease, now, shortest / BEATS), name="tidegate heartbeat", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """Renew no more; a beat that has begun may still end, which does no harm to a lease that was settled."""
        self._stopped.set()

    def _run(self, counters: Counters, lease: Lease, now: Callable[[], float], pause: float) -> None:
        while not self._stopped.wait(pause):
            try:
                counters.renew(lease, now())
            except Exception:
                getLogger("tidegate").exception("the slot of a call could not be renewed; it may be given away")
