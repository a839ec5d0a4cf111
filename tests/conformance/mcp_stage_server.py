"""An MCP server with the two tools of a stage: `mcp_stage_server.py SENTINEL FAILS SLOW SECONDS`.

It needs no library, and appends what its bodies were given to the file SENTINEL. Each call has a thread of its own.
"""

import json
import sys
import threading
import time
from pathlib import Path

SENTINEL, FAILS, SLOW, SECONDS = Path(sys.argv[1]), sys.argv[2], sys.argv[3], float(sys.argv[4])
TEXT = {"type": "object", "properties": {"text": {"type": "string"}}}
lock = threading.Lock()


def send(identifier, **said):
    """Write one answer."""
    with lock:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": identifier, **said}) + "\n")
        sys.stdout.flush()


def body(tool, text):
    """The body of a tool: the sentinel, then what its text says that it does."""
    with lock, SENTINEL.open("a", encoding="utf-8") as entered:
        entered.write(json.dumps([tool, text]) + "\n")
    if text.startswith(SLOW):
        time.sleep(SECONDS)
    if text.startswith(FAILS):
        return {"content": [{"type": "text", "text": text.removeprefix(FAILS)}], "isError": True}
    if tool == "say":
        return {"content": [{"type": "text", "text": text}]}
    said = {"said": text}
    return {"content": [{"type": "text", "text": json.dumps(said)}], "structuredContent": said}


def called(identifier, params):
    """Serve one call."""
    if params["name"] in ("say", "report"):
        send(identifier, result=body(params["name"], params["arguments"]["text"]))
    else:
        send(identifier, error={"code": -32602, "message": "no such tool"})


def main():
    """Serve until the input ends."""
    for line in sys.stdin:
        message = json.loads(line)
        method, identifier, params = message["method"], message.get("id"), message.get("params", {})
        if method == "initialize":
            info = {"serverInfo": {"name": "stage", "version": "1"}, "capabilities": {"tools": {}}}
            send(identifier, result={"protocolVersion": params["protocolVersion"], **info})
        elif method == "tools/list":
            send(identifier, result={"tools": [{"name": name, "inputSchema": TEXT} for name in ("say", "report")]})
        elif method == "tools/call":
            threading.Thread(target=called, args=(identifier, params), daemon=True).start()
        elif identifier is not None:
            send(identifier, error={"code": -32601, "message": "no such method"})


if __name__ == "__main__":
    main()
