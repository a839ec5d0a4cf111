"""Headers of streamable HTTP that repeat what a message says, and whether they say the same.

Source: the transport of MCP 2026-07-28 (`Mcp-Method`, `Mcp-Name`, `Mcp-Param-*`).
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .methods import HANDSHAKE_VERSIONS, STATELESS_VERSIONS, VERSION, meta_of
from .wire import Request

NAMED: Mapping[str, str] = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""What of the params of a method stands in `Mcp-Name`."""
_SAFE = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")
_WRAPPED = re.compile(r"=\?base64\?.*\?=")
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,64}")
_DEEP = 16


def mismatch(headers: Mapping[str, str], requests: Iterable[Request]) -> str | None:
    """Why headers say something else than the messages that they stand before: others may have judged by them."""
    version = headers.get("mcp-protocol-version")
    if version is not None and version not in (*HANDSHAKE_VERSIONS, *STATELESS_VERSIONS):
        return "the proxy does not know this version of MCP"
    for one in requests:
        said = meta_of(one.params).get(VERSION)
        if said is not None and version is not None and said != version:
            return "`MCP-Protocol-Version` is not the version of the message"
        if headers.get("mcp-method", one.method) != one.method:
            return "`Mcp-Method` is not the method of the message"
        name = headers.get("mcp-name")
        if name is not None and unwrapped(name) != one.params.get(NAMED.get(one.method, "")):
            return "`Mcp-Name` is not what the message is about"
    return None


def mirrored(schema: Any, arguments: Any) -> dict[str, str]:
    """The arguments that a tool's schema wants in headers as well."""
    return {
        f"mcp-param-{token}": wrapped(text)
        for path, token in _marked(schema, (), _DEEP)
        if (text := _scalar(arguments, path)) is not None
    }


def _marked(schema: Any, path: tuple[str, ...], deep: int) -> Iterator[tuple[tuple[str, ...], str]]:
    """The properties of a schema that name a header, by their path."""
    properties = schema.get("properties") if isinstance(schema, dict) and deep else None
    for name, inner in properties.items() if isinstance(properties, dict) else ():
        token = inner.get("x-mcp-header") if isinstance(inner, dict) else None
        if isinstance(token, str) and _TOKEN.fullmatch(token):
            yield (*path, name), token
        yield from _marked(inner, (*path, name), deep - 1)


def _scalar(value: Any, path: tuple[str, ...]) -> str | None:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else None


def wrapped(text: str) -> str:
    """*text* as the value of a header, in base64 where it could not stand there as it is."""
    if _SAFE.fullmatch(text) and not _WRAPPED.fullmatch(text):
        return text
    return f"=?base64?{base64.b64encode(text.encode()).decode('ascii')}?="


def unwrapped(text: str) -> str | None:
    """What the value of a header stands for; `None` where it is broken."""
    if not _WRAPPED.fullmatch(text):
        return text
    try:
        return base64.b64decode(text[len("=?base64?") : -len("?=")], validate=True).decode()
    except ValueError:
        return None
