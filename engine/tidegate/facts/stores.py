"""The store of counters that a rule names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from ..errors import StoreError
from .clock import uptime
from .counters import Counters, MemoryCounters
from .state import checked_folder

_URL = re.compile(r"(?:redis|rediss|valkey|valkeys)://.+")


def counters_for(store: str, state: Callable[[], Path], environ: Mapping[str, str]) -> Counters:
    """Open the store that a rule names: `memory`, `sqlite`, `sqlite:PATH`, `redis`, `valkey` or the URL of one.

    Each call makes counters of their own; who wants limits to outlive a reload keeps them.

    Args:
        store: The name. `redis` and `valkey` stand for the URL in the variable `TIDEGATE_REDIS_URL` and
            `TIDEGATE_VALKEY_URL`, where a password may stand.
        state: Gives the folder for `sqlite`, and is asked for nothing else.
        environ: The variables of this process.

    Raises:
        StoreError: There is no such store, PATH is not absolute, or the variable is not set.
        StateError: The folder of the file is not safe.
    """
    if store == "memory":
        return MemoryCounters()
    if store in ("redis", "valkey"):
        variable = f"TIDEGATE_{store.upper()}_URL"
        url = environ.get(variable, "")
        if not _URL.fullmatch(url):
            raise StoreError(f"the environment variable `{variable}` holds no URL such as `redis://localhost:6379/0`")
        return _on_server(url)
    if _URL.fullmatch(store):
        return _on_server(store)
    scheme, _, named = store.partition(":")
    if scheme != "sqlite" or store == "sqlite:":
        raise StoreError(
            "there is no such store of counters; there are `memory`, `sqlite`, `sqlite:PATH`, `redis`, `valkey` and "
            "URLs of the last two"
        )
    return _in_file(Path(named) if named else state() / "limits.db")


def _on_server(url: str) -> Counters:
    from .redis_counters import RedisCounters

    return RedisCounters(re.sub("^valkey", "redis", url))


def _in_file(path: Path) -> Counters:
    if not path.is_absolute():
        raise StoreError(f"the path of the store of counters `{path}` is not absolute")
    checked_folder(path.parent)
    from .sqlite_counters import SqliteCounters

    return SqliteCounters(path, uptime)
