"""The proxy as a server over streamable HTTP: one endpoint, for sessions and for stateless clients.

Source: the transport of MCP 2025-11-25 and 2026-07-28, with its warning about DNS rebinding: a page of another origin
is refused, and so is a name of this host that is not the one it listens at.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from anyio import create_task_group, current_time, fail_after, sleep
from anyio.abc import TaskGroup
from attrs import field, frozen
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse

from .gate import Gate, Identity
from .http_checks import HEADER_MISMATCH, body_of, failure, plain, unfit
from .http_headers import mismatch
from .http_session import Outbox, Session
from .line import Held, Say
from .methods import is_among, stateless
from .offer import Offer
from .sse import TYPE, event
from .wire import INVALID_REQUEST, PARSE_ERROR, Bad, Frame, dump, read
from .wire import Request as Asked

if TYPE_CHECKING:
    from httpx2 import AsyncClient

MOST_SESSIONS = 256
IDLE = 3_600.0
"""Seconds after which a session that nobody uses is ended."""
SWEEP = 30.0
"""Seconds between two looks for such sessions."""
PATIENCE = 30.0
"""Seconds in which a message must have come."""


@frozen
class Door:
    """What all clients of one proxy over HTTP share.

    Attributes:
        url: Where the server is.
        http: What reaches it.
        gate: The rules.
        offer: What is known of the server's tools.
        say: Tells the operator something.
        hosts: The names under which clients may reach the proxy, with the port.
        token: What clients must show, empty for nothing.
        patience: Seconds in which a request must be answered.
        most: The longest message, in bytes.
        tasks: The tasks that requests without a session have begun.
        held: How much of all their messages is under way.
    """

    url: str
    http: AsyncClient
    gate: Gate
    offer: Offer
    say: Say
    hosts: frozenset[str]
    token: str = field(default="", repr=False)
    person: str = ""
    patience: float = 600.0
    most: int = 16 * 1024 * 1024
    tasks: OrderedDict[str, Identity] = field(factory=OrderedDict)
    held: Held = field(factory=Held)


class App:
    """An ASGI application."""

    def __init__(self, door: Door, group: TaskGroup) -> None:
        """Serve clients through *door*, whose sessions live in *group*."""
        self._door = door
        self._group = group
        self._sessions: dict[str, Session] = {}
        self._stateless: set[Session] = set()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve one request of HTTP."""
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        refusal = unfit(request, self._door.hosts, self._door.token)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        method = {"POST": self._post, "GET": self._get, "DELETE": self._delete}.get(request.method)
        response = plain(405, "only POST, GET and DELETE are served") if method is None else await method(request)
        await response(scope, receive, send)

    async def sweep(self) -> None:
        """End sessions that nobody uses any more, for ever."""
        while True:
            await sleep(SWEEP)
            for session in [one for one in self._stateless if one.idle]:
                self._stateless.discard(session)
                session.close()
            for session in [one for one in self._sessions.values() if one.idle and current_time() - one.used > IDLE]:
                self._end(session)

    # The methods of HTTP.

    async def _post(self, request: Request) -> Response:
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return plain(415, "a message is application/json")
        try:
            with fail_after(PATIENCE):
                body = await body_of(request, self._door.most)
        except TimeoutError:
            return plain(408, "the message did not come in time")
        except ClientDisconnect:
            return plain(400, "the client has left")
        if body is None:
            return failure(413, PARSE_ERROR, f"a message is at most {self._door.most} bytes long")
        frame = read(body, self._door.most)
        wrong = mismatch(request.headers, _asked(frame))
        if wrong is not None:
            return failure(400, HEADER_MISMATCH, wrong)
        found = await self._session_of(request, frame)
        if isinstance(found, Response):
            return found
        found.used = current_time()
        return await self._serve(request, found, body, frame)

    async def _session_of(self, request: Request, frame: Frame) -> Session | Response:
        """The session of a message, a new one where it begins one."""
        asked = _asked(frame)
        named = request.headers.get("mcp-session-id")
        begins = any(one.method == "initialize" for one in asked)
        if named is not None and not begins:
            session = self._sessions.get(named)
            return failure(404, INVALID_REQUEST, "there is no such session") if session is None else session
        if not begins:
            if len(asked) != 1 or not stateless(asked[0].params) or frame.batch:
                bad = next((one for one in frame.messages if isinstance(one, Bad)), None)
                if bad is not None:
                    return failure(400, bad.code, bad.reason, bad.id)
                return failure(400, INVALID_REQUEST, "the message belongs to no session, and says no version of MCP")
            state = asked[0].params.get("requestState")
            waiting = next((one for one in self._stateless if is_among(state, one.line.parked)), None)
            if waiting is not None:
                return waiting
        if len(self._sessions) + len(self._stateless) >= MOST_SESSIONS and not self._make_room():
            return plain(503, "too many clients")
        session = Session(self._door, token_hex(16) if begins else "")
        await self._group.start(session.run)
        if begins:
            self._sessions[session.identifier] = session
        else:
            self._stateless.add(session)
        return session

    def _make_room(self) -> bool:
        """End the session that nobody has used for the longest time; false where all of them are in use."""
        unused = [one for one in self._sessions.values() if one.idle]
        if unused:
            self._end(min(unused, key=lambda one: one.used))
        return bool(unused)

    async def _serve(self, request: Request, session: Session, body: bytes, frame: Frame) -> Response:
        box = Outbox()
        wants = [one for one in frame.messages if isinstance(one, Asked | Bad)]
        if not wants:
            await session.client_side.take(body, box.answer)
            return Response(status_code=202)
        streams = TYPE in request.headers.get("accept", "")
        if streams:
            session.streams.append(box)
        headers = {"mcp-session-id": session.identifier} if session.identifier else {}
        leave = self._leaving(session, box, [one.id for one in wants])
        await session.client_side.take(body, box.answer)
        first, last = await _unless_gone(request, box)
        if last or not streams:
            leave()
            if (
                isinstance(first, dict)
                and "error" in first
                and any(one.method == "initialize" for one in _asked(frame))
            ):
                self._end(session)
            if first is None:
                return Response(status_code=202, headers=headers)
            return Response(dump(first), media_type="application/json", headers=headers)

        async def stream() -> AsyncIterator[bytes]:
            try:
                yield event(dump(first))
                async for value in box.all():
                    yield event(dump(value))
            finally:
                leave()

        return StreamingResponse(stream(), media_type=TYPE, headers={**headers, "cache-control": "no-store"})

    def _leaving(self, session: Session, box: Outbox, ids: list[Any]) -> Callable[[], None]:
        """What ends an answer; a stateless client that leaves before it is there cancels its request."""

        def leave() -> None:
            box.close()
            if box in session.streams:
                session.streams.remove(box)
            for identifier in ids if not session.identifier else ():
                job = session.line.jobs.get(identifier)
                if job is not None:
                    job.scope.cancel()
            if not session.identifier and session.idle:
                self._stateless.discard(session)
                session.close()

        return leave

    async def _get(self, request: Request) -> Response:
        session = self._sessions.get(request.headers.get("mcp-session-id", ""))
        if session is None:
            return plain(405, "only a session can listen")
        if session.listening is not None:
            return plain(409, "the session listens already")
        session.listening = box = Outbox()

        async def stream() -> AsyncIterator[bytes]:
            try:
                yield b": \n\n"
                async for value in box.all():
                    yield event(dump(value))
            finally:
                box.close()
                session.listening = None

        return StreamingResponse(stream(), media_type=TYPE, headers={"cache-control": "no-store"})

    async def _delete(self, request: Request) -> Response:
        session = self._sessions.get(request.headers.get("mcp-session-id", ""))
        if session is None:
            return plain(404, "there is no such session")
        self._end(session)
        return Response(status_code=204)

    def _end(self, session: Session) -> None:
        self._sessions.pop(session.identifier, None)
        session.close()


async def _unless_gone(request: Request, box: Outbox) -> tuple[Any, bool]:
    """The first message for the client; nothing once it has left."""
    found: tuple[Any, bool] = (None, True)

    async def watch() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        group.cancel_scope.cancel()

    async with create_task_group() as group:
        group.start_soon(watch)
        found = await box.next()
        group.cancel_scope.cancel()
    return found


def _is_error(value: Any) -> bool:
    return isinstance(value, dict) and "error" in value


def _asked(frame: Frame) -> list[Asked]:
    return [one for one in frame.messages if isinstance(one, Asked)]
