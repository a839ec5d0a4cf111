"""Messages of JSON-RPC: read strictly, told apart, and written anew, so that nothing passes as it came.

Source: JSON-RPC 2.0; the base protocol of MCP, 2025-11-25 and 2026-07-28 (ids are texts or whole numbers, params and
results are objects, batches are those of 2025-03-26).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeGuard

from ...calls import parse
from ...errors import CallError

Id = str | int

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
UNSUPPORTED_VERSION = -32022
URL_ELICITATION = -32042
REFUSED = -32010
"""Ours, from the range that implementations may use: the rules refuse the request."""
UNANSWERED = -32011
"""Ours: the other side did not answer, or cannot any more."""
BUSY = -32012
"""Ours: too many requests are under way."""

MOST_BYTES = 16 * 1024 * 1024
"""The longest message that is read, in bytes, unless another bound is set."""
MOST_IN_BATCH = 100
LONGEST_ID = 1_024


class Request(NamedTuple):
    """A message that wants an answer."""

    id: Id
    method: str
    params: dict[str, Any]


class Notification(NamedTuple):
    """A message that wants none."""

    method: str
    params: dict[str, Any]


class Response(NamedTuple):
    """An answer: a result, or an error with `code`, `message` and perhaps `data`; the other one is `None`."""

    id: Id
    result: dict[str, Any] | None
    error: dict[str, Any] | None = None


class Bad(NamedTuple):
    """What is no message: why, the code of the error for whoever sent it, and the id where that is plain to see.

    `beyond` tells that it goes beyond a bound, so that nobody can know what it is about.
    """

    id: Id | None
    code: int
    reason: str
    beyond: bool = False


Message = Request | Notification | Response | Bad


class Frame(NamedTuple):
    """What stood on one line: one message, or those of a batch."""

    messages: tuple[Message, ...]
    batch: bool = False


def read(line: bytes, most: int = MOST_BYTES) -> Frame:
    """The messages of one line: no duplicate keys, no NaN, no lone surrogates, bounded in length and depth."""
    if len(line) > most:
        return Frame((Bad(None, PARSE_ERROR, f"it is longer than {most} bytes", beyond=True),))
    try:
        value = parse(line)
    except CallError as error:
        return Frame((_unread(line, str(error)),))
    if not isinstance(value, list):
        return Frame((_message(value),))
    if not value:
        return Frame((Bad(None, INVALID_REQUEST, "a batch is not empty"),))
    if len(value) > MOST_IN_BATCH:
        return Frame((Bad(None, INVALID_REQUEST, f"a batch has at most {MOST_IN_BATCH} messages"),))
    return Frame(tuple(map(_message, value)), batch=True)


def _message(value: Any) -> Message:
    if not isinstance(value, dict):
        return Bad(None, INVALID_REQUEST, "a message is an object")
    found = value.get("id")
    known = found if is_id(found) else None
    if value.get("jsonrpc") != "2.0":
        return Bad(known, INVALID_REQUEST, '`jsonrpc` must be "2.0"')
    if "id" in value and known is None:
        return Bad(None, INVALID_REQUEST, "`id` must be a text or a whole number")
    if "method" in value:
        return _asked(value, known)
    return _answered(value, known)


def _asked(value: Mapping[str, Any], known: Id | None) -> Message:
    method, params = value["method"], value.get("params")
    if not isinstance(method, str):
        return Bad(known, INVALID_REQUEST, "`method` must be a text")
    if "result" in value or "error" in value:
        return Bad(known, INVALID_REQUEST, "a request has no result")
    if params is None:
        params = {}
    if not isinstance(params, dict):
        return Bad(known, INVALID_PARAMS, "`params` must be an object")
    return Notification(method, params) if known is None else Request(known, method, params)


def _answered(value: Mapping[str, Any], known: Id | None) -> Message:
    if known is None or ("result" in value) == ("error" in value):
        return Bad(known, INVALID_REQUEST, "it is neither a request nor an answer to one")
    if "result" in value:
        result = value["result"]
        if isinstance(result, dict):
            return Response(known, result)
        return Bad(known, INVALID_REQUEST, "`result` is no object")
    error = value["error"]
    if not isinstance(error, dict) or type(error.get("code")) is not int or not isinstance(error.get("message"), str):
        return Bad(known, INVALID_REQUEST, "`error` needs a whole `code` and a text `message`")
    return Response(known, None, error)


def is_id(value: object) -> TypeGuard[Id]:
    """Whether a value may be the id of a request; `0` and an empty text may."""
    return type(value) is int or (isinstance(value, str) and len(value) <= LONGEST_ID)


def _unread(line: bytes, reason: str) -> Bad:
    """What is JSON but no message that we take, with its id where that stands there once; so nobody waits for it.

    An answer with it can only refuse.
    """
    found: list[tuple[str, Any]] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        found[:] = items  # the outermost object comes last
        return {}

    try:
        whole = json.loads(line, object_pairs_hook=pairs, parse_int=_short)
    except RecursionError:
        return Bad(None, PARSE_ERROR, reason, beyond=True)
    except ValueError:
        return Bad(None, PARSE_ERROR, reason)
    ids = [value for key, value in found if key == "id"] if whole == {} else []
    plain = len(ids) == 1 and is_id(ids[0]) and _writable(ids[0])
    return Bad(ids[0] if plain else None, PARSE_ERROR, reason)


def _short(digits: str) -> int | None:
    """A whole number, unless it has more digits than an id may have."""
    return int(digits) if len(digits) <= LONGEST_ID else None


def _writable(value: Id) -> bool:
    """Whether an id can be sent back; a text with a lone surrogate cannot be read by everybody."""
    return isinstance(value, int) or value.isascii() or not any("\ud800" <= char <= "\udfff" for char in value)


def dump(value: object) -> bytes:
    """*value* as JSON on one line of ASCII, which no reader can take for several."""
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii")


def request(identifier: Id, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """A request as JSON."""
    return {"jsonrpc": "2.0", "id": identifier, "method": method, "params": params}


def notification(method: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """A notification as JSON."""
    return {"jsonrpc": "2.0", "method": method, **({"params": params} if params else {})}


def result(identifier: Id, value: Mapping[str, Any]) -> dict[str, Any]:
    """An answer as JSON."""
    return {"jsonrpc": "2.0", "id": identifier, "result": value}


def error(identifier: Id | None, code: int, message: str, data: Any = None) -> dict[str, Any]:
    """An error as JSON."""
    inner = {"code": code, "message": message, **({} if data is None else {"data": data})}
    return {"jsonrpc": "2.0", "id": identifier, "error": inner}


class Lines:
    """Cuts a stream of bytes into lines and never keeps more of it than *most* bytes.

    A line that is longer comes as `None`, once, and the rest of it is passed over.
    """

    def __init__(self, most: int = MOST_BYTES, *, empty: bool = False) -> None:
        """Bound what is kept; with *empty*, empty lines are lines as well."""
        self._most = most
        self._empty = empty
        self._kept = bytearray()
        self._skipping = False

    def feed(self, chunk: bytes) -> list[bytes | None]:
        """The lines that end in *chunk*."""
        lines: list[bytes | None] = []
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            self._take(chunk[start:end], lines)
            if not self._skipping and (self._empty or self._kept.strip()):
                lines.append(bytes(self._kept))
            self._kept.clear()
            self._skipping = False
            start = end + 1
        self._take(chunk[start:], lines)
        return lines

    def _take(self, part: bytes, lines: list[bytes | None]) -> None:
        if self._skipping:
            return
        if len(self._kept) + len(part) > self._most:
            self._kept.clear()
            self._skipping = True
            lines.append(None)
            return
        self._kept += part
