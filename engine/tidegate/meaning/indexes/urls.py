"""Many patterns of URLs, of which a URL finds those that could name it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..effects import UrlTarget
from ..globs import GlobSet
from ..hosts import unicode_name
from ..lookalikes import fold
from ..urlpatterns import UrlPattern, upside_down


class UrlIndex:
    """Patterns of URLs by their hosts, each with the number of what it belongs to."""

    __slots__ = ("_addresses", "_exact", "_numbers", "_wide")

    def __init__(self, patterns: Sequence[tuple[UrlPattern, int]]) -> None:
        """Take *patterns* with their numbers."""
        self._numbers = tuple(number for _, number in patterns)
        hosts = [pattern.parts.host for pattern, _ in patterns]
        self._exact = GlobSet([exact for exact, _ in hosts])
        self._wide = GlobSet([wide for _, wide in hosts])
        # An address stands in others as well (`::ffff:10.0.0.1`), which their text does not show.
        self._addresses = frozenset(number for pattern, number in patterns if pattern.parts.address is not None)

    def possible(self, target: UrlTarget) -> Iterable[int] | None:
        """The numbers of all patterns that could name a reading of *target*, `None` for any of them."""
        if target.origin is not None:
            return None
        found: set[int] = set()
        numbers = self._numbers
        for reading in (target, *target.others):
            host = reading.host
            if not isinstance(host, str):
                return None
            found.update(numbers[at] for at in self._exact.matches(upside_down(host)))
            found.update(numbers[at] for at in self._wide.matches(upside_down(fold(unicode_name(host)))))
            if reading.address is not None:
                found |= self._addresses
        return found
