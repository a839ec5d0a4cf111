"""Addresses in every spelling, and the ranges that a rule can refuse by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv6Address
from typing import Protocol

from .effects import UrlTarget
from .tri import Tri

RANGES = ("loopback", "link-local", "private", "metadata")


class Resolver(Protocol):
    """Name resolution as a fact; raises `OSError` where a name cannot be resolved."""

    def __call__(self, host: str) -> Sequence[IPv4Address | IPv6Address]: ...


def in_ranges(target: UrlTarget, ranges: Iterable[str], resolver: Resolver | None = None) -> Tri:
    """Whether a reading of *target* lies in one of the named *ranges*.

    Without a resolver a name is unknown only where it suggests such an address (`127.0.0.1.nip.io`,
    `printer.local`) and else no; with one, every address of it counts and an error is unknown.
    """
    raise NotImplementedError
