"""`http_get`: one HTTP request to the host that was judged."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any
from urllib.parse import quote as percent
from urllib.parse import urlsplit

from ..errors import ToolFailed
from ..kernel import ToolDefinition, define_tool
from ..meaning.effects import UrlTarget
from ..meaning.urls import read_url

LONGEST = 30.0
"""Seconds within which the whole answer must be there."""

MOST_KEPT = 1024 * 1024
"""How many bytes of a body are kept."""

_SHOWN = ("content-type", "content-length", "location", "retry-after")


def web_tool(longest: float = LONGEST) -> ToolDefinition:
    """The tool `http_get`.

    It dials the host and port that rules have seen, and no proxy. It follows no redirect: where one leads stands in
    the answer, and a call for it is judged like any other. Where a name leads is decided by the resolver.
    """

    async def http_get(args: Mapping[str, Any]) -> str:
        from anyio import move_on_after, to_thread

        target = read_url(args["url"])
        connection = _connection(target, longest)
        with move_on_after(longest):
            return await to_thread.run_sync(_fetch, connection, _request_target(args["url"]), abandon_on_cancel=True)
        _hang_up(connection)
        raise _late(longest)

    return define_tool(
        name="http_get",
        description="Fetch a URL over http or https; redirects are shown, not followed.",
        parameters={"url": {"type": "string", "required": True}},
        execute=http_get,
        concurrency_safe=True,
    )


def _late(longest: float) -> ToolFailed:
    return ToolFailed(f"there was no answer within {longest:g} seconds", "TIMEOUT")


def _connection(target: UrlTarget, longest: float) -> HTTPConnection:
    """A connection to exactly the host that *target* names.

    Raises:
        ToolFailed: The URL is not http, or two clients could read it differently.
    """
    if target.doubts or not isinstance(target.host, str) or not target.host:
        raise ToolFailed("the URL can be read in more than one way; write it plainly", "BAD_URL")
    host = str(target.address) if target.address is not None else target.host
    if target.scheme == "http":
        return HTTPConnection(host, target.port or 80, timeout=longest)
    if target.scheme == "https":
        return HTTPSConnection(host, target.port or 443, timeout=longest)
    raise ToolFailed("only http and https are fetched", "BAD_URL")


def _request_target(url: str) -> str:
    """Path and query as they are sent; what a URL cannot hold as it is is percent-encoded."""
    parts = urlsplit(url)
    path = percent(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
    return f"{path}?{percent(parts.query, safe='/?%:@!$&()*+,;=~-._')}" if parts.query else path


def _fetch(connection: HTTPConnection, target: str) -> str:
    try:
        connection.request("GET", target, headers={"Accept-Encoding": "identity", "User-Agent": "tidegate"})
        response = connection.getresponse()
        body = response.read(MOST_KEPT + 1)
    except TimeoutError as error:
        raise _late(connection.timeout or 0.0) from error
    except (OSError, HTTPException) as error:
        raise ToolFailed(f"the request failed: {str(error) or type(error).__name__}", "NO_ANSWER") from error
    finally:
        connection.close()
    return _told(response, body)


def _told(response: HTTPResponse, body: bytes) -> str:
    lines = [f"HTTP {response.status} {response.reason}"]
    lines += [f"{name}: {value}" for name in _SHOWN if (value := response.headers.get(name)) is not None]
    text = body[:MOST_KEPT].decode(_charset(response), "replace")
    if len(body) > MOST_KEPT:
        text += f"\n[only the first {MOST_KEPT} bytes were kept]"
    return "\n".join([*lines, "", text])


def _charset(response: HTTPResponse) -> str:
    named = response.headers.get_content_charset() or "utf-8"
    try:
        b"".decode(named)
    except LookupError:
        return "utf-8"
    return named


def _hang_up(connection: HTTPConnection) -> None:
    """End a request that a thread still waits for."""
    waiting = connection.sock
    if waiting is not None:
        with suppress(OSError):
            waiting.shutdown(socket.SHUT_RDWR)
