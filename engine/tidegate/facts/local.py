"""The facts of this machine and this process."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from ..errors import StateError
from . import RECORDED, Facts
from .approvals import SqliteApprovals
from .clock import SystemClock
from .counters import Counters, MemoryCounters
from .digests import digest_of
from .files import LocalFiles
from .history import LIVE, History, MemoryHistory, SqliteHistory
from .resolver import SystemResolver
from .state import state_folder, state_path
from .stores import counters_for
from .verified import VerifiedFolder

if TYPE_CHECKING:
    from .database import Database

SESSIONS = "sessions.db"
"""The file beside that of the limits which keeps approvals and what happened in each session."""


def new_id() -> str:
    """A new id that nobody can guess."""
    return os.urandom(16).hex()


def local_facts(state: Path | None = None, closing: ExitStack | None = None) -> Facts:
    """This machine: its clock, disk, variables and resolver, and counters whose files lie in *state*.

    Args:
        state: The folder for what outlives the process; by default that of the account, made when it is needed.
        closing: Closes at its end what was opened; by default that stays open as long as anybody could use it.
    """

    def folder() -> Path:
        return state_folder(os.environ, sys.platform) if state is None else state

    opened: dict[str, Counters] = {RECORDED: MemoryCounters()}
    opening = Lock()

    def counters(store: str) -> Counters:
        with opening:
            if store not in opened:
                opened[store] = counters_for(store, folder, os.environ)
                if closing is not None:
                    closing.callback(opened[store].close)
            return opened[store]

    kept: list[Database] = []

    def database() -> Database:
        from .database import Database

        with opening:
            if not kept:
                kept.append(Database(lambda: folder() / SESSIONS))
                if closing is not None:
                    closing.callback(kept[0].close)
            return kept[0]

    clock = SystemClock()
    histories: dict[str, History] = {LIVE: SqliteHistory(database), RECORDED: MemoryHistory()}
    return Facts(
        clock=clock,
        counters=counters,
        files=LocalFiles(),
        environment=dict(os.environ),
        homes=_homes(),
        cwd=os.getcwd,
        home=str(Path.home()),
        own=_own(state),
        verified=VerifiedFolder(folder),
        resolver=SystemResolver(clock),
        approvals=SqliteApprovals(database, new_id),
        digest=digest_of,
        history=histories.__getitem__,
    )


def _own(state: Path | None) -> tuple[str, ...]:
    """The folder of state, which no judged call may change; none where the account has no place for one."""
    try:
        return ((state or state_path(os.environ, sys.platform)).as_posix(),)
    except StateError:
        return ()


def _homes() -> dict[str, str]:
    """The home folders of all accounts, where the system tells them."""
    try:
        import pwd
    except ImportError:
        return {}
    return {entry.pw_name: entry.pw_dir for entry in pwd.getpwall()}
