"""Server-sent events, as far as MCP uses them: the data of each event is one message.

Source: the HTML standard, "Server-sent events"; fields other than `data` say nothing that the proxy needs.
"""

from __future__ import annotations

from .wire import MOST_BYTES, Lines

TYPE = "text/event-stream"


def event(data: bytes) -> bytes:
    """An event with that data, which is one line."""
    return b"event: message\ndata: " + data + b"\n\n"


class Events:
    """Cuts a stream of bytes into the data of events, and never keeps more of it than *most* bytes.

    Data that is longer comes as `None`.
    """

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._lines = Lines(most + len(b"data: "), empty=True)
        self._data: list[bytes] = []
        self._size = 0
        self._beyond = False

    def feed(self, chunk: bytes) -> list[bytes | None]:
        """The data of the events that end in *chunk*, without empty ones."""
        found: list[bytes | None] = []
        for line in self._lines.feed(chunk):
            if line is None:
                self._beyond = True
            elif line.strip(b"\r"):
                self._field(line.rstrip(b"\r"))
            else:
                self._end(found)
        return found

    def _field(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        if name != b"data":
            return
        value = value.removeprefix(b" ")
        self._size += len(value) + 1
        if self._size > self._most + 1:
            self._beyond = True
            self._data.clear()
        elif not self._beyond:
            self._data.append(value)

    def _end(self, found: list[bytes | None]) -> None:
        if self._beyond:
            found.append(None)
        elif any(self._data):
            found.append(b"\n".join(self._data))
        self._data.clear()
        self._size, self._beyond = 0, False
