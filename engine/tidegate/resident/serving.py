"""A resident at work: one hook after the other, each in the folder and with the variables of that hook.

A call is judged only when the hook has said that it still waits (`Gone`), and never longer than it waits: an alarm
ends this process then, as the hook ends the process in which it judges by itself. What is not understood is not
answered, so that the hook decides; what should not happen at all ends the process.
"""

from __future__ import annotations

import io
import os
import select
import signal
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout

from attrs import define, field

from ..adapters.hook_answers import Reply
from . import asking
from .peers import World

TICK = 5.0
"""Seconds between two looks at whether this process is still wanted."""

_MOST = 2 * asking.LARGEST

Begin = Callable[[bool], None]
"""Called once before a call is judged, with whether that counts; raises `Gone` where it must not be."""

Work = Callable[[Sequence[str], bytes, Begin], Reply]
"""Answers a hook by its words and its event, or raises `Gone`."""


class Gone(BaseException):
    """Nobody waits for this answer any more, or this process had better not give it.

    What turns every error into a refusal must let this pass: the hook decides by itself.
    """


@define
class Resident:
    """Answers hooks until nobody has asked for *idle* seconds, it is told to stop, or it is *outdated*.

    Who is not of its *world* gets no answer. `told` gives what `status` says; `calls` is the number of hooks answered.
    """

    listener: socket.socket
    work: Work
    idle: float
    outdated: Callable[[], bool]
    told: Callable[[], bytes]
    world: World = field(factory=World.own)
    calls: int = field(default=0, init=False)
    _asked: float = field(factory=time.monotonic, init=False)
    _stopped: bool = field(default=False, init=False)

    def run(self) -> None:
        """Answer until it is time to go."""
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        while not self._stopped:
            if select.select([self.listener], [], [], min(TICK, self.idle))[0]:
                self._accept()
            if time.monotonic() - self._asked >= self.idle or self.outdated():
                return

    def _accept(self) -> None:
        connection, _ = self.listener.accept()
        with connection:
            connection.settimeout(asking.PATIENCE)
            signal.setitimer(signal.ITIMER_REAL, asking.SECONDS)
            try:
                if self.world.holds(connection):
                    self._converse(connection)
            except (OSError, ValueError, Gone):
                pass  # the hook has gone, or will go its own way when the connection ends
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)

    def _converse(self, connection: socket.socket) -> None:
        match _fields(connection):
            case [b"hook", token, cwd, words, environ, data]:
                if token == asking.own_token():
                    self._asked = time.monotonic()
                    _move(cwd, environ)
                    self._answer(connection, os.fsdecode(words).split("\0"), data)
            case [b"status"]:
                _send(connection, Reply(self.told()))
            case [b"stop"]:
                self._stopped = True
                _send(connection, Reply(b""))

    def _answer(self, connection: socket.socket, words: Sequence[str], data: bytes) -> None:
        def begin(counts: bool) -> None:
            connection.sendall(asking.COUNTS if counts else asking.READY)
            left = int.from_bytes(asking.exactly(connection, 4, time.monotonic() + asking.PATIENCE), "big")
            signal.setitimer(signal.ITIMER_REAL, max(left, 1) / 1000)

        raw = io.BytesIO()
        written = io.TextIOWrapper(raw, encoding="utf-8", errors="backslashreplace", write_through=True)
        with redirect_stdout(written), redirect_stderr(written):
            reply = self.work(words, data, _once(begin))
        self.calls += 1
        _send(connection, reply._replace(stderr=raw.getvalue() + reply.stderr))


def _once(begin: Begin) -> Begin:
    """*begin* with every failure of the connection told as `Gone`, which no rule can catch."""

    def begun(counts: bool) -> None:
        try:
            begin(counts)
        except (OSError, ValueError):
            raise Gone from None

    return begun


def _fields(connection: socket.socket) -> list[bytes]:
    """The fields of a message.

    Raises:
        OSError, ValueError: It does not come in time, is too large, or is none.
    """
    until = time.monotonic() + asking.PATIENCE
    size = int.from_bytes(asking.exactly(connection, 4, until), "big")
    if size > _MOST:
        raise ValueError
    whole = io.BytesIO(asking.exactly(connection, size, until))
    fields = []
    while header := whole.read(4):
        length = int.from_bytes(header, "big")
        fields.append(whole.read(length))
        if len(fields[-1]) != length:
            raise ValueError
    return fields


def _send(connection: socket.socket, reply: Reply) -> None:
    header = b"".join(number.to_bytes(4, "big") for number in (len(reply.stdout), len(reply.stderr), reply.code))
    connection.settimeout(asking.PATIENCE)
    connection.sendall(asking.ANSWER + header + reply.stdout + reply.stderr + asking.END)


def _move(cwd: bytes, environ: bytes) -> None:
    """Take on the folder and the variables of a hook.

    Raises:
        OSError, ValueError: That cannot be done.
    """
    os.chdir(cwd)
    variables = dict(line.split(b"=", 1) for line in environ.split(b"\0") if line)
    os.environb.clear()
    os.environb.update(variables)
    time.tzset()
