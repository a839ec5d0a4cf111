"""Where a proxy over HTTP listens, and what its clients may call that."""

from __future__ import annotations


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    return host in ("localhost", "::1") or host.startswith("127.")


def shown(host: str) -> str:
    """An address as it stands in a URL."""
    return f"[{host}]" if ":" in host else host


def hosts(host: str, port: int) -> frozenset[str]:
    """What a client may have under `Host`, and a page as its origin; on the loopback `localhost` as well."""
    names = {shown(host), *(("localhost", "127.0.0.1", "[::1]") if is_loopback(host) else ())}
    return frozenset({f"{name}:{port}" for name in names} | (names if port in (80, 443) else set()))
