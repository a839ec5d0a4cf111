"""Where examples are kept between runs, so that what one run found another tries first."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from hypothesis.database import DirectoryBasedExampleDatabase, ExampleDatabase


class Shelf(ExampleDatabase):
    """The part of a database that one search keeps apart: Hypothesis forgets what does not fail any more.

    A search that passes over what is known already must not make the one forget that found it.
    """

    def __init__(self, whole: ExampleDatabase, about: Iterable[object]) -> None:
        super().__init__()
        self._whole = whole
        self._prefix = hashlib.sha256(repr(list(about)).encode()).digest()[:16]

    def fetch(self, key: bytes) -> Iterable[bytes]:
        """The examples under a key."""
        return self._whole.fetch(self._prefix + key)

    def save(self, key: bytes, value: bytes) -> None:
        """Keep an example under a key."""
        self._whole.save(self._prefix + key, value)

    def delete(self, key: bytes, value: bytes) -> None:
        """Forget an example under a key."""
        self._whole.delete(self._prefix + key, value)


def database_at(place: str | None) -> ExampleDatabase | None:
    """The database at a place: a folder, or a Redis by its URL; none where no place is named.

    Raises:
        ImportError: A Redis is named, and the extra `redis` is not installed.
        ValueError: The URL is none.
    """
    if place is None:
        return None
    if place.startswith(("redis://", "rediss://", "unix://")):
        from hypothesis.extra.redis import RedisExampleDatabase
        from redis import Redis

        return RedisExampleDatabase(Redis.from_url(place), key_prefix=b"tidegate-fuzz:")
    return DirectoryBasedExampleDatabase(place)
