"""Words of `tar`: the archive is read or written as the mode says."""

from __future__ import annotations

from collections.abc import Mapping

from ..paths import resolve
from ..urls import read_host
from .entry import Part
from .run import Handler, Item, Run
from .text import cut

_WRITING = ("--create", "--append", "--update", "--concatenate", "--delete")


def _archive(run: Run, _part: Part, item: Item) -> None:
    """`-f FILE`, seen from where `tar` starts, not from where `-C` leads; `HOST:FILE` is on another host."""
    if item.value == "-":
        return
    host = cut(item.value, ":")
    if host is not None and "/" not in host[0] and run.found("--force-local") is None:
        run.say("connect", read_host(host[0], "ssh", 22), item)
        return
    path = resolve(item.value, run.command.cwds, run.scene)
    writing = any(run.found(mode) is not None for mode in _WRITING)
    run.do("write" if writing else "read", path, item)


ARCHIVE_ROLES: Mapping[str, Handler] = {"archive": _archive}
