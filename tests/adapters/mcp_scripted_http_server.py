"""A server over streamable HTTP without any library of MCP, honest or hostile as each tool says; run as a program.

It prints its port, and writes what it gets, with its headers, to the file that `SEEN` names. A client is told what it
asks for as JSON, or on a stream where the tool has something to say before its result.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

SECRET = "AKIAQYLPMN5HHHFPZAM2"
SESSION = "server-session-1"
NAMES = ["echo", "danger", "stream", "never", "fail", "refuse", "garbage", "cut", "other", "huge", "ask", "input", "hi"]
lock = threading.Lock()
answers = {}
arrived = threading.Event()


def text_of(text, **more):
    return {"content": [{"type": "text", "text": text}], **more}


def tool_of(name):
    marked = {"region": {"type": "string", "x-mcp-header": "Region"}} if name == "echo" else {}
    return {"name": name, "description": name, "inputSchema": {"type": "object", "properties": marked}}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        """Say nothing."""

    def note(self, message):
        told = {"method": self.command, "headers": {key.lower(): value for key, value in self.headers.items()}}
        with lock, Path(os.environ["SEEN"]).open("a", encoding="utf-8") as seen:
            seen.write(json.dumps({**told, "message": message}) + "\n")

    def plain(self, status, body=b"", kind="application/json", **headers):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.send_header("set-cookie", "who=first; Path=/")
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def answer(self, message, result, **headers):
        self.plain(200, json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode(), **headers)

    def open_stream(self):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True

    def event(self, **message):
        self.wfile.write(b"data: " + json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\r\n\r\n")
        self.wfile.flush()

    def do_GET(self):
        self.note(None)
        self.plain(405)

    def do_DELETE(self):
        self.note(None)
        self.plain(204)

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.note(message)
        method, params = message.get("method"), message.get("params", {})
        if method is None:
            answers[message["id"]] = message
            arrived.set()
            self.plain(202)
        elif "id" not in message:
            self.plain(202)
        elif method == "initialize":
            told = {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}}
            self.answer(message, {**told, "serverInfo": {"name": "s", "version": "1"}}, mcp_session_id=SESSION)
        elif method == "tools/list":
            self.answer(message, {"tools": [tool_of(name) for name in NAMES]})
        elif method == "tools/call":
            self.call(message, params)
        else:
            self.plain(
                404, json.dumps({"jsonrpc": "2.0", "id": None, "error": {"code": -32601, "message": "no"}}).encode()
            )

    def call(self, message, params):  # noqa: C901, PLR0912 - one branch for each behaviour
        name, identifier = params["name"], message["id"]
        token = params.get("_meta", {}).get("progressToken")
        if name == "stream":
            self.open_stream()
            self.event(method="notifications/message", params={"level": "info", "data": SECRET})
            self.event(method="notifications/progress", params={"progressToken": token, "progress": 1})
            self.event(id=identifier, result=text_of(f"a {SECRET}"))
        elif name == "never":
            self.open_stream()
            try:
                while True:
                    time.sleep(0.02)
                    self.wfile.write(b": \n\n")
                    self.wfile.flush()
            except OSError:
                self.note("the client has left")
        elif name == "fail":
            self.plain(500, f"<h1>{SECRET}</h1>".encode(), "text/html")
        elif name == "refuse":
            error = {"code": -32050, "message": f"no {SECRET}"}
            self.plain(400, json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode())
        elif name == "garbage":
            self.plain(200, b'{"jsonrpc":"2.0","id":1,"id":2}')
        elif name == "cut":
            self.open_stream()
            self.wfile.write(b'data: {"jsonrpc":"2.0","id"')
        elif name == "other":
            self.open_stream()
            self.event(id=identifier + 50, result=text_of(SECRET))
            self.event(id=identifier, result=text_of("mine"))
            self.event(id=identifier, result=text_of("twice"))
        elif name == "huge":
            self.plain(200, b'{"x":"' + b"x" * 3_000_000 + b'"}')
        elif name == "ask":
            self.open_stream()
            asked = {"message": f"who, {SECRET}?", "requestedSchema": {"type": "object", "properties": {}}}
            arrived.clear()
            self.event(id="q", method="elicitation/create", params=asked)
            arrived.wait(10)
            self.event(id=identifier, result=text_of(json.dumps(answers.get("q"))))
        elif name == "input":
            if params.get("requestState") == "server-state":
                self.answer(message, text_of(json.dumps(params["inputResponses"]), resultType="complete"))
                return
            wanted = {"q": {"method": "elicitation/create", "params": {"message": "really?"}}}
            more = {"inputRequests": wanted, "requestState": "server-state"}
            self.answer(message, {"resultType": "input_required", **more})
        else:
            self.answer(message, text_of(json.dumps(params.get("arguments"))))


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    sys.stdout.write(f"{server.server_address[1]}\n")
    sys.stdout.flush()
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    server.serve_forever()
