"""The resolver of this machine as a fact: bounded in time, in threads and in what it remembers."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from ipaddress import ip_address
from threading import BoundedSemaphore, Event, Lock, Thread
from typing import NamedTuple

from ..meaning.addresses import Address
from .clock import Clock

LONGEST = 2.0
"""Seconds in which a name must have been resolved, and for which a lookup waits for its turn."""

LIFE = 10.0
"""Seconds for which an answer counts, also that there is none."""

MOST_KEPT = 1_024
MOST_ASKED = 8
"""How many names are looked up at once; a lookup that nobody answers holds its place until the system gives up."""

Lookup = Callable[[str], Iterable[Address]]
Answer = tuple[Address, ...] | str


class _Kept(NamedTuple):
    """An answer, or why there is none, and until when it counts."""

    answer: Answer
    until: float


class SystemResolver:
    """Asks whatever this machine asks for names: its `hosts` file, DNS, search domains included.

    Threads may share it. The system's own lookup cannot be ended, so each has a thread of its own that is left
    alone when the time is over.
    """

    def __init__(self, clock: Clock, *, longest: float = LONGEST, lookup: Lookup | None = None) -> None:
        """Resolve by *lookup*, by default the system's, each within *longest* seconds; *clock* says what is old."""
        self._clock = clock
        self._longest = longest
        self._lookup = lookup or look_up
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._lock = Lock()
        self._places = BoundedSemaphore(MOST_ASKED)

    def __call__(self, host: str) -> tuple[Address, ...]:
        """Every address of *host*.

        Raises:
            OSError: There is none, or nobody has answered in time.
        """
        answer = self._recall(host)
        if answer is None:
            answer = self._ask(host)
        if isinstance(answer, str):
            raise OSError(answer)
        return answer

    def _recall(self, host: str) -> Answer | None:
        with self._lock:
            kept = self._kept.get(host)
            return kept.answer if kept is not None and self._clock.steady() < kept.until else None

    def _keep(self, host: str, answer: Answer) -> None:
        with self._lock:
            self._kept[host] = _Kept(answer, self._clock.steady() + LIFE)
            self._kept.move_to_end(host)
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)

    def _ask(self, host: str) -> Answer:
        if not self._places.acquire(timeout=self._longest):
            return "too many other names are being looked up"
        found: list[Answer] = []
        done = Event()

        def work() -> None:
            try:
                found.append(tuple(dict.fromkeys(self._lookup(host))) or "it has no address")
            except Exception as error:  # noqa: BLE001 - whatever it was, the name is not resolved, and the reason says why
                found.append(_reason(error))
            finally:
                self._places.release()
                done.set()

        try:
            Thread(target=work, name="tidegate resolver", daemon=True).start()
        except RuntimeError as error:
            self._places.release()
            return str(error)
        done.wait(self._longest)
        answer = found[0] if found else f"nobody answered within {self._longest:g} seconds"
        self._keep(host, answer)
        return answer


def _reason(error: Exception) -> str:
    said = error.strerror if isinstance(error, OSError) else None
    return (said or str(error) or type(error).__name__).lower()


def look_up(host: str) -> list[Address]:
    """The addresses of *host* by the system's own lookup, of all families, in its order; may take long.

    Raises:
        OSError: It cannot be resolved.
        ValueError: It is no name.
    """
    import socket

    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    # An address of one link names its interface after a `%`.
    return [ip_address(str(place[0]).partition("%")[0]) for *_, place in found]
