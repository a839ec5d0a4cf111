"""Opening a path beneath a root, so that no link swapped in meanwhile can lead out of it."""

from __future__ import annotations

import errno
import os
import sys

from ..errors import UnsafePath

MOST_LINKS = 40
_MOST_TRIES = 16
_OPENAT2 = 437
_NO_MAGIC_LINKS = 0x02
_BENEATH = 0x08
_ESCAPES = frozenset({errno.EXDEV, errno.ELOOP, errno.EAGAIN})
_MISSING_CALL = frozenset({errno.ENOSYS, errno.EPERM})
_IS_LINK = frozenset({errno.ELOOP, errno.ENOTDIR, errno.EMLINK})


def open_beneath(root: str, path: str, flags: int, mode: int = 0o666) -> int:
    """Open *path* beneath the directory *root* and return its descriptor, which no child process inherits.

    Links are followed as long as they stay beneath the root; absolute ones do not. An absolute *path* must begin
    with *root* as it is spelled. The check and the opening are one: on Linux the kernel does both (`openat2`),
    elsewhere each directory is opened from the one above it.

    Args:
        root: The directory; links in its own path are followed.
        path: The path, relative to the root or beginning with it.
        flags: As for `os.open`.
        mode: Permissions of a file that is made.

    Raises:
        UnsafePath: The path leaves the root, or the system has no way to make sure that it does not.
        OSError: The path cannot be opened for any other reason.
    """
    inner = _inner(root, path)
    top = os.open(root, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    try:
        if sys.platform == "linux":
            opened = _by_kernel(top, inner, flags, mode)
            if opened is not None:
                return opened
        return open_stepwise(top, inner, flags, mode)
    except OSError as error:
        if error.errno in _ESCAPES:
            raise UnsafePath(f"`{path}` leaves `{root}`") from error
        raise
    finally:
        os.close(top)


def _inner(root: str, path: str) -> str:
    """The path relative to the root; nothing is folded."""
    if "\0" in path or not path:
        raise UnsafePath("the path is empty or holds a NUL")
    if not path.startswith("/"):
        return path
    base = root.rstrip("/")
    if path.rstrip("/") == base:
        return "."
    if not path.startswith(f"{base}/"):
        raise UnsafePath(f"`{path}` leaves `{root}`")
    return path[len(base) :].lstrip("/") or "."


def _by_kernel(top: int, path: str, flags: int, mode: int) -> int | None:
    """Open with `openat2`, `None` where the system has or allows no such call."""
    import ctypes

    class How(ctypes.Structure):
        _fields_ = [("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64)]

    makes = os.O_CREAT | (os.O_TMPFILE & ~os.O_DIRECTORY)
    how = How(flags | os.O_CLOEXEC, mode & 0o7777 if flags & makes else 0, _BENEATH | _NO_MAGIC_LINKS)
    call = ctypes.CDLL(None, use_errno=True).syscall
    for _ in range(_MOST_TRIES):  # a rename elsewhere makes the kernel give up on `..`
        opened: int = call(_OPENAT2, top, os.fsencode(path), ctypes.byref(how), ctypes.sizeof(how))
        if opened >= 0:
            return opened
        number = ctypes.get_errno()
        if number in _MISSING_CALL:
            return None
        if number != errno.EAGAIN:
            break
    raise OSError(number, os.strerror(number), path)


def open_stepwise(top: int, path: str, flags: int, mode: int) -> int:
    """Open *path* beneath the directory *top* one component after the other, never following a link unseen.

    Raises:
        UnsafePath: The path leaves the directory, or the system cannot open relative to a directory.
        OSError: The path cannot be opened for any other reason.
    """
    if os.open not in os.supports_dir_fd or os.readlink not in os.supports_dir_fd:
        raise UnsafePath("this system cannot open a path beneath a root without a race")
    above = [os.dup(top)]
    try:
        return _step(above, path, flags, mode)
    finally:
        for descriptor in above:
            os.close(descriptor)


def _step(above: list[int], path: str, flags: int, mode: int) -> int:
    """Walk down from the last of *above*, which holds the open directories from the top to where the walk is."""
    pending = path.split("/")[::-1]
    hops = 0
    while pending:
        name = pending.pop()
        if name == "..":
            if len(above) == 1:
                raise UnsafePath(f"`{path}` leaves the root")
            os.close(above.pop())
        if name in ("", ".", ".."):
            continue
        how = flags if not pending else os.O_RDONLY | os.O_DIRECTORY
        try:
            opened = os.open(name, how | os.O_NOFOLLOW, mode, dir_fd=above[-1])
        except OSError as error:
            target = _link(name, above[-1]) if error.errno in _IS_LINK else None
            hops += 1
            if target is None:
                raise
            if target.startswith("/") or hops > MOST_LINKS or (flags & os.O_NOFOLLOW and not pending):
                raise UnsafePath(f"`{path}` leaves the root") from error
            pending += target.split("/")[::-1]
            continue
        if not pending:
            return opened
        above.append(opened)
    return os.open(".", flags, mode, dir_fd=above[-1])


def _link(name: str, directory: int) -> str | None:
    try:
        return os.readlink(name, dir_fd=directory)
    except OSError:
        return None
