"""The process of the service: its socket, TLS, signals, and an end that lets requests under way finish."""

from __future__ import annotations

import asyncio
import signal
import socket
import ssl
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from attrs import frozen
from uvicorn import Config, Server

from .judging import Bench
from .metrics import Metrics
from .protocol import BoundedProtocol
from .reloading import Loaded, Reloader
from .settings import Settings

BIGGEST_HEAD = 16 * 1024


@frozen
class Tls:
    """The certificate of the service, its key, and the authority whose certificates clients must show, if any."""

    certificate: Path
    key: Path | None = None
    client_authority: Path | None = None

    def context(self) -> ssl.SSLContext:
        """What connections are made with.

        Raises:
            OSError: A file cannot be read, or holds something else.
        """
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        self.load(context)
        if self.client_authority is not None:
            context.load_verify_locations(self.client_authority)
            context.verify_mode = ssl.CERT_REQUIRED
        return context

    def load(self, context: ssl.SSLContext) -> None:
        """Take the certificate and key as they are on the disk now, for connections that are made from now on."""
        context.load_cert_chain(self.certificate, self.key)


def is_loopback(host: str) -> bool:
    """Whether *host*, an address or a name, leads to this machine alone.

    Raises:
        OSError: It leads nowhere.
    """
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return all(ip_address(str(address[0]).partition("%")[0]).is_loopback for *_, address in found)


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens at *host*.

    Raises:
        OSError: It cannot.
    """
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listener = socket.socket(family, kind, protocol)
    try:
        if hasattr(signal, "SIGHUP"):  # elsewhere it would let another process take the same port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(512)
    except BaseException:
        listener.close()
        raise
    return listener


def url_of(listener: socket.socket, *, tls: bool) -> str:
    """The address of the service as a URL without a path."""
    host, port, *_ = listener.getsockname()
    return f"{'https' if tls else 'http'}://{f'[{host}]' if ':' in host else host}:{port}"


def lifespan(loaded: Loaded, bench: Bench, *, watch: bool) -> Callable[[Any], Any]:
    """What lives as long as the application: reloading, and the threads."""

    @asynccontextmanager
    async def living(_: Any) -> AsyncIterator[None]:
        reloader = Reloader(loaded)
        if hasattr(signal, "SIGHUP"):
            asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, reloader.ask)
        tasks = [asyncio.create_task(reloader.run())]
        if watch:
            tasks.append(asyncio.create_task(reloader.watch()))
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            bench.close()

    return living


def serve(
    app: Any, listener: socket.socket, context: ssl.SSLContext | None, settings: Settings, metrics: Metrics
) -> None:
    """Serve until a signal ends it; requests under way finish, as long as `drain` allows."""
    protocol: Any = partial(BoundedProtocol, settings=settings, metrics=metrics)
    config = Config(
        app,
        http=protocol,
        ws="none",
        loop="asyncio",
        lifespan="on",
        interface="asgi3",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=max(1, int(settings.patience)),
        timeout_graceful_shutdown=settings.drain,
        h11_max_incomplete_event_size=BIGGEST_HEAD,
        ssl_context_factory=None if context is None else (lambda *_: context),
    )
    with _ended_by_signals():
        Server(config).run(sockets=[listener])


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Take the signal that uvicorn raises once more when it has ended, for whoever had a handler before."""
    kept = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
