"""Ranges of addresses that a rule can refuse by name, however an address is wrapped or hidden in a name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network
from typing import Protocol

from .effects import UrlTarget
from .tri import Tri, Unknown, any_of

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


def _networks(texts: str) -> tuple[Network, ...]:
    return tuple(map(ip_network, texts.split()))


# From the registries of special-purpose addresses (RFC 6890 and its updates) and the pages of the clouds.
# `0.0.0.0` and `::` reach the host itself on most systems; `private` is all else that is not on the public
# Internet, multicast and reserved ranges included.
RANGES: dict[str, tuple[Network, ...]] = {
    "loopback": _networks("127.0.0.0/8 0.0.0.0/8 ::1/128 ::/128"),
    "link-local": _networks("169.254.0.0/16 fe80::/10"),
    "private": _networks(
        "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 100.64.0.0/10 198.18.0.0/15 192.0.0.0/24 192.0.2.0/24 "
        "198.51.100.0/24 203.0.113.0/24 192.88.99.0/24 224.0.0.0/4 240.0.0.0/4 fc00::/7 fec0::/10 ff00::/8 "
        "100::/64 2001:db8::/32 3fff::/20 5f00::/16 64:ff9b:1::/48"
    ),
    "metadata": _networks(
        "169.254.169.254/32 169.254.170.2/32 169.254.170.23/32 169.254.0.23/32 169.254.42.42/32 100.100.100.200/32 "
        "168.63.129.16/32 192.0.0.192/32 fd00:ec2::254/128 fd00:ec2::23/128 fd20:ce::254/128"
    ),
}

_LOOPBACK_NAME = re.compile(
    r"(?:.*\.)?localhost|localhost\.localdomain|localhost[46]|ip6-(?:localhost|loopback)|loopback"
)
_METADATA_NAME = re.compile(
    r"metadata(?:\.google\.internal|\.goog|\.azure\.internal|\.tencentyun\.com)?|instance-data(?:\.ec2\.internal)?"
)
_TO_LOOPBACK = re.compile(r"(?:.*\.)?(?:localtest\.me|lvh\.me|vcap\.me|lacolhost\.com)")
_INSIDE = re.compile(r"[^.]+|.*\.(?:local|internal|lan|intranet|corp|home|private|localdomain|arpa|docker|svc)")
_QUAD = re.compile(r"(?<![0-9])(?=([0-9]{1,3})[.-]([0-9]{1,3})[.-]([0-9]{1,3})[.-]([0-9]{1,3})(?![0-9]))", re.ASCII)
_HEX = re.compile(r"(?<![0-9a-z])[0-9a-f]{8}(?![0-9a-z])")
_SIX = re.compile(r"(?:^|\.)([0-9a-f]*(?:-[0-9a-f]*){2,7})(?=\.)")
_LONGEST_NAME = 253
_NAT64 = IPv6Network("64:ff9b::/96")
_LOW_FOUR = tuple(map(IPv6Network, ("::/96", "::ffff:0:0/96", "::ffff:0:0:0/96")))
_ISATAP = (0x00005EFE, 0x02005EFE)


class Resolver(Protocol):
    """Name resolution as a fact."""

    def __call__(self, host: str) -> Sequence[Address]:
        """The addresses of *host*; raises `OSError` where it cannot be resolved."""


def in_ranges(target: UrlTarget, ranges: Iterable[str], resolver: Resolver | None = None) -> Tri:
    """Whether a reading of *target* lies in one of the named *ranges*, of those in `RANGES`.

    With a resolver every address of a name counts, and a name that cannot be resolved is unknown. Without one a
    name is unknown where it says itself that it may lead there (`127.0.0.1.nip.io`, `printer.local`, a name without
    a dot), and else no: what a public name resolves to cannot be known from the call.
    """
    named = frozenset(ranges)
    if not named:
        return False
    return any_of(_leads_into(reading, named, resolver) for reading in (target, *target.others))


def _leads_into(reading: UrlTarget, ranges: frozenset[str], resolver: Resolver | None) -> Tri:
    host = reading.host
    if reading.address is not None:
        return _within(reading.address, ranges)
    if not isinstance(host, str):
        return Unknown(host.reason)
    if not host:
        return False
    if _LOOPBACK_NAME.fullmatch(host) and "loopback" in ranges:
        return True
    if _METADATA_NAME.fullmatch(host) and ranges & {"metadata", "link-local"}:
        return True
    return _suggests(host, ranges) if resolver is None else _resolved(host, ranges, resolver)


def _resolved(host: str, ranges: frozenset[str], resolver: Resolver) -> Tri:
    try:
        addresses = resolver(host)
    except (OSError, ValueError) as error:
        return Unknown(f"`{host}` cannot be resolved: {error}")
    if not addresses:
        return Unknown(f"`{host}` has no address")
    return any(_within(address, ranges) for address in addresses)


def _suggests(host: str, ranges: frozenset[str]) -> Tri:
    if len(host) > _LONGEST_NAME:
        return Unknown("the host is longer than a name can be")
    for address in hidden_addresses(host):
        if _within(address, ranges):
            return Unknown(f"`{host}` may lead to {address}")
    if "loopback" in ranges and _TO_LOOPBACK.fullmatch(host):
        return Unknown(f"`{host}` may lead to this machine")
    if "private" in ranges and _INSIDE.fullmatch(host):
        return Unknown(f"`{host}` may be a name of the inner network")
    return False


def hidden_addresses(host: str) -> Iterator[Address]:
    """The addresses that a name spells out, as services do that answer with what they are asked for."""
    for match in _QUAD.finditer(host):
        if all(int(byte) <= 255 for byte in match.groups()):  # noqa: PLR2004  a byte
            yield IPv4Address(bytes(map(int, match.groups())))
    for match in _HEX.finditer(host):
        yield IPv4Address(int(match[0], 16))
    for match in _SIX.finditer(host):
        try:
            yield IPv6Address(match[1].replace("-", ":"))
        except ValueError:
            continue


def _within(address: Address, ranges: frozenset[str]) -> bool:
    spelled = tuple(wrapped(address))
    return any(one in network for name in ranges for network in RANGES[name] for one in spelled)


def wrapped(address: Address) -> Iterator[Address]:
    """The address, and each address of four bytes that it leads to (mapped, NAT64, 6to4, Teredo, ISATAP)."""
    yield address
    if isinstance(address, IPv4Address):
        return
    number = int(address)
    if any(address in network for network in (*_LOW_FOUR, _NAT64)) or number >> 32 & 0xFFFFFFFF in _ISATAP:
        yield IPv4Address(number & 0xFFFFFFFF)
    if address.sixtofour is not None:
        yield address.sixtofour
    if address.teredo is not None:
        yield from address.teredo
