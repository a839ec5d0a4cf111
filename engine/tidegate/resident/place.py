"""Where a resident listens: a folder of its user alone, a lock that one process holds, and a socket."""

from __future__ import annotations

import os
import pwd
import socket
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..errors import StateError
from ..facts.state import checked_folder
from .asking import LONGEST_PATH, is_own_folder, own_name

IDLE = 600.0
"""Seconds without a hook after which a resident is gone."""

_WAITING = 128
_LOCALE = ("LC_ALL", "LC_CTYPE", "LANG")

PROGRAM = Path(__file__).resolve().parent.parent / "hook_program.py"
SERVE, READY = "--serve", "--ready"
"""The first words with which that program becomes the resident, or only says by its exit code that it could decide."""


class Taken(Exception):
    """Another process is the resident, or is about to be."""


def start(folder: str, idle: float = IDLE) -> bool:
    """Start a resident in the background; whether one was started, which may still find that another is faster.

    It is in a session of its own, with no descriptor and no variable of this process but those of its locale.
    """
    try:
        checked_folder(Path(folder))
        with locked(folder):
            pass
    except (StateError, Taken, OSError):
        return False
    child = os.fork()
    if child == 0:
        _leave([sys.executable, "-I", "-S", str(PROGRAM), SERVE, folder, f"{idle:g}"])
    os.waitpid(child, 0)
    return True


def _leave(words: list[str]) -> None:
    """In a child: become a process of its own; never returns."""
    try:
        os.setsid()
        if os.fork() == 0:
            nothing = os.open(os.devnull, os.O_RDWR)
            for descriptor in (0, 1, 2):
                os.dup2(nothing, descriptor)
            os.closerange(3, os.sysconf("SC_OPEN_MAX"))
            os.chdir("/")
            environ = {name: os.environ[name] for name in _LOCALE if name in os.environ}
            os.execve(  # noqa: S606 - this very Python and our own program
                words[0], words, {**environ, "HOME": pwd.getpwuid(os.geteuid()).pw_dir}
            )
    finally:
        os._exit(0)


@contextmanager
def locked(folder: str) -> Iterator[None]:
    """Hold the lock of the resident of this version.

    Raises:
        Taken: Another process holds it.
        OSError: It cannot be had.
    """
    import fcntl

    how = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(f"{folder}/{own_name()}.lock", how, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Taken from None
        yield
    finally:
        os.close(descriptor)


@contextmanager
def listening(folder: str) -> Iterator[socket.socket]:
    """The socket at which this version is asked; whoever calls holds the lock (`locked`).

    Raises:
        StateError: The folder is not safe, the path too long, or something else stands in the place of the socket.
        OSError: The system refuses.
    """
    path = Path(folder, own_name())
    if not is_own_folder(folder):  # it was checked and made before; one that has gone since is not made again
        raise StateError(f"`{folder}` does not belong to its user alone")
    if len(os.fsencode(path)) > LONGEST_PATH:
        raise StateError(f"the path `{path}` is too long for a socket; name a shorter folder with `--resident`")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        _clear(path)
        mask = os.umask(0o177)
        try:
            listener.bind(str(path))
        finally:
            os.umask(mask)
        listener.listen(_WAITING)
        own = found(folder)
        try:
            yield listener
        finally:
            if found(folder) == own:
                with suppress(FileNotFoundError):
                    path.unlink()


def found(folder: str) -> int | None:
    """The number of the file at which hooks look for the resident of this version, `None` where there is none."""
    try:
        return Path(folder, own_name()).lstat().st_ino
    except OSError:
        return None


def _clear(path: Path) -> None:
    """Take away the socket that a resident left behind; nothing else is touched."""
    try:
        left = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(left.st_mode) or left.st_uid != os.geteuid():
        raise StateError(f"`{path}` is no socket of this user, and a resident listens nowhere else; take it away")
    path.unlink()
