"""What a request of HTTP must fulfil before its message is looked at, and how one is refused."""

from __future__ import annotations

from collections.abc import Collection
from hmac import compare_digest
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from .wire import dump, error

PATH = "/mcp"
HEADER_MISMATCH = -32020


def unfit(request: Request, hosts: Collection[str], token: str) -> Response | None:
    """Why a request is refused before anybody reads it: another path, host or origin, or no token."""
    headers = request.headers
    if request.url.path.rstrip("/") != PATH:
        return plain(404, f"the proxy is at {PATH}")
    if headers.get("host", "") not in hosts:
        return plain(403, "this is not the host that the proxy listens at")
    origin = headers.get("origin")
    if origin is not None and urlsplit(origin).netloc not in hosts:
        return plain(403, "pages of other origins may not use the proxy")
    if token and not compare_digest(headers.get("authorization", "").encode(), f"Bearer {token}".encode()):
        return Response("a token is needed\n", 401, {"www-authenticate": "Bearer"})
    return None


async def body_of(request: Request, most: int) -> bytes | None:
    """The body, `None` where it is longer than *most* bytes."""
    found = bytearray()
    async for chunk in request.stream():
        found += chunk
        if len(found) > most:
            return None
    return bytes(found)


def plain(status: int, text: str) -> Response:
    """A refusal in plain text."""
    return Response(f"{text}\n", status, media_type="text/plain")


def failure(status: int, code: int, message: str, identifier: Any = None) -> Response:
    """A refusal as an error of JSON-RPC."""
    return Response(dump(error(identifier, code, message)), status, media_type="application/json")
