"""Remembering which rule sets have had their examples run, so that a hook need not run them again."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path

from ..errors import StateError

MOST = 1_000
"""How many digests are kept."""


class VerifiedFolder:
    """One empty file for each digest, in a folder that belongs to this account alone.

    A digest counts only for the code that verified it: when tidegate itself has changed, examples are run again.
    Whoever can write here could skip examples, and nothing else: rules are always compiled anew.
    """

    def __init__(self, folder: Callable[[], Path]) -> None:
        """Keep digests beneath the folder that *folder* gives; it may raise `StateError`, then nothing is kept."""
        self._folder = folder

    def knows(self, digest: str) -> bool:
        """Whether the examples of this digest held once; never raises."""
        place = self._place(digest)
        return place is not None and place.is_file()

    def note(self, digest: str) -> None:
        """Remember that they held; never raises, since forgetting only costs time."""
        place = self._place(digest)
        if place is not None:
            try:
                place.parent.mkdir(mode=0o700, exist_ok=True)
                _forget_oldest(place.parent)
                place.touch(mode=0o600)
            except OSError:
                return

    def _place(self, digest: str) -> Path | None:
        try:
            name = hashlib.sha256(f"{self._code}:{digest}".encode()).hexdigest()
            return self._folder() / "verified" / name
        except (StateError, OSError):
            return None

    @cached_property
    def _code(self) -> str:
        return code_digest()


def code_digest() -> str:
    """A digest of the names, sizes and times of tidegate's own files."""
    found = sorted(_files(Path(__file__).resolve().parent.parent))
    return hashlib.sha256(repr(found).encode()).hexdigest()


def _files(folder: Path) -> Iterator[tuple[str, int, int]]:
    for entry in os.scandir(folder):
        if entry.is_dir() and entry.name != "__pycache__":
            yield from _files(Path(entry.path))
        elif entry.name.endswith((".py", ".toml")):
            found = entry.stat()
            yield entry.path, found.st_size, found.st_mtime_ns


def _forget_oldest(folder: Path) -> None:
    """Keep the folder small."""
    found = sorted(os.scandir(folder), key=lambda entry: entry.stat().st_mtime)
    for entry in found[: max(0, len(found) - MOST + 1)]:
        Path(entry.path).unlink(missing_ok=True)
