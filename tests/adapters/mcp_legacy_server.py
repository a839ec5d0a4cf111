"""An MCP server of the era of handshakes, without any library, for tests; run as a program.

It lists its tools on two pages, and on every call of `change` it announces that they have changed: to what is
named in the argument `to`. A call with `answer` false is never answered.
"""

from __future__ import annotations

import json
import sys

OBJECT = {"type": "object"}


def tool_of(name):
    return {"name": name, "description": f"about {name}", "inputSchema": OBJECT}


def main():
    names = ["change", "same", "old"]
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        method, params = message["method"], message.get("params", {})
        answer = {"error": {"code": -32601, "message": f"no {method}"}}
        if method == "initialize":
            capabilities = {"tools": {"listChanged": True}}
            info = {"name": "legacy", "version": "1"}
            answer = {"result": {"protocolVersion": "2025-06-18", "capabilities": capabilities, "serverInfo": info}}
        elif method == "tools/list" and names == ["refuse"]:
            answer = {"error": {"code": -32000, "message": "not now"}}
        elif method == "tools/list" and not params.get("cursor"):
            answer = {"result": {"tools": [tool_of(name) for name in names[:2]], "nextCursor": "2"}}
        elif method == "tools/list":
            answer = {"result": {"tools": [tool_of(name) for name in names[2:]]}}
        elif method == "tools/call" and params["arguments"].get("answer") is False:
            continue
        elif method == "tools/call":
            names = params["arguments"].get("to", names)
            send({"method": "notifications/tools/list_changed"})
            answer = {"result": {"content": [{"type": "text", "text": params["name"]}]}}
        send({"id": message["id"], **answer})


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
