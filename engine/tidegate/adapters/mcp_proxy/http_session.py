"""A client over HTTP: its connection, and the streams on which it can be told something."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from anyio import (
    BrokenResourceError,
    CancelScope,
    ClosedResourceError,
    EndOfStream,
    Event,
    create_memory_object_stream,
    create_task_group,
    current_time,
    move_on_after,
)
from anyio.abc import TaskStatus

from .client_side import ClientSide
from .line import MOST_REQUESTS, Line
from .peer import Peer, Unanswered
from .server_side import ServerSide
from .upstream import Upstream

if TYPE_CHECKING:
    from .http_app import Door

MOST_WAITING = 64
"""How many messages wait for a client that does not read."""
READING = 30.0
"""Seconds in which it must read one of them."""


class Outbox:
    """Messages for the client on one answer of HTTP; the last one ends it."""

    def __init__(self) -> None:
        self._put, self._get = create_memory_object_stream[tuple[Any, bool]](MOST_WAITING)

    async def tell(self, value: Any) -> bool:
        """Put a message that is no answer; false where nobody reads any more."""
        return await self._send(value, last=False)

    async def answer(self, value: Any) -> None:
        """Put the answer, `None` where there is none; nothing comes after it."""
        await self._send(value, last=True)

    async def _send(self, value: Any, *, last: bool) -> bool:
        with move_on_after(READING):
            try:
                await self._put.send((value, last))
            except (BrokenResourceError, ClosedResourceError):
                return False
            return True
        return False

    async def next(self) -> tuple[Any, bool]:
        """The next message, and whether it is the last one; after the end there is only an end."""
        try:
            return await self._get.receive()
        except (EndOfStream, ClosedResourceError):
            return None, True

    async def all(self) -> AsyncIterator[Any]:
        """Every message up to the last one."""
        last = False
        while not last:
            value, last = await self.next()
            if value is not None:
                yield value

    def close(self) -> None:
        """Take nothing more."""
        self._get.close()
        self._put.close()


class Session:
    """One client: a session of the era of handshakes, or one request of a stateless client with all its rounds."""

    client_side: ClientSide
    line: Line

    def __init__(self, door: Door, identifier: str = "") -> None:
        """Begin for *door*; a stateless client has no *identifier*."""
        self.identifier = identifier
        self.streams: list[Outbox] = []
        self.listening: Outbox | None = None
        self.used = current_time()
        self._door = door
        self._closed = Event()

    @property
    def idle(self) -> bool:
        """Whether nothing is under way."""
        return not self.line.jobs and not self.line.parked and not self.streams

    async def run(self, *, task_status: TaskStatus[None]) -> None:
        """Live until it is closed."""
        door = self._door
        async with create_task_group() as group:
            upstream = Upstream(door.url, door.http, group, door.most)
            client = Peer("client", self._route, most=MOST_REQUESTS, patience=door.patience)
            server = Peer("server", upstream.send, most=MOST_REQUESTS, patience=door.patience)
            self.line = Line(client, server, door.gate, door.offer, door.say, door.person)
            self.line.held = door.held
            if not self.identifier:
                self.line.tasks = door.tasks
            server_side = ServerSide(self.line, upstream.send, group, door.most)
            self.client_side = ClientSide(self.line, self._route, group, door.most)
            upstream.connect(self.line, server_side.take)
            task_status.started()
            await self._closed.wait()
            with CancelScope(shield=True):
                await upstream.close()
            group.cancel_scope.cancel()

    def close(self) -> None:
        """End it, with all that is under way."""
        self._closed.set()

    async def _route(self, value: Any) -> None:
        """Tell the client something by itself, on the stream that it opened last.

        Raises:
            Unanswered: It is a question, and the client reads no stream.
        """
        for stream in (*reversed(self.streams), *([self.listening] if self.listening else [])):
            if await stream.tell(value):
                return
        if "id" in value:
            raise Unanswered("the client reads no stream on which it could be asked")
