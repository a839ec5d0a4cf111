"""The proxy over standard input and output: it starts the server, and is one to its own client."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from anyio import (
    BrokenResourceError,
    CancelScope,
    ClosedResourceError,
    EndOfStream,
    Lock,
    create_task_group,
    current_time,
    fail_after,
    move_on_after,
    open_process,
    open_signal_receiver,
)
from attrs import frozen

from ...errors import TidegateError
from .client_side import ClientSide
from .gate import Gate
from .line import MOST_REQUESTS, Line
from .outlets import WRITE_PATIENCE, Backlog, Gone, Notes, Outlet, chunks
from .peer import Peer
from .server_side import ServerSide
from .wire import MOST_BYTES, Lines, dump

if TYPE_CHECKING:
    from anyio.abc import ByteReceiveStream, Process

    from .offer import Offer

GRACE = 2.0
"""Seconds in which the server may end by itself once its input is closed, and once more after it was told to."""
PATIENCE = 600.0
"""Seconds in which the other side must answer, unless another bound is set."""
LONGEST_LOG = 65_536
MOST_BACKLOG = 4
"""How many messages of the greatest length may wait for a side that reads slowly."""


@frozen
class Stdio:
    """The settings of a proxy over stdio.

    Attributes:
        command: What starts the server.
        gate: The rules.
        offer: What is known of the server's tools.
        person: Whose client it is, where that is known.
        patience: Seconds in which a request must be answered.
        most: The longest message, in bytes.
    """

    command: Sequence[str]
    gate: Gate
    offer: Offer
    person: str = ""
    patience: float = PATIENCE
    most: int = MOST_BYTES


async def serve(settings: Stdio, environ: Mapping[str, str], inlet: int, outlet: int, notes: int) -> int:
    """Stand between the client at the descriptors *inlet* and *outlet* and a server that is started now.

    It ends when either side does. Returns 0 where the client left, and 1 where the server did.

    Raises:
        TidegateError: The server cannot be started.
    """
    said = Notes(Outlet(notes))
    process = await _start(settings.command, environ)
    try:
        async with create_task_group() as group:
            group.start_soon(said.run)
            proxy = _Proxy(settings, process, Outlet(outlet, own=True), said)
            await proxy.run(inlet)
            said.close()
            with CancelScope(shield=True):
                await _end(process)
            group.cancel_scope.deadline = current_time() + GRACE
    except BaseExceptionGroup as errors:
        raise _leaf(errors) from errors
    finally:
        with CancelScope(shield=True):
            await _end(process)
    return proxy.code


def _leaf(error: BaseException) -> BaseException:
    """The first exception of nested groups, which says what is wrong."""
    return _leaf(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error


async def _start(command: Sequence[str], environ: Mapping[str, str]) -> Process:
    program = shutil.which(command[0], path=environ.get("PATH"))
    if program is None:
        raise TidegateError(f"the server cannot be started: there is no program `{command[0]}`")
    try:
        return await open_process([program, *command[1:]], env=dict(environ), start_new_session=os.name == "posix")
    except OSError as error:
        raise TidegateError(f"the server cannot be started: {error.strerror or error}") from error


async def _end(process: Process) -> None:
    """End the server: close its input, then ask it to end, then kill it and what it started."""
    with suppress(BrokenResourceError, ClosedResourceError, OSError):
        assert process.stdin is not None  # noqa: S101 - it was opened as a pipe
        await process.stdin.aclose()
    for sign in ("", "SIGTERM", "SIGKILL"):
        if sign:
            _signal(process, sign)
        with move_on_after(GRACE):
            await process.wait()
            break
    with suppress(BrokenResourceError, ClosedResourceError, OSError):
        await process.aclose()


def _signal(process: Process, name: str) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(process.pid, getattr(signal, name))
        else:
            process.kill()


class _Proxy:
    """One run."""

    def __init__(self, settings: Stdio, process: Process, out: Outlet, notes: Notes) -> None:
        self._settings = settings
        self._process = process
        self._out = out
        self._notes = notes
        self._writing = Lock()
        self._client_waits = Backlog(MOST_BACKLOG * settings.most)
        self._server_waits = Backlog(MOST_BACKLOG * settings.most)
        self.code = 0

    async def run(self, inlet: int) -> None:
        """Stand between the two until one of them leaves."""
        settings = self._settings
        client = Peer("client", self._to_client, most=MOST_REQUESTS, patience=settings.patience)
        server = Peer("server", self._to_server, most=MOST_REQUESTS, patience=settings.patience)
        line = Line(client, server, settings.gate, settings.offer, self._notes.say, settings.person)
        async with create_task_group() as group:
            self._leave = group.cancel_scope.cancel
            async with create_task_group() as requests:
                client_side = ClientSide(line, self._to_client, requests, settings.most)
                server_side = ServerSide(line, self._to_server, requests, settings.most)
                group.start_soon(self._signals)
                group.start_soon(self._log)
                group.start_soon(self._from_client, inlet, client_side)
                await self._from_server(server_side)
                server.close("the server has ended")
                requests.cancel_scope.deadline = current_time() + GRACE
            group.cancel_scope.cancel()

    async def _from_client(self, inlet: int, side: ClientSide) -> None:
        lines = Lines(self._settings.most)
        async for chunk in chunks(inlet):
            for line in lines.feed(chunk):
                await side.take(line)
            await self._client_waits.room()
            await self._server_waits.room()
        self._leave()

    async def _from_server(self, side: ServerSide) -> None:
        """Read what the server says, until it has ended."""
        assert self._process.stdout is not None  # noqa: S101 - it was opened as a pipe

        async def take(line: bytes | None) -> None:
            await side.take(line)
            await self._client_waits.room()

        await _lines(self._process.stdout, self._settings.most, take)
        with move_on_after(GRACE):
            await self._process.wait()
        self.code = 1
        self._notes.say(f"the server has ended ({_ending(self._process.returncode)})")

    async def _log(self) -> None:
        """Pass on what the server writes to standard error, line by line, escaped."""
        assert self._process.stderr is not None  # noqa: S101 - it was opened as a pipe

        async def put(line: bytes | None) -> None:
            self._notes.put("[a line that is too long]" if line is None else line.decode("utf-8", "replace").rstrip())

        await _lines(self._process.stderr, LONGEST_LOG, put)

    async def _signals(self) -> None:
        if os.name != "posix":
            return
        with open_signal_receiver(signal.SIGINT, signal.SIGTERM, signal.SIGHUP) as received:
            async for _ in received:
                self._leave()

    async def _to_client(self, value: Any) -> None:
        data = dump(value) + b"\n"
        try:
            with self._client_waits.holding(len(data)):
                await self._out.write(data)
        except Gone:
            self._leave()

    async def _to_server(self, value: Any) -> None:
        assert self._process.stdin is not None  # noqa: S101 - it was opened as a pipe
        data = dump(value) + b"\n"
        try:
            with self._server_waits.holding(len(data)):
                async with self._writing:
                    with fail_after(WRITE_PATIENCE, shield=True):
                        await self._process.stdin.send(data)
        except (BrokenResourceError, ClosedResourceError, OSError):
            return  # it has ended, which whoever reads it hears
        except TimeoutError:
            self._notes.say("the server does not read what it is sent")
            self.code = 1
            self._leave()


async def _lines(stream: ByteReceiveStream, most: int, take: Callable[[bytes | None], Awaitable[None]]) -> None:
    lines = Lines(most)
    with suppress(EndOfStream, BrokenResourceError, ClosedResourceError):
        while True:
            for line in lines.feed(await stream.receive()):
                await take(line)


def _ending(code: int | None) -> str:
    if code is None:
        return "without a word"
    return f"signal {-code}" if code < 0 else f"exit code {code}"
