"""The store of counters that a rule names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..errors import StoreError
from .clock import uptime
from .counters import Counters, MemoryCounters
from .state import checked_folder


def counters_for(store: str, state: Callable[[], Path]) -> Counters:
    """Open the store named `memory`, `sqlite` or `sqlite:PATH`.

    Each call makes counters of their own; who wants limits to outlive a reload keeps them. *state* gives the folder
    for `sqlite` and is asked for nothing else.

    Raises:
        StoreError: There is no such store, or PATH is not absolute.
        StateError: The folder of the file is not safe.
    """
    if store == "memory":
        return MemoryCounters()
    scheme, _, named = store.partition(":")
    if scheme != "sqlite" or store == "sqlite:":
        raise StoreError(f"there is no store of counters `{store}`; there are `memory`, `sqlite` and `sqlite:PATH`")
    path = Path(named) if named else state() / "limits.db"
    if not path.is_absolute():
        raise StoreError(f"the path of the store of counters `{store}` is not absolute")
    checked_folder(path.parent)
    from .sqlite_counters import SqliteCounters

    return SqliteCounters(path, uptime)
