"""What the MCP proxy adds to one call, over stdio and over HTTP, beside the same server without it.

Each call is sent and its answer read before the next one; the server answers at once, so that the whole time of the
bare path is two pipes (or a connection that is kept open) and one switch between processes each way.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter

import httpx2

SERVER = """\
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    method = message["method"]
    if method == "initialize":
        info = {"name": "s", "version": "1"}
        result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}
    elif method == "tools/list":
        result = {"tools": [{"name": "read", "inputSchema": {"type": "object"}}]}
    else:
        result = {"content": [{"type": "text", "text": "x" * 2000}]}
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}) + "\\n")
    sys.stdout.flush()
"""
BARE = 'version = 1\ndefault = "allow"\n'
RULES = """\
version = 1
default = "deny"

[tools.mcp__s__read]
path = { role = "path", access = "read" }

[[rule]]
id = "workspace"
kind = "path"
allow = ["/srv/work/**"]
deny = ["**/.env", "**/.ssh/**"]

[[rule]]
id = "keys"
kind = "redact"
secrets = ["*"]

[[rule]]
id = "size"
kind = "truncate"
max_bytes = 10000

[[rule]]
id = "pace"
kind = "rate-limit"
limit = "1000000/hour"
"""
HTTP_SERVER = Path(__file__).resolve().parents[1] / "adapters" / "mcp_scripted_http_server.py"
ACCEPT = "application/json, text/event-stream"
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
CALLS = 400
WARM = 50


class Session:
    """A process that speaks MCP, and one call after the other to it."""

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        capabilities = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "b", "version": "1"},
        }
        self.ask(0, "initialize", capabilities)

    def ask(self, identifier: int, method: str, params: dict[str, object]) -> dict[str, object]:
        """One request and its answer."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        message = {"jsonrpc": "2.0", "id": identifier, "method": method, "params": params}
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()
        answer: dict[str, object] = json.loads(self._process.stdout.readline())
        return answer

    def end(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(20)


class HttpSession:
    """A server over HTTP, or the proxy before it, and one stateless call after the other to it."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._http = httpx2.Client(timeout=20, headers={"content-type": "application/json", "accept": ACCEPT})

    def ask(self, identifier: int, method: str, params: dict[str, object]) -> dict[str, object]:
        """One request and its answer."""
        message = {"jsonrpc": "2.0", "id": identifier, "method": method, "params": {**params, "_meta": META}}
        answer: dict[str, object] = self._http.post(self._url, content=json.dumps(message)).json()
        return answer

    def end(self) -> None:
        """Close the connection."""
        self._http.close()


def measure(session: Session | HttpSession) -> tuple[float, float]:
    """Median and 99th percentile of a call, in microseconds."""
    times = []
    for number in range(1, WARM + CALLS):
        start = perf_counter()
        answer = session.ask(number, "tools/call", {"name": "read", "arguments": {"path": f"/srv/work/{number}.py"}})
        times.append((perf_counter() - start) * 1e6)
        assert "isError" not in answer["result"], answer  # type: ignore[operator]
    session.end()
    kept = sorted(times[WARM:])
    return median(kept), kept[int(len(kept) * 0.99)]


def print_row(title: str, found: tuple[float, float], bare: float) -> None:
    """One line of the table."""
    middle, slow = found
    print(
        f"{title:26} {middle:8.0f} µs median {slow:8.0f} µs p99"
        f"   +{middle - bare:6.0f} µs   {middle / bare:5.1f} x the bare path"
    )


def proxy(folder: Path, rules: str, *server: str) -> list[str]:
    """What starts the proxy under these rules."""
    (folder / "rules.toml").write_text(rules, encoding="utf-8")
    return [sys.executable, "-m", "tidegate", "mcp", "--rules", str(folder / "rules.toml"), "--name", "s", *server]


def over_stdio(folder: Path) -> None:
    """The server alone, and behind the proxy with no rule and with five."""
    (folder / "server.py").write_text(SERVER, encoding="utf-8")
    server = [sys.executable, str(folder / "server.py")]
    alone = measure(Session(server))
    print_row("stdio, the server alone", alone, alone[0])
    for title, rules in (("stdio, no rule", BARE), ("stdio, five rules", RULES)):
        print_row(title, measure(Session(proxy(folder, rules, "--", *server))), alone[0])


def over_http(folder: Path) -> None:
    """The same over HTTP."""
    with listening([sys.executable, str(HTTP_SERVER)], {**os.environ, "SEEN": os.devnull}) as port:
        url = f"http://127.0.0.1:{int(port)}/mcp"
        alone = measure(HttpSession(url))
        print_row("HTTP, the server alone", alone, alone[0])
        for title, rules in (("HTTP, no rule", BARE), ("HTTP, five rules", RULES)):
            words = proxy(folder, rules, "--http", url, "--local", "--listen", "127.0.0.1:0", "--json")
            with listening(words, dict(os.environ)) as told:
                print_row(title, measure(HttpSession(json.loads(told)["url"])), alone[0])


@contextmanager
def listening(command: list[str], environment: dict[str, str]) -> Iterator[str]:
    """A process that says on its first line where it listens; it is ended whatever happens."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, env=environment, text=True, **pipes) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline()
        finally:
            process.terminate()


def main() -> None:
    """Measure both transports."""
    with tempfile.TemporaryDirectory() as name:
        over_stdio(Path(name))
        over_http(Path(name))


if __name__ == "__main__":
    main()
