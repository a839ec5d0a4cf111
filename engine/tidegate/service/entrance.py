"""The entrance of the service: who asks, through which name, and the id of the request; then the routes."""

from __future__ import annotations

import re
from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .clients import Clients
from .metrics import Metrics
from .replies import refused

OPEN = frozenset({"/healthz", "/readyz", "/openapi.json", "/.well-known/authzen-configuration"})
"""What everybody may read: it tells nothing of the rules."""

PEER = "tidegate.peer"
CLIENT = "tidegate.client"
_LONGEST_ID = 256
_LOCAL = re.compile(r"(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])(?::[0-9]{1,5})?")


class Entrance:
    """Lets in who may ask.

    Where nobody has to show anything, the service stands on the loopback, and must be called by one of its names: a web
    page that has its own name lead there is turned away.
    """

    def __init__(self, app: ASGIApp, clients: Callable[[], Clients], metrics: Metrics) -> None:
        self._app = app
        self._clients = clients
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        ident = headers.get("x-request-id")
        answering = send if ident is None else _with_id(send, ident)
        wrong = self._wrong(scope, headers, ident)
        if wrong is None:
            await self._app(scope, receive, answering)
            return
        status, why, reason = wrong
        self._metrics.refused(why)
        more = {"www-authenticate": "Bearer"} if status == 401 else {}  # noqa: PLR2004 - HTTP's own number
        if why == "framing":
            more = {"connection": "close"}
        if why == "request-id":
            answering = send
        await refused(status, reason, more)(scope, receive, answering)

    def _wrong(self, scope: Scope, headers: Headers, ident: str | None) -> tuple[int, str, str] | None:
        clients = self._clients()
        if ident is not None and len(ident) > _LONGEST_ID:
            return 400, "request-id", f"`X-Request-ID` is longer than {_LONGEST_ID} characters"
        if "content-length" in headers and "transfer-encoding" in headers:
            # Whatever stands in front may have gone by the other one, and taken another end for that of the request.
            return 400, "framing", "`Content-Length` and `Transfer-Encoding` contradict each other"
        if clients.open and not _LOCAL.fullmatch(headers.get("host", "").lower()):
            return 403, "host", "this service is called by a name of the loopback only, such as 127.0.0.1"
        if scope["path"] in OPEN:
            return None
        if len(headers.getlist("authorization")) > 1:
            return 401, "unauthenticated", "more than one `Authorization` stands in the request"
        client = clients.who(headers.get("authorization"), scope["state"].get(PEER, frozenset()))
        if client is None:
            return 401, "unauthenticated", "show a token or a certificate that this service knows"
        scope["state"][CLIENT] = client
        return None


def _with_id(send: Send, ident: str) -> Send:
    """*send*, with the id of the request in the response."""

    async def answering(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [*message.get("headers", ()), (b"x-request-id", ident.encode("latin-1"))]
            message = {**message, "headers": headers}
        await send(message)

    return answering
