"""Work that must end in an answer: in time, and also if the process that does it dies."""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Callable
from time import monotonic

MOST_READ = 64 * 1024 * 1024 + 1
"""How many bytes of standard input are read; one more than any caller takes."""


_DONE = b"\0"
"""Ends an answer that is whole; an answer never holds it."""


class Late(Exception):
    """The time was up before there was anything to answer with."""


class Died(Exception):
    """Whoever did the work ended without an answer."""


def read_input(deadline: float) -> bytes:
    """Standard input to its end, or to `MOST_READ`; *deadline* is by `time.monotonic`.

    Raises:
        Late: It did not end in time.
    """
    if os.name != "posix":
        return sys.stdin.buffer.read(MOST_READ)
    chunks, size = [], 0
    while size < MOST_READ:
        _wait(sys.stdin.fileno(), deadline)
        chunk = os.read(sys.stdin.fileno(), 1024 * 1024)
        if not chunk:
            break
        chunks.append(chunk)
        size += len(chunk)
    return b"".join(chunks)


def watched(work: Callable[[], bytes], deadline: float) -> bytes:
    """What *work* returns, done in a process of its own where the system can fork, else in a thread.

    Raises:
        Late: It took too long; on a system that cannot fork it goes on until this process exits.
        Died: It raised, or its process ended otherwise.
    """
    return _in_process(work, deadline) if hasattr(os, "fork") else _in_thread(work, deadline)


def _in_process(work: Callable[[], bytes], deadline: float) -> bytes:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _be_child(work, reading, writing)
    os.close(writing)
    try:
        answer = _read_all(reading, deadline)
    except Late:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise
    finally:
        os.close(reading)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0 or not answer.endswith(_DONE):
        raise Died
    return answer.removesuffix(_DONE)


def _be_child(work: Callable[[], bytes], reading: int, writing: int) -> None:
    """Do the work and end; what it prints must not get into the answer, so it goes where errors go."""
    code = 1
    try:
        os.close(reading)
        os.dup2(2, 1)
        answer = work() + _DONE
        while answer:
            answer = answer[os.write(writing, answer) :]
        code = 0
    finally:
        os._exit(code)


def _read_all(descriptor: int, deadline: float) -> bytes:
    chunks: list[bytes] = []
    while True:
        _wait(descriptor, deadline)
        chunk = os.read(descriptor, 1024 * 1024)
        if not chunk:
            return b"".join(chunks)
        chunks.append(chunk)


def _wait(descriptor: int, deadline: float) -> None:
    left = deadline - monotonic()
    if left <= 0 or not select.select([descriptor], [], [], left)[0]:
        raise Late


def _in_thread(work: Callable[[], bytes], deadline: float) -> bytes:
    from threading import Thread

    answers: list[bytes] = []
    thread = Thread(target=lambda: answers.append(work()), daemon=True)
    thread.start()
    thread.join(max(deadline - monotonic(), 0))
    if answers:
        return answers[0]
    raise Late if thread.is_alive() else Died
