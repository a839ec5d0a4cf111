"""The command line of the program that asks a resident, for whoever installs hooks."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_WAIT = 30.0


def quick_command(words: Sequence[str]) -> list[str] | None:
    """The command that answers a hook through a resident, else by itself as `tidegate hook` does with these *words*.

    `None` where there is no such thing: on Windows, for an account without a home, and where this Python finds
    tidegate's packages only by a variable such as `PYTHONPATH`, which the program does not look at.
    """
    if sys.platform == "win32":
        return None
    from ..resident.asking import account_folder
    from ..resident.place import PROGRAM, READY

    folder = account_folder()
    start = [sys.executable, "-I", "-S", str(PROGRAM)]
    if folder is None or not Path(sys.executable).is_file() or not _runs([*start, READY]):
        return None
    return [*start, *words, "--resident", folder]


def _runs(command: Sequence[str]) -> bool:
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_WAIT, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
