"""Standard streams of this process, read and written without an event loop that waits for them."""

from __future__ import annotations

import os
import stat
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress

from anyio import (
    BrokenResourceError,
    ClosedResourceError,
    Event,
    Lock,
    WouldBlock,
    create_memory_object_stream,
    fail_after,
    to_thread,
    wait_readable,
    wait_writable,
)

from ...shown import escape

CHUNK = 65_536
SURE = 4_096
"""How many bytes can be written where the system says that some can be."""
WRITE_PATIENCE = 30.0
"""Seconds in which a reader must take what is written, or counts as gone."""
MOST_NOTES = 256
LONGEST_NOTE = 4_000


class Gone(Exception):
    """Whoever was to read has closed the stream, or does not read any more."""


async def chunks(descriptor: int) -> AsyncIterator[bytes]:
    """What can be read from a descriptor, as it comes."""
    while True:
        chunk = await _read(descriptor)
        if not chunk:
            return
        yield chunk


async def _read(descriptor: int) -> bytes:
    if os.name != "posix":
        return await to_thread.run_sync(os.read, descriptor, CHUNK, abandon_on_cancel=True)
    with suppress(PermissionError):  # a plain file, for which nobody has to wait
        await wait_readable(descriptor)
    try:
        return os.read(descriptor, CHUNK)
    except OSError:
        return b""


class Backlog:
    """How many bytes wait to be written to one side; while it is too much, nothing more is read from the other."""

    def __init__(self, most: int) -> None:
        """Have room for *most* bytes, and for one message more."""
        self._most = most
        self._waiting = 0
        self._less = Event()

    @contextmanager
    def holding(self, size: int) -> Iterator[None]:
        """Count so many bytes for as long as they wait."""
        self._waiting += size
        try:
            yield
        finally:
            self._waiting -= size
            self._less.set()
            self._less = Event()

    async def room(self) -> None:
        """Wait until there is room."""
        while self._waiting > self._most:
            await self._less.wait()


class Outlet:
    """A descriptor to which one line after the other is written, each as a whole."""

    def __init__(self, descriptor: int, *, own: bool = False) -> None:
        """Write to *descriptor*; *own* tells that nobody else does, so that it may be told not to block."""
        self._descriptor = descriptor
        self._lock = Lock()
        self._ready = own and os.name == "posix" and _is_pipe(descriptor)
        if self._ready:
            os.set_blocking(descriptor, False)

    async def write(self, data: bytes) -> None:
        """Write *data*.

        Raises:
            Gone: The reader has closed, or takes nothing for too long.
        """
        async with self._lock:
            try:
                # Half a line would spoil what comes after it, so that nobody cancels this.
                with fail_after(WRITE_PATIENCE, shield=True):
                    await self._all(memoryview(data))
            except (OSError, TimeoutError):
                raise Gone from None

    async def _all(self, left: memoryview) -> None:
        while left:
            if os.name != "posix":
                left = left[await to_thread.run_sync(os.write, self._descriptor, left) :]
                continue
            if self._ready:
                with suppress(BlockingIOError):
                    left = left[os.write(self._descriptor, left) :]
                    continue
            with suppress(PermissionError):  # a plain file
                await wait_writable(self._descriptor)
            if not self._ready:
                left = left[os.write(self._descriptor, left[:SURE]) :]


def _is_pipe(descriptor: int) -> bool:
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


class Notes:
    """Lines for the operator, escaped and bounded; where nobody reads them they are dropped, and nothing waits."""

    def __init__(self, outlet: Outlet) -> None:
        self._outlet = outlet
        self._send, self._receive = create_memory_object_stream[str](MOST_NOTES)

    def say(self, text: str) -> None:
        """Put a line of ours down."""
        self.put(f"tidegate: {text}")

    def put(self, text: str) -> None:
        """Put a line down."""
        try:
            self._send.send_nowait(escape(text, LONGEST_NOTE))
        except (WouldBlock, ClosedResourceError, BrokenResourceError):
            return

    async def run(self) -> None:
        """Write the lines until the notes are closed."""
        async with self._receive:
            async for line in self._receive:
                try:
                    await self._outlet.write(f"{line}\n".encode("ascii", "backslashreplace"))
                except Gone:
                    return

    def close(self) -> None:
        """Take no more lines; those that are there are still written."""
        self._send.close()
