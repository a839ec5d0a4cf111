"""One side of a connection: requests to it with ids of our own, each answered once, in time, or not at all."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from itertools import count
from typing import Any

from anyio import CancelScope, Event, fail_after, get_cancelled_exc_class, move_on_after

from ...errors import TidegateError
from .wire import BUSY, UNANSWERED, Id, Response, notification, request

Send = Callable[[Any], Awaitable[None]]
"""Writes one JSON value to the other side."""

FAREWELL = 2.0
"""Seconds in which the other side must take the news that a request is cancelled."""


class Unanswered(TidegateError):
    """A request got no answer; `code` is that of the error for whoever waits."""

    def __init__(self, reason: str, code: int = UNANSWERED) -> None:
        self.rpc_code = code
        super().__init__(reason)


class _Waiting:
    __slots__ = ("event", "reason", "response")

    def __init__(self) -> None:
        self.event = Event()
        self.reason = ""
        self.response: Response | None = None


class Peer:
    """The other side, as far as we ask it something.

    Attributes:
        closed: Why it cannot be asked any more, or empty.
    """

    def __init__(self, name: str, send: Send, *, most: int, patience: float) -> None:
        """Ask through *send*, at most *most* requests at a time, each for *patience* seconds."""
        self.name = name
        self.closed = ""
        self._send = send
        self._most = most
        self._patience = patience
        self._ids = count(1)
        self._waiting: dict[Id, _Waiting] = {}

    async def ask(
        self,
        method: str,
        params: Mapping[str, Any],
        *,
        patience: float | None = None,
        sent: Callable[[Id], None] | None = None,
    ) -> Response:
        """Ask, and wait for the answer; *sent* is told the id. If the wait is cancelled, so is the request.

        Raises:
            Unanswered: There is no answer in time, the side has closed, or too much is under way.
        """
        if self.closed:
            raise Unanswered(self.closed)
        if len(self._waiting) >= self._most:
            raise Unanswered(f"more than {self._most} requests to the {self.name} are under way; try again later", BUSY)
        identifier, waiting = next(self._ids), _Waiting()
        self._waiting[identifier] = waiting
        seconds = self._patience if patience is None else patience
        asked = False
        try:
            if sent is not None:
                sent(identifier)
            with fail_after(seconds):
                await self._send(request(identifier, method, params))
                asked = True
                await waiting.event.wait()
        except TimeoutError:
            await self._cancel(identifier, "it took too long")
            raise Unanswered(f"the {self.name} did not answer `{method}` within {seconds:g} s") from None
        except get_cancelled_exc_class():
            if asked:
                with CancelScope(shield=True):
                    await self._cancel(identifier, "it is not wanted any more")
            raise
        finally:
            del self._waiting[identifier]
        if waiting.response is None:
            raise Unanswered(waiting.reason or self._why())
        return waiting.response

    def _why(self) -> str:
        return self.closed or f"the {self.name} answered with something that is no answer"

    async def _cancel(self, identifier: Id, reason: str) -> None:
        if not self.closed:
            with move_on_after(FAREWELL):
                await self._send(notification("notifications/cancelled", {"requestId": identifier, "reason": reason}))

    async def tell(self, method: str, params: Mapping[str, Any]) -> None:
        """Notify the other side."""
        if not self.closed:
            await self._send(notification(method, params))

    def answered(self, response: Response) -> bool:
        """Take an answer; false where nobody waits for it (any more)."""
        # `1` and `true` are told apart on the wire, and `1` and `"1"` are different ids.
        waiting = self._waiting.get(response.id)
        if waiting is None or waiting.event.is_set():
            return False
        waiting.response = response
        waiting.event.set()
        return True

    def broken(self, identifier: Id, reason: str = "") -> bool:
        """Fail the request with that id, to which something came that is no answer; false where nobody waits."""
        waiting = self._waiting.get(identifier)
        if waiting is None or waiting.event.is_set():
            return False
        waiting.reason = reason
        waiting.event.set()
        return True

    def all_broken(self) -> None:
        """Fail all requests that wait: something came of which nobody can tell what it answers."""
        for identifier in tuple(self._waiting):
            self.broken(identifier)

    def close(self, reason: str) -> None:
        """Fail all requests that wait, and every later one."""
        self.closed = self.closed or reason
        self.all_broken()
