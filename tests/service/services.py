"""A service as a real process on a free port of the loopback, and raw questions to it."""

from __future__ import annotations

import json
import os
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import urlsplit

RULES = """\
version = 1
default = "deny"

[tools.read_file]
path = { role = "path", access = "read" }

[[rule]]
id = "workspace"
kind = "path"
tools = ["read_file"]
allow = ["{root}/**"]
otherwise = "deny"

[[rule]]
id = "commands"
kind = "command"
allow = ["git status ..."]

[[rule]]
id = "mail"
kind = "tools"
deny = ["send_email"]
effect = "ask"

[[rule]]
id = "notes"
kind = "tools"
allow = ["add_note", "search", "send_email"]

[[rule]]
id = "signed"
kind = "rewrite"
tools = ["add_note"]
set = { "/by" = "agent" }

[[rule]]
id = "few-searches"
kind = "rate-limit"
tools = ["search"]
limit = "5/hour"
"""

PLACE = {"cwd": "/srv/shop", "root": "/srv/shop"}


class Reply(NamedTuple):
    """What came back."""

    status: int
    value: Any
    headers: dict[str, str]


class Service(NamedTuple):
    """A service that runs."""

    url: str
    process: subprocess.Popen[bytes]
    errors: Path
    context: ssl.SSLContext | None = None

    @property
    def address(self) -> tuple[str, int]:
        """Where it listens."""
        parts = urlsplit(self.url)
        return parts.hostname, parts.port

    def ask(self, path: str, value: Any = None, *, method: str = "POST", **headers: str) -> Reply:
        """Ask over a connection of its own; bytes go as they are."""
        host, port = self.address
        make = HTTPConnection if self.context is None else HTTPSConnection
        more = {} if self.context is None else {"context": self.context}
        connection = make(host, port, timeout=30, **more)
        try:
            body = value if isinstance(value, bytes | None) else json.dumps(value).encode()
            named = {name.replace("_", "-"): text for name, text in headers.items()}
            connection.request(method, path, body, {"content-type": "application/json", **named})
            response = connection.getresponse()
            data = response.read()
            kind = response.getheader("content-type", "")
            return Reply(
                response.status,
                json.loads(data) if kind == "application/json" else data.decode(),
                {name.lower(): text for name, text in response.getheaders()},
            )
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Reply:
        """Read something."""
        return self.ask(path, method="GET", **headers)

    def raw(self) -> socket.socket:
        """A connection for what no client would send."""
        return socket.create_connection(self.address, timeout=30)

    def count(self, metric: str, **headers: str) -> float:
        """The value of a metric, 0 where it was never touched."""
        text = self.get("/metrics", **headers).value
        lines = [line.rsplit(" ", 1) for line in text.splitlines()] if isinstance(text, str) else []
        return next((float(value) for name, value in lines if name == metric), 0.0)

    def reload(self, outcome: str, *, authorization: str = "", then: str = "") -> None:
        """Have it load again, and wait until it has; *then* is what it knows afterwards."""
        metric = f'tidegate_reloads_total{{outcome="{outcome}"}}'
        before = self.count(metric, authorization=authorization)
        self.process.send_signal(signal.SIGHUP)
        self.wait(lambda: self.count(metric, authorization=then or authorization) > before)

    def wait(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds."""
        deadline = monotonic() + 30
        while not holds():
            assert monotonic() < deadline, self.errors.read_text(encoding="utf-8")

    def end(self, number: int = 15) -> int:
        """End it by a signal; its exit code."""
        self.process.send_signal(number)
        return self.process.wait(timeout=60)


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    """A call in the folder of the project."""
    return {"tool": tool, "args": arguments, **PLACE}


ATTESTED = ("--attest", "cwd", "--attest", "root", "--machine", "plain")


@contextmanager
def serving(
    folder: Path,
    *words: str,
    rules: str = RULES,
    context: ssl.SSLContext | None = None,
    program: Sequence[str] = ("-m", "tidegate"),
) -> Iterator[Service]:
    """Run `tidegate serve` while the block lasts."""
    path = folder / "rules.toml"
    if not path.exists():
        path.write_text(rules, encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if name in {"PATH", "PYTHONPATH", "SYSTEMROOT", "TMPDIR"}}
    environment = {**kept, "HOME": str(folder), "XDG_STATE_HOME": str(folder / "state"), "LC_ALL": "C.UTF-8"}
    command = [sys.executable, *program, "serve", str(path), "--port", "0", "--json", *map(str, words)]
    errors = folder / "errors.txt"
    with errors.open("wb") as told:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=told, cwd=folder, env=environment)
    try:
        line = process.stdout.readline()
        assert line, errors.read_text(encoding="utf-8")
        yield Service(json.loads(line)["url"], process, errors, context)
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(timeout=60)
        process.stdout.close()
