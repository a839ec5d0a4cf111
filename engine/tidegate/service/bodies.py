"""Bodies of requests: bounded in size and in the time they take to come."""

from __future__ import annotations

import asyncio

from starlette.requests import ClientDisconnect, Request

from .replies import Refused
from .settings import Settings

_READ_ON = 8
"""Up to how many times the longest body is read on, and dropped: whoever is cut off while sending reads no answer."""


async def body_of(request: Request, settings: Settings) -> bytes:
    """The body of a request that says that it is JSON.

    Raises:
        Refused: It says something else, is too long, did not come in time, or stopped coming.
    """
    kind, _, parameters = request.headers.get("content-type", "").partition(";")
    if kind.strip().lower() != "application/json" or not _is_utf8(parameters):
        raise Refused(400, "content-type", "the content type must be application/json, in UTF-8")
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise Refused(400, "content-type", "the body must not be compressed")
    try:
        async with asyncio.timeout(settings.patience):
            return await _read(request, settings)
    except TimeoutError:
        raise Refused(408, "slow", f"the body did not come within {settings.patience:g} seconds") from None
    except ClientDisconnect:
        raise Refused(400, "disconnected", "the body is not complete") from None


async def _read(request: Request, settings: Settings) -> bytes:
    told = request.headers.get("content-length", "")
    size = int(told) if told.isdecimal() else 0
    if size > settings.body * _READ_ON:
        raise _too_large(settings)
    chunks, size = [], 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > settings.body * _READ_ON:
            break
        if size <= settings.body:
            chunks.append(chunk)
    if size > settings.body:
        raise _too_large(settings)
    return b"".join(chunks)


def _too_large(settings: Settings) -> Refused:
    return Refused(413, "too-large", f"the body has more than {settings.body} bytes")


def _is_utf8(parameters: str) -> bool:
    name, _, value = parameters.strip().partition("=")
    return not name or (name.strip().lower() == "charset" and value.strip(' "').lower() in ("utf-8", "utf8"))
