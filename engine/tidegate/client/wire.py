"""Questions and answers over HTTP: kept connections, one time for a whole exchange, and nothing taken for an answer."""

from __future__ import annotations

import io
import socket
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from secrets import token_hex
from ssl import SSLContext
from threading import Lock
from time import monotonic
from typing import Any

from ..calls import parse
from ..errors import CallError, TidegateError
from ..shown import escape

LONGEST = 16 * 1024 * 1024
"""The longest answer that is read, in bytes."""

_OK = 200
_IDLE = 8
_LONGEST_REASON = 500


class NoAnswer(TidegateError):
    """The service gave no answer that can be used; the text says why. It never leaves a client."""

    code = "NO_ANSWER"


class Wire:
    """The way to one service; threads may share it."""

    def __init__(
        self, host: str, port: int | None, path: str, headers: Mapping[str, str], context: SSLContext | None
    ) -> None:
        self._host, self._port, self._path = host, port, path
        self._headers = dict(headers)
        self._context = context
        self._lock = Lock()
        self._idle: list[HTTPConnection] = []

    def close(self) -> None:
        """Close what is open; a later question opens it again."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def exchange(self, path: str, body: bytes, deadline: float) -> bytes:
        """Send a request and read its answer; one that a kept connection had lost already is sent once more.

        Where the service had taken the lost one, limits count it twice, which only tightens. *deadline* is by
        `time.monotonic`.

        Raises:
            NoAnswer: It is no answer to this request.
            TimeoutError: It did not come in time.
            OSError: The service cannot be reached.
            HTTPException: What came is not HTTP.
        """
        with self._lock:
            kept = self._idle.pop() if self._idle else None
        if kept is not None:
            try:
                return self._over(kept, path, body, deadline)
            except (ConnectionError, HTTPException):
                pass  # the service let it go meanwhile; where it had been asked, limits count one more and never less
        return self._over(self._connection(), path, body, deadline)

    def _connection(self) -> HTTPConnection:
        if self._context is not None:
            return HTTPSConnection(self._host, self._port, context=self._context)
        return HTTPConnection(self._host, self._port)

    def _over(self, connection: HTTPConnection, path: str, body: bytes, deadline: float) -> bytes:
        ident = token_hex(8)
        try:
            connection.timeout = _left(deadline)
            if connection.sock is not None:
                connection.sock.settimeout(_left(deadline))
            connection.request("POST", self._path + path, body, {**self._headers, "x-request-id": ident})
            connection.response_class = lambda sock, *rest, **named: _Response(sock, deadline, *rest, **named)  # type: ignore[assignment]
            response = connection.getresponse()
            data = response.read(LONGEST + 1)
            _check(response, data, ident)
        except BaseException:
            connection.close()
            raise
        self._keep(connection, response)
        return data

    def _keep(self, connection: HTTPConnection, response: HTTPResponse) -> None:
        with self._lock:
            keep = response.isclosed() and not response.will_close and len(self._idle) < _IDLE
            if keep:
                self._idle.append(connection)
        if not keep:
            connection.close()


class _Response(HTTPResponse):
    """A response that must have been read by a time, however slowly it drips."""

    def __init__(self, sock: socket.socket, deadline: float, *rest: Any, **named: Any) -> None:
        super().__init__(_Dripping(sock, deadline), *rest, **named)  # type: ignore[arg-type]


class _Dripping(io.RawIOBase):
    """What comes from a socket up to a time."""

    def __init__(self, sock: socket.socket, deadline: float) -> None:
        self._sock = sock
        self._raw = sock.makefile("rb", buffering=0)
        self._deadline = deadline

    def makefile(self, _: str) -> io.BufferedReader:
        """The stream that a response reads, as it asks a socket for it."""
        return io.BufferedReader(self)

    def readable(self) -> bool:
        """It is there to be read."""
        return True

    def readinto(self, buffer: Any) -> int | None:
        """Read what is there, or wait for it as long as there is time."""
        self._sock.settimeout(_left(self._deadline))
        return self._raw.readinto(buffer)

    def close(self) -> None:
        """Let go of the socket."""
        self._raw.close()
        super().close()


def _left(deadline: float) -> float:
    left = deadline - monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _check(response: HTTPResponse, data: bytes, ident: str) -> None:
    if len(data) > LONGEST:
        raise NoAnswer(f"its answer has more than {LONGEST} bytes")
    if response.status != _OK:
        raise NoAnswer(f"it refused ({response.status}): {_reason_in(data)}")
    if response.getheader("x-request-id") != ident:
        raise NoAnswer("it answered another question")
    if response.getheader("content-type", "").partition(";")[0] != "application/json":
        raise NoAnswer("its answer is no JSON")


def _reason_in(data: bytes) -> str:
    """Why a request was refused, where the answer says so."""
    try:
        said = parse(data)["reason"]
    except (CallError, KeyError, TypeError):
        return "it does not say why"
    return escape(str(said), _LONGEST_REASON)
