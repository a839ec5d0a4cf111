"""What goes back over HTTP: always JSON, never to be kept, and a deny wherever something went wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from ..decision import refusal

_HEADERS = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
BUSY = 503


class Refused(Exception):
    """A request is refused with this status; `why` is a word for metrics, the text is for whoever asks."""

    def __init__(self, status: int, why: str, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.why = why
        self.reason = reason


def written(value: Any) -> bytes:
    """*value* as JSON in ASCII, so that nobody can take it for anything else."""
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii")


def reply(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A response with *value*, or with bytes that are JSON already."""
    data = value if isinstance(value, bytes) else written(value)
    return Response(data, status, {**_HEADERS, **(headers or {})}, "application/json")


def refused(status: int, reason: str, headers: Mapping[str, str] | None = None) -> Response:
    """The response to a request that is no answerable question: a deny in the words of either interface.

    The connection ends with it, since the rest of the request may not have been read.
    """
    more = {"connection": "close", **(headers or {})}
    if status == BUSY:
        more["retry-after"] = "1"
    return reply({"decision": False, **refusal(reason)}, status, more)
