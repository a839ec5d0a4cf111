"""Processes that compare: each has its own chunks, and never more of them waiting than it takes to stay busy."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from types import TracebackType
from typing import Any, Self

from ...errors import TidegateError
from .comparing import Comparison, Task
from .entry import Entry, Piece
from .tally import Tally

Chunk = Sequence[Piece | Entry]

AHEAD = 2
"""Chunks that a worker may have: one under way, and one that waits."""


class WorkerLost(TidegateError):
    """A worker ended before its work was done, so that nothing is known of its calls."""

    code = "WORKER_LOST"


class Crew:
    """Some workers with what they have to do.

    Hardly anything comes back before the end, so that no pipe is ever full in both directions.
    """

    def __init__(self, task: Task, workers: int) -> None:
        """Start the workers; each compiles the rules for itself."""
        context = get_context("spawn")
        self._pending: dict[Connection, int] = {}
        self._processes = []
        for _ in range(workers):
            mine, theirs = context.Pipe()
            process = context.Process(target=work, args=(theirs, task), daemon=True)
            process.start()
            theirs.close()
            self._processes.append(process)
            self._pending[mine] = 0
        self._connections = tuple(self._pending)

    def give(self, chunk: Chunk, worker: int | None = None) -> None:
        """Hand out a chunk, to one worker or to whoever has the least to do; waits until there is room.

        Raises:
            WorkerLost: A worker has ended.
        """
        while True:
            named = self._connections if worker is None else (self._connections[worker],)
            least = min(named, key=self._pending.__getitem__)
            if self._pending[least] < AHEAD:
                break
            self._hear(named)
        self._pending[least] += 1
        self._send(least, chunk)

    def end(self) -> Tally:
        """What all of them have counted, once they are done.

        Raises:
            WorkerLost: A worker has ended before.
        """
        while any(self._pending.values()):
            self._hear([connection for connection, pending in self._pending.items() if pending])
        tally = Tally()
        for connection in self._connections:
            self._send(connection, None)
            tally.add(self._received(connection))
        return tally

    def _hear(self, connections: Sequence[Connection]) -> None:
        for connection in wait(connections):
            assert isinstance(connection, Connection)  # noqa: S101 - only such were waited for
            self._received(connection)
            self._pending[connection] -= 1

    def _send(self, connection: Connection, what: Chunk | None) -> None:
        try:
            connection.send(what)
        except OSError:
            raise WorkerLost(_LOST) from None

    def _received(self, connection: Connection) -> Any:
        try:
            return connection.recv()
        except (EOFError, OSError):
            raise WorkerLost(_LOST) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for process in self._processes:
            if error is not None:
                process.terminate()
            process.join()
        for connection in self._connections:
            connection.close()


_LOST = "a process that judged calls has ended before it was done; see above why, or use `--workers 1`"


def work(connection: Connection, task: Task) -> None:
    """Compare what comes until nothing more does, and send what came of it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started this process ends it
    comparison = Comparison(task)
    while (chunk := connection.recv()) is not None:
        comparison.take(chunk)
        connection.send(len(chunk))
    connection.send(comparison.tally)
