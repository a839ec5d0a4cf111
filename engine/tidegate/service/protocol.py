"""HTTP on one connection: uvicorn's protocol, which never waits for a head for ever, and answers garbage in JSON."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from .entrance import PEER
from .metrics import Metrics
from .replies import written
from .settings import Settings

_GARBAGE = {"decision": False, "effect": "deny", "rule": None, "reason": "", "arguments": None, "call_id": ""}


class BoundedProtocol(H11Protocol):
    """One connection.

    A head must have come whole within `patience`, counted from when the connection stood or its last answer was sent,
    and so must an answer have gone; a connection beyond `connections` is closed at once.
    """

    def __init__(self, *arguments: Any, settings: Settings, metrics: Metrics, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._settings = settings
        self._metrics = metrics
        self._waiting: asyncio.TimerHandle | None = None
        self._stuck: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the connection, with the names in the certificate of whoever connects."""
        super().connection_made(transport)
        self.app_state = {**self.app_state, PEER: names_in(transport.get_extra_info("peercert"))}
        if len(self.connections) > self._settings.connections:
            self._metrics.refused("connections")
            transport.abort()
            return
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Let the connection go."""
        self._stop_waiting()
        self._stop_being_stuck()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Handle what has come; while a request is answered, nothing is waited for here."""
        super().handle_events()
        if self._answering():
            self._stop_waiting()

    def on_response_complete(self) -> None:
        """Wait for the next head."""
        super().on_response_complete()
        if not self._answering() and not self.transport.is_closing():
            self._stop_waiting()
            self._wait()

    def pause_writing(self) -> None:
        """Whoever asked does not read the answer."""
        super().pause_writing()
        self._stop_being_stuck()
        self._stuck = self.loop.call_later(self._settings.patience, self._give_up)

    def resume_writing(self) -> None:
        """The answer is read on."""
        super().resume_writing()
        self._stop_being_stuck()

    def _stop_being_stuck(self) -> None:
        if self._stuck is not None:
            self._stuck.cancel()
            self._stuck = None

    def _answering(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is not None and not cycle.response_complete

    def _wait(self) -> None:
        self._waiting = self.loop.call_later(self._settings.patience, self._give_up)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _give_up(self) -> None:
        self._metrics.refused("slow")
        self.transport.abort()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP, in the words of every other refusal."""
        self._metrics.refused("garbage")
        body = written({**_GARBAGE, "reason": msg.rstrip(".").lower()})
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            headers = [
                (b"content-type", b"application/json"),
                (b"content-length", str(len(body)).encode()),
                (b"connection", b"close"),
            ]
            for event in (h11.Response(status_code=400, headers=headers), h11.Data(data=body), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()


def names_in(certificate: dict[str, Any] | None) -> frozenset[str]:
    """The names in a certificate that TLS has verified, each with its kind: `dns:…`, `uri:…`, `email:…`, `cn:…`."""
    if not certificate:
        return frozenset()
    found = {f"{kind.lower()}:{name}" for kind, name in certificate.get("subjectAltName", ())}
    for parts in certificate.get("subject", ()):
        found |= {f"cn:{value}" for key, value in parts if key == "commonName"}
    return frozenset(found)
