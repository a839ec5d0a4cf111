"""The proxy in front of a server over streamable HTTP."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.cookiejar import DefaultCookiePolicy
from typing import TYPE_CHECKING

from anyio import create_task_group, open_signal_receiver
from attrs import field, frozen

from ...errors import TidegateError
from .outlets import Notes, Outlet
from .places import hosts, shown
from .stdio import PATIENCE
from .wire import MOST_BYTES

if TYPE_CHECKING:
    from uvicorn import Server

    from .gate import Gate
    from .offer import Offer

GRACE = 2
"""Seconds in which open streams may end when the proxy does."""
CONNECTING = 10.0
MOST_CONNECTIONS = 1_024


@frozen
class Http:
    """The settings of a proxy over HTTP.

    Attributes:
        url: Where the server is.
        host, port: Where the proxy listens; port 0 is any that is free.
        gate: The rules.
        offer: What is known of the server's tools.
        headers: What the server gets with every request, such as a token.
        token: What clients must show, empty for nothing.
        names: What else clients may call the proxy, as in the header `Host`.
        told: Gets the address at which the proxy listens.
        patience: Seconds in which a request must be answered.
        most: The longest message, in bytes.
    """

    url: str
    host: str
    port: int
    gate: Gate
    offer: Offer
    headers: Mapping[str, str] = field(factory=dict, repr=False)
    token: str = field(default="", repr=False)
    names: frozenset[str] = frozenset()
    told: Callable[[str], None] = lambda _: None
    person: str = ""
    patience: float = PATIENCE
    most: int = MOST_BYTES


async def serve(settings: Http, notes: int) -> int:
    """Listen for clients until a signal comes; what is told goes to the descriptor *notes*.

    Raises:
        TidegateError: Nobody can listen there, or the extra `proxy` is not installed.
    """
    try:
        from httpx2 import AsyncClient, Timeout
        from uvicorn import Config

        from .http_app import App, Door
        from .http_checks import PATH
    except ImportError as error:
        raise TidegateError('a proxy over HTTP needs more packages: pip install "tidegate[proxy]"') from error
    listener = _listener(settings.host, settings.port)
    port = listener.getsockname()[1]
    said = Notes(Outlet(notes))
    headers = {**settings.headers, "accept-encoding": "identity"}
    wait = Timeout(CONNECTING, read=None, pool=settings.patience)
    async with AsyncClient(headers=headers, timeout=wait, follow_redirects=False) as http:
        http.cookies.jar.set_policy(
            DefaultCookiePolicy(allowed_domains=[])
        )  # all clients share what reaches the server
        async with create_task_group() as group:
            door = Door(
                settings.url,
                http,
                settings.gate,
                settings.offer,
                said.say,
                hosts(settings.host, port) | settings.names,
                settings.token,
                settings.person,
                settings.patience,
                settings.most,
            )
            app = App(door, group)
            config = Config(
                app,
                log_level="error",
                access_log=False,
                lifespan="off",
                limit_concurrency=MOST_CONNECTIONS,
                timeout_graceful_shutdown=GRACE,
            )
            server = _quiet(config)
            group.start_soon(said.run)
            group.start_soon(app.sweep)
            group.start_soon(_signals, server)
            where = f"http://{shown(settings.host)}:{port}{PATH}"
            said.say(f"listening at {where} for {settings.url}")
            settings.told(where)
            await server.serve(sockets=[listener])
            group.cancel_scope.cancel()
    return 0


def _quiet(config: object) -> Server:
    """A server that leaves signals to us."""
    from uvicorn import Server

    class Quiet(Server):
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield

    return Quiet(config)  # type: ignore[arg-type]


async def _signals(server: Server) -> None:
    if os.name != "posix":
        return
    with open_signal_receiver(signal.SIGINT, signal.SIGTERM) as received:
        async for _ in received:
            server.should_exit = True


def _listener(host: str, port: int) -> socket.socket:
    # Made with its protocol by name: asyncio sends small writes at once only on connections that tell it.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen()
    except OSError as error:
        listener.close()
        raise TidegateError(f"nobody can listen at {host}:{port}: {error.strerror or error}") from error
    return listener
