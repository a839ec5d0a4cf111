"""`http_get`: one request to the host that was judged, over real sockets on this machine."""

import http.server
import threading
import time

import pytest

from tidegate import Context, ToolExecution, ToolRegistry
from tidegate.toolbox.web import MOST_KEPT, web_tool


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers by path, and remembers what was asked."""

    def do_GET(self):
        self.server.asked.append((self.path, self.headers["Host"]))
        if self.path == "/away":
            self.send_response(302)
            self.send_header("Location", "http://169.254.169.254/latest")
            self.end_headers()
        elif self.path == "/big":
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"x" * (MOST_KEPT + 10))
        elif self.path == "/slow":
            self.server.gate.wait(20)
        elif self.path == "/latin":
            self.answer("text/plain; charset=latin-1", "tür".encode("latin-1"))
        else:
            self.answer("text/plain", f"you asked for {self.path}".encode())

    def answer(self, kind, body):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def server():
    """A server on the loopback, which ends with the test."""
    served = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served.asked, served.gate = [], threading.Event()
    thread = threading.Thread(target=served.serve_forever)
    thread.start()
    yield served
    served.gate.set()
    served.shutdown()
    thread.join()
    served.server_close()


def get(url, longest=10.0):
    registry = ToolRegistry(Context())
    registry.register(web_tool(longest))
    return registry.execute_sync(ToolExecution("1", "http_get", {"url": url}))


def test_it_fetches(server):
    """Status, some headers, and the body."""
    text = get(f"http://127.0.0.1:{server.server_port}/a%20b?q=1#part").text

    assert text == "HTTP 200 OK\ncontent-type: text/plain\ncontent-length: 24\n\nyou asked for /a%20b?q=1"
    assert server.asked == [("/a%20b?q=1", f"127.0.0.1:{server.server_port}")]


def test_it_follows_no_redirect(server):
    """Where a redirect leads is told, and nobody goes there."""
    result = get(f"http://127.0.0.1:{server.server_port}/away")

    assert not result.is_error
    assert result.text.startswith("HTTP 302 Found\nlocation: http://169.254.169.254/latest\n")
    assert [path for path, _ in server.asked] == ["/away"]


def test_it_uses_no_proxy(server, monkeypatch):
    """Variables that name a proxy change nothing: the judged host is dialled."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")

    assert "you asked for /" in get(f"http://127.0.0.1:{server.server_port}/").text


def test_a_body_is_bounded(server):
    """Of a large body the beginning is kept, and the end says so."""
    text = get(f"http://127.0.0.1:{server.server_port}/big").text

    assert text.count("x") >= MOST_KEPT
    assert text.endswith(f"[only the first {MOST_KEPT} bytes were kept]")


def test_a_server_that_does_not_answer_is_left(server):
    """The time limit is for the whole answer."""
    begun = time.monotonic()
    result = get(f"http://127.0.0.1:{server.server_port}/slow", longest=0.5)

    assert (result.is_error, result.text) == (True, "Error: there was no answer within 0.5 seconds")
    assert time.monotonic() - begun < 10


def test_the_charset_of_the_answer_counts(server):
    """A body is decoded as the server says, and never fails."""
    assert get(f"http://127.0.0.1:{server.server_port}/latin").text.endswith("tür")


@pytest.mark.parametrize(
    "url",
    [
        "ftp://127.0.0.1/",
        "file:///etc/passwd",
        "http://user@127.0.0.1/",
        "http://127.0.0.1\\@example.com/",
        "http:///",
        "127.0.0.1",
        "",
    ],
)
def test_what_two_clients_could_read_differently_is_not_fetched(url):
    """Nothing is dialled for a URL that is not plain http or https."""
    assert get(url).is_error


@pytest.mark.parametrize("url", ["http://127.0.0.1:{port}\\@example.com/", "http:\\\\127.0.0.1:{port}/"])
def test_a_url_in_doubt_is_not_dialled(server, url):
    """Where two clients could go to two places, nobody goes anywhere."""
    result = get(url.format(port=server.server_port))

    assert "can be read in more than one way" in result.text
    assert server.asked == []


def test_a_refused_connection_is_told(server):
    """A failure names its cause and no traceback."""
    port = server.server_port
    server.server_close()
    result = get(f"http://127.0.0.1:{port}/")

    assert result.is_error
