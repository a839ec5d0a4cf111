"""A URL taken apart as the strictest client would, with every other reading beside it."""

from __future__ import annotations

from .effects import UrlTarget
from .values import Value, unknown


def read_url(value: Value, base: UrlTarget | None = None) -> UrlTarget:
    """Take *value* apart as a URL; never raises.

    `doubts` says why a grant may not trust it. Where clients differ, `others` holds the other readings: a deny
    looks at each, a grant needs all of them.
    """
    raise NotImplementedError


def read_host(value: Value, scheme: Value | None = None, port: int | None = None) -> UrlTarget:
    """Take *value* apart as `host` or `host:port`, as `ssh` or `nc` take it; *scheme* and *port* as the program's."""
    raise NotImplementedError


def find_urls(text: str) -> list[UrlTarget]:
    """Every URL inside a longer *text*, in order, at most 1,000."""
    raise NotImplementedError
