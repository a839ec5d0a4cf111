"""Real servers for the stores that need one: started on a free loopback port, ended by their id."""

from __future__ import annotations

import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

TRIES = 5


@contextmanager
def running(program: str) -> Iterator[str]:
    """Run a server of one's own while the block lasts."""
    pytest.importorskip("redis", reason="the package `redis` (the extra `tidegate[redis]`) is not installed")
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"`{program}` is not installed")
    with tempfile.TemporaryDirectory() as folder:
        process, port = started(found, folder)
        try:
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            process.terminate()
            process.wait(timeout=30)
            process.stdout.close()


def started(program: str, folder: str) -> tuple[subprocess.Popen[str], int]:
    """A server that accepts connections, and its port; another process may take a free port first."""
    for _ in range(TRIES):
        port = free_port()
        options = ["--bind", "127.0.0.1", "--port", str(port), "--dir", folder, "--save", "", "--appendonly", "no"]
        process = subprocess.Popen([program, *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if any("ready to accept connections" in line.lower() for line in process.stdout):
            return process, port
        process.wait(timeout=30)
        process.stdout.close()
    raise AssertionError(f"`{program}` does not start")


def free_port() -> int:
    """A port of the loopback that nobody had a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def emptied(url: str) -> str:
    """The same server with nothing in it."""
    from redis import Redis

    with Redis.from_url(url) as client:
        client.flushall()
    return url
