"""A client of MCP that writes and reads lines and believes nothing, for tests of the proxy."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

HERE = Path(__file__).parent
SERVER = [sys.executable, str(HERE / "mcp_scripted_server.py")]
PATIENCE = 20
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
}


class RawClient:
    """A proxy in front of a server, as processes, and what goes over its wires."""

    def __init__(
        self, folder, rules, *options, server=None, name="s", env=None, reading=True, program=("-m", "tidegate")
    ):
        self.folder = folder
        self.seen_file = folder / "seen.jsonl"
        self.seen_file.write_text("")
        (folder / "rules.toml").write_text(rules, encoding="utf-8")
        kept = {key: value for key, value in os.environ.items() if key != "HOME"}
        home = {"HOME": str(folder), "XDG_STATE_HOME": str(folder / "state"), "SEEN": str(self.seen_file)}
        engine = str(HERE.parents[1] / "engine")
        path = os.pathsep.join(filter(None, [engine, os.environ.get("PYTHONPATH")]))
        command = [sys.executable, *program, "mcp", "--rules", str(folder / "rules.toml"), "--name", name]
        self.process = subprocess.Popen(
            [*command, *options, "--", *(server or SERVER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**kept, **home, "PYTHONPATH": path, **(env or {})},
            cwd=folder,
        )
        self.raw = []
        self.lines = queue.Queue()
        self.others = []
        self.errors = []
        self.answers = {}
        self._readers = [threading.Thread(target=one, daemon=True) for one in (self._read, self._read_errors)]
        if reading:
            self.read()

    def read(self):
        """Begin to read what the proxy writes."""
        for reader in self._readers:
            reader.start()

    def _read(self):
        with self.process.stdout as stream:
            for line in stream:
                self.raw.append(line)
                self.lines.put(json.loads(line))
        self.lines.put(None)

    def _read_errors(self):
        with self.process.stderr as stream:
            for line in stream:
                self.errors.append(line.decode())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Leave, and wait for the proxy to end."""
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            return self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            for reader in self._readers:
                reader.join(PATIENCE)

    def write(self, data):
        """Write bytes as they are."""
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, **message):
        """Write one message."""
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def next(self):
        """The next message that comes, of whatever kind."""
        return self.lines.get(timeout=PATIENCE)

    def answer(self, identifier):
        """The answer to a request; what comes before it is kept in `others`, and requests are answered by `answers`."""
        while True:
            message = self.next()
            assert message is not None, ("the proxy has ended", self.errors)
            if "method" not in message and not isinstance(message, list) and message["id"] == identifier:
                return message
            self.others.append(message)
            if message.get("method") in self.answers and "id" in message:
                self.send(id=message["id"], **self.answers[message["method"]])

    def ask(self, identifier, method, **params):
        """Ask, and wait for the answer."""
        self.send(id=identifier, method=method, params=params)
        return self.answer(identifier)

    def begin(self, **capabilities):
        """Begin a session of the era of handshakes."""
        info = {"name": "raw", "version": "1"}
        found = self.ask("init", "initialize", protocolVersion="2025-11-25", capabilities=capabilities, clientInfo=info)
        self.send(method="notifications/initialized")
        return found["result"]

    def call(self, identifier, tool, **arguments):
        """Call a tool."""
        return self.ask(identifier, "tools/call", name=tool, arguments=arguments)

    def modern(self, identifier, method, **params):
        """Ask as a stateless client."""
        return self.ask(identifier, method, **params, _meta=MODERN)

    @property
    def seen(self):
        """What reached the server."""
        return [json.loads(line) for line in self.seen_file.read_text(encoding="utf-8").splitlines()]

    def calls_seen(self):
        """The tools that were called at the server."""
        return [one["params"]["name"] for one in self.seen if one.get("method") == "tools/call"]


def until(holds):
    """Wait for what another process does, which nobody tells of."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.01)


def text(answer):
    """The first text of the result of a call."""
    return answer["result"]["content"][0]["text"]
