"""A connection over HTTP to addresses that are given, whatever the name of the host leads to by now."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from http.client import HTTP_PORT, HTTPS_PORT, HTTPConnection

from ..meaning.addresses import Address


class DialledConnection(HTTPConnection):
    """Speaks HTTP as to *host*, which is dialled at the addresses that *find* gives, in their order."""

    def __init__(
        self, host: str, port: int | None, find: Callable[[], Sequence[Address]], *, tls: bool, longest: float
    ) -> None:
        """Dial no sooner than something is sent; *longest* bounds each wait for the network, in seconds."""
        self.default_port = HTTPS_PORT if tls else HTTP_PORT
        super().__init__(host, port or self.default_port, timeout=longest)
        self._find = find
        self._tls = tls

    def connect(self) -> None:
        """Dial one address after the other until one answers.

        Raises:
            OSError: None does, or its certificate is not that of the host.
        """
        self.sock = self._dial()
        if self._tls:
            import ssl

            context = ssl.create_default_context()
            context.set_alpn_protocols(["http/1.1"])
            self.sock = context.wrap_socket(self.sock, server_hostname=self.host)

    def _dial(self) -> socket.socket:
        failed: OSError = OSError("the name has no address")
        for address in self._find():
            try:
                # An address is never looked up.
                return socket.create_connection((str(address), self.port), self.timeout)
            except OSError as error:
                failed = error
        raise failed

    def hang_up(self) -> None:
        """End a request that another thread still waits for."""
        waiting = self.sock
        if waiting is not None:
            with suppress(OSError):
                waiting.shutdown(socket.SHUT_RDWR)
