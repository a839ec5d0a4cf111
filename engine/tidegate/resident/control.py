"""Residents as a person sees them: which there are, what they say of themselves, and how to end them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

from .asking import ANSWER, PATIENCE, connected, exactly, own_name, packed, received

_NAME = re.compile("[0-9a-f]{16}")


class Found(NamedTuple):
    """A place at which a resident listens: its name, whether it is that of this version, and what it says."""

    name: str
    own: bool
    said: dict[str, Any] | None


def residents(folder: str) -> Iterator[Found]:
    """Every place in *folder*, also those of other versions; what does not answer says nothing."""
    try:
        names = sorted(entry.name for entry in Path(folder).iterdir() if _NAME.fullmatch(entry.name))
    except OSError:
        return
    for name in names:
        said = told(folder, name, b"status")
        yield Found(name, name == own_name(), None if said is None else json.loads(said))


def told(folder: str, name: str, what: bytes) -> bytes | None:
    """What the resident *name* says to `status` or `stop`, `None` where none answers."""
    try:
        connection = connected(folder, name)
        if connection is None:
            return None
        try:
            connection.sendall(packed([what]))
            deadline = monotonic() + PATIENCE
            return received(connection, deadline)[0] if exactly(connection, 1, deadline) == ANSWER else None
        finally:
            connection.close()
    except (OSError, ValueError):
        return None
