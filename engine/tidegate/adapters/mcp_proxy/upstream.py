"""The server of a connection, where it is reached over streamable HTTP.

Each message is a request of HTTP; what comes back, as JSON or as a stream of events, is taken like the lines of a
server over stdio. The headers that repeat what a message says are made of what is sent, never of what came.

Source: the transport of MCP 2025-11-25 (sessions, `GET` for what the server says by itself) and 2026-07-28 (stateless,
`Mcp-Method`, `Mcp-Name` and `Mcp-Param-*`; a request is cancelled by closing its stream).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from anyio import CancelScope, move_on_after, sleep
from anyio.abc import TaskGroup

from ...calls import parse
from ...errors import CallError
from .http_headers import NAMED, mirrored, wrapped
from .line import Line
from .methods import VERSION, meta_of
from .sse import TYPE, Events
from .wire import Id, Response, dump

if TYPE_CHECKING:
    from httpx2 import AsyncClient
    from httpx2 import Response as HttpResponse

FAREWELL = 2.0
PAUSE = 1.0
"""Seconds after which a stream of what the server says by itself is opened again."""

_OK = range(200, 300)
_ACCEPTED = 202


class Upstream:
    """The server's side of one connection over HTTP."""

    def __init__(self, url: str, http: AsyncClient, group: TaskGroup, most: int) -> None:
        """Reach the server at *url* through *http*, running what waits in *group*."""
        self._url = url
        self._http = http
        self._group = group
        self._most = most
        self._session: str | None = None
        self._version: str | None = None
        self._posts: dict[Id, CancelScope] = {}
        self._line: Line
        self._take: Callable[[bytes | None], Awaitable[None]]

    def connect(self, line: Line, take: Callable[[bytes | None], Awaitable[None]]) -> None:
        """Say whose server this is, and what takes what it sends."""
        self._line, self._take = line, take

    async def send(self, value: Any) -> None:
        """Send one message; requests go on by themselves."""
        if value.get("method") == "notifications/cancelled":
            scope = self._posts.get(value["params"]["requestId"])
            if scope is not None:
                scope.cancel()
            if self._session is None:
                return
        if "id" in value and "method" in value:
            self._group.start_soon(self._ask, value)
            return
        await self._tell(value)
        if value.get("method") == "notifications/initialized" and self._session is not None:
            self._group.start_soon(self._listen)

    async def _ask(self, value: Mapping[str, Any]) -> None:
        from httpx2 import HTTPError, InvalidURL

        identifier, why = value["id"], "the server ended its answer before it came"
        self._posts[identifier] = scope = CancelScope()
        try:
            with scope:
                async with self._http.stream(
                    "POST", self._url, content=dump(value), headers=self._headers(value)
                ) as response:
                    why = await self._answered(value, response) or why
        except (HTTPError, InvalidURL) as error:
            why = f"the server cannot be reached: {type(error).__name__}"
        finally:
            del self._posts[identifier]
            self._line.server.broken(identifier, why)

    async def _answered(self, value: Mapping[str, Any], response: HttpResponse) -> str:
        """Take what came back; gives why there was no answer in it, where that is known."""
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if response.status_code in _OK and kind == TYPE:
            await self._stream(response)
            return ""
        body = await self._body(response)
        if body is None:
            return f"the server sent more than {self._most} bytes"
        if response.status_code in _OK:
            if value["method"] == "initialize":
                self._begin(response, body)
            await self._take(body)
            return ""
        error = _error_of(body)
        if error is not None:
            self._line.server.answered(Response(value["id"], None, error))
        return f"the server answered with HTTP {response.status_code}"

    def _begin(self, response: HttpResponse, body: bytes) -> None:
        """Note the session that an answer to `initialize` has begun."""
        found = response.headers.get("mcp-session-id")
        try:
            result = parse(body).get("result")
            self._version = result.get("protocolVersion")
        except (CallError, AttributeError):
            return
        self._session = found

    async def _body(self, response: HttpResponse) -> bytes | None:
        found = bytearray()
        async for chunk in response.aiter_bytes():
            found += chunk
            if len(found) > self._most:
                return None
        return bytes(found)

    async def _stream(self, response: HttpResponse) -> None:
        events = Events(self._most)
        async for chunk in response.aiter_bytes():
            for data in events.feed(chunk):
                if data is not None and self._version is None and b'"protocolVersion"' in data:
                    self._begin(response, data)
                await self._take(data)

    async def _tell(self, value: Mapping[str, Any]) -> None:
        from httpx2 import HTTPError, InvalidURL

        try:
            response = await self._http.post(self._url, content=dump(value), headers=self._headers(value))
        except (HTTPError, InvalidURL) as error:
            self._line.say(f"a message did not reach the server: {type(error).__name__}")
        else:
            if response.status_code not in _OK:
                self._line.say(f"the server answered a message with HTTP {response.status_code}")

    async def _listen(self) -> None:
        """Take what the server of a session says by itself, for as long as it offers that."""
        from httpx2 import HTTPError, InvalidURL

        while True:
            try:
                async with self._http.stream("GET", self._url, headers=self._headers({})) as response:
                    if response.status_code not in _OK:
                        return
                    await self._stream(response)
            except (HTTPError, InvalidURL):
                pass  # nothing waits for what a server says by itself; a request that fails is answered on its own way
            await sleep(PAUSE)

    async def close(self) -> None:
        """End the session at the server."""
        if self._session is None:
            return
        from httpx2 import HTTPError

        with move_on_after(FAREWELL, shield=True):
            try:
                await self._http.delete(self._url, headers=self._headers({}))
            except HTTPError as error:
                self._line.say(f"the session at the server could not be ended: {type(error).__name__}")

    def _headers(self, value: Mapping[str, Any]) -> dict[str, str]:
        params = value.get("params", {})
        headers = {"content-type": "application/json", "accept": f"application/json, {TYPE}"}
        stateless = meta_of(params).get(VERSION) if isinstance(params, dict) else None
        if isinstance(stateless, str):
            method = value["method"]
            headers |= {"mcp-protocol-version": stateless, "mcp-method": method}
            if method in NAMED:
                headers["mcp-name"] = wrapped(params[NAMED[method]])
            if method == "tools/call":
                headers |= self._mirrored(params)
            return headers
        if self._session is not None:
            headers["mcp-session-id"] = self._session
        if self._version is not None:
            headers["mcp-protocol-version"] = self._version
        return headers

    def _mirrored(self, params: Mapping[str, Any]) -> dict[str, str]:
        """The arguments that the tool's schema wants in headers as well."""
        told = self._line.offer.told(params["name"])
        schema = {} if told is None else told.said.get("inputSchema", {})
        return mirrored(schema, params.get("arguments", {}))


def _error_of(body: bytes) -> dict[str, Any] | None:
    """The error of JSON-RPC in the body of an answer, under whatever id."""
    try:
        value = parse(body)
    except CallError:
        return None
    error = value.get("error") if isinstance(value, dict) else None
    fit = isinstance(error, dict) and type(error.get("code")) is int and isinstance(error.get("message"), str)
    return error if fit else None
