"""The facts of this machine and this process."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from . import Facts
from .clock import SystemClock
from .counters import Counters
from .files import LocalFiles
from .stores import counters_for


def local_facts(state: Path | None = None) -> Facts:
    """This machine: its clock, disk and variables, and counters whose files lie in *state*.

    Args:
        state: The folder for what outlives the process; by default that of the account.
    """
    clock = SystemClock()

    @cache
    def counters(store: str) -> Counters:
        return counters_for(store, state)

    return Facts(
        clock=clock,
        counters=counters,
        files=LocalFiles(),
        environment=dict(os.environ),
        homes=_homes(),
        cwd=os.getcwd,
        home=str(Path.home()),
        own=(),
    )


def _homes() -> dict[str, str]:
    """The home folders of all accounts, where the system tells them."""
    try:
        import pwd
    except ImportError:
        return {}
    return {entry.pw_name: entry.pw_dir for entry in pwd.getpwall()}
