"""The process that is the resident: it takes its place first, and then loads what judges calls."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import StateError
from ..facts.state import checked_folder
from ..facts.verified import code_digest
from ..resident.asking import is_own_folder
from ..resident.place import Taken, found, listening, locked

if TYPE_CHECKING:
    from ..adapters.hook_answers import Reply
    from ..resident.serving import Begin
    from .hook_kept import Plans

LOOK = 2.0
"""Seconds for which tidegate's own files, once looked at, are taken for unchanged."""


def serve(folder: str, idle: float) -> int:
    """Be the resident of *folder* until nobody has asked for *idle* seconds; exit code 1 where that cannot be."""
    code = code_digest()  # before more of it is loaded, so that whatever changes from here on is noticed
    try:
        is_own_folder(folder)  # is there: a folder that was taken away is not made again
        checked_folder(Path(folder))
        with locked(folder):
            _serve(folder, idle, code)
    except (Taken, StateError, OSError) as error:
        sys.stderr.write(f"tidegate: no resident in `{folder}`: {str(error) or 'another process is it already'}\n")
        return 1
    return 0


def _serve(folder: str, idle: float, code: str) -> None:
    from ..resident.serving import Resident
    from .hook_kept import Plans
    from .version import own_version

    plans, began, version = Plans(), time.monotonic(), own_version()
    with listening(folder) as listener:

        def told() -> bytes:
            said = {
                "pid": os.getpid(),
                "version": version,
                "python": sys.executable,
                "seconds": int(time.monotonic() - began),
                "idle": idle,
                "calls": resident.calls,
                "plans": len(plans),
            }
            return json.dumps(said).encode()

        resident = Resident(listener, _Work(plans), idle, _Outdated(folder, code), told)
        resident.run()


class _Work:
    """Answers hooks as their own processes would."""

    def __init__(self, plans: Plans) -> None:
        self._plans = plans

    def __call__(self, words: Sequence[str], data: bytes, begin: Begin) -> Reply:
        from ..adapters.hook_reply import respond
        from ..resident.serving import Gone
        from .hook import parse
        from .hook_kept import Foreign

        wanted = parse(words)
        if isinstance(wanted, str):
            raise Gone
        try:
            return respond(wanted, data, os.environ, self._plans.engines(begin))
        except Foreign:
            raise Gone from None


class _Outdated:
    """Tells whether tidegate's own files have changed, or something else stands where hooks look for this process."""

    def __init__(self, folder: str, code: str) -> None:
        self._folder = folder
        self._code = code
        self._place = found(folder)
        self._looked = time.monotonic()

    def __call__(self) -> bool:
        if found(self._folder) != self._place:
            return True
        if time.monotonic() - self._looked < LOOK:
            return False
        changed = code_digest() != self._code
        self._looked = time.monotonic()
        return changed
