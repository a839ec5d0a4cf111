"""A replay from beginning to end: sources are read chunk by chunk, by this process or by several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from zlib import crc32

from attrs import frozen

from .comparing import Comparison, Task
from .crew import Crew
from .entry import Entry, Piece
from .sources import Source
from .tally import Tally

CHUNK = 500
CHUNK_BYTES = 1 << 20
"""How many pieces are handed out together, and past how many bytes there are fewer."""

FEW = 4 * CHUNK
"""Fewer pieces than these are judged before another process would have started."""


@frozen
class Replayed:
    """What a replay came to, and by how many processes; `counted` tells whether rules counted calls."""

    tally: Tally
    sources: tuple[str, ...]
    workers: int
    counted: bool


def replay(task: Task, sources: Sequence[Source], workers: int | None, cores: int, step: Step) -> Replayed:
    """Compare all calls of the sources.

    Where rules count, one process is exact, and is what is taken unless *workers* says otherwise; then the calls of one
    session stay together in their order, and what is counted over several sessions is counted by each process for
    itself. Where rules count nothing, all of *cores* share the work, and the outcome is the same for any number.

    Args:
        task: What is compared.
        sources: Where the calls are, in the order in which they are taken.
        workers: How many processes, `None` for what is best.
        cores: How many there are of them at most where nobody says.
        step: Called with the size of every piece that has been handed out.

    Raises:
        TidegateError: A source cannot be read, or a process has ended too early.
    """
    counts = task.counts
    pieces = _stepped(sources, step)
    number = workers
    if number is None:
        first = next(_in_chunks(pieces, FEW), [])
        number = 1 if counts or _is_few(first) else cores
        pieces = chain(first, pieces)
    if number == 1:
        comparison = Comparison(task)
        comparison.take(pieces)
        tally = comparison.tally
    else:
        with Crew(task, number) as crew:
            for worker, chunk in _by_session(task, pieces, number) if counts else _for_anybody(pieces):
                crew.give(chunk, worker)
            tally = crew.end()
    return Replayed(tally, task.sources, number, counts)


Step = Callable[[int], None]


def _is_few(pieces: Sequence[Piece]) -> bool:
    return len(pieces) < FEW and sum(piece.size for piece in pieces) < CHUNK_BYTES


def _stepped(sources: Iterable[Source], step: Step) -> Iterator[Piece]:
    """All pieces in their order."""
    for source in sources:
        for piece in source.pieces:
            yield piece
            step(piece.size)


def _in_chunks(pieces: Iterable[Piece], most: int = CHUNK) -> Iterator[list[Piece]]:
    chunk: list[Piece] = []
    size = 0
    for piece in pieces:
        chunk.append(piece)
        size += piece.size
        if len(chunk) >= most or size >= CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _for_anybody(pieces: Iterable[Piece]) -> Iterator[tuple[None, list[Piece]]]:
    """Chunks for whoever has time; the pieces are read there."""
    return ((None, chunk) for chunk in _in_chunks(pieces))


def _by_session(task: Task, pieces: Iterable[Piece], workers: int) -> Iterator[tuple[int, list[Entry]]]:
    """Chunks for the worker that has their sessions; calls without any are together, and so is what is no call."""
    waiting: list[list[Entry]] = [[] for _ in range(workers)]
    for piece in pieces:
        for entry in task.entries(piece):
            session = entry.call.session if entry.call is not None else None
            worker = 0 if session is None else crc32(session.encode()) % workers
            waiting[worker].append(entry)
            if len(waiting[worker]) >= CHUNK:
                yield worker, waiting[worker]
                waiting[worker] = []
    yield from ((worker, chunk) for worker, chunk in enumerate(waiting) if chunk)
