"""Who is on the other side: a hook may only ask a process that sees and may do what the hook itself sees and may do.

Otherwise a process that was shut into a sandbox could have the resident, which was not, read and write for it; and a
path could mean another file to one than to the other. What the kernel says is compared, not what the hook says.
"""

from __future__ import annotations

import os
import socket
import sys

from attrs import frozen

from .asking import peer

_SPACES = ("mnt", "net", "pid", "user")
_LINES = ("Uid", "Gid", "Groups", "CapEff", "NoNewPrivs", "Seccomp", "Seccomp_filters")


@frozen
class World:
    """What a process sees and may do, as far as the system tells.

    That is its user, and on Linux its namespaces, root folder, groups, capabilities and filters.
    """

    user: int
    seen: tuple[str, ...] = ()

    @classmethod
    def own(cls) -> World:
        """That of this process.

        Raises:
            OSError: The system does not tell.
        """
        return cls(os.geteuid(), _seen("self"))

    @classmethod
    def beyond(cls, connection: socket.socket) -> World | None:
        """That of the process that connected, `None` where the system tells nothing of it.

        Raises:
            OSError: It has ended, or does not let itself be looked at.
        """
        found = peer(connection)
        return None if found is None else cls(found[1], _seen(str(found[0])))

    def holds(self, connection: socket.socket) -> bool:
        """Whether a process of this world connected; where nothing is told, the folder of the socket has to do.

        Raises:
            OSError: The process has ended, or does not let itself be looked at.
        """
        other = World.beyond(connection)
        return other is None or other == self


def _seen(process: str) -> tuple[str, ...]:
    if not sys.platform.startswith("linux"):
        return ()
    home = f"/proc/{process}"
    root = os.stat(f"{home}/root/")  # noqa: PTH116 - a text, as all names here
    with open(f"{home}/status", encoding="ascii", errors="replace") as status:  # noqa: PTH123
        lines = [line for line in status if line.partition(":")[0] in _LINES]
    spaces = [os.readlink(f"{home}/ns/{name}") for name in _SPACES]  # noqa: PTH115
    return (f"{root.st_dev} {root.st_ino}", *spaces, *lines)
