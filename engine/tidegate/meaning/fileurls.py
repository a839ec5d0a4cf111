"""Connections that are none: a `file:` URL reads a file of this machine."""

from __future__ import annotations

from .effects import UrlTarget
from .values import Value, unknown


def file_of(target: UrlTarget) -> Value | None:
    """The `file:` URL that a reading of *target* is, unknown where it may be one, and `None` where none is.

    A URL of which nothing is known may be `file:///etc/passwd`; one whose scheme or host is known is not.
    """
    may_be = False
    for reading in (target, *target.others):
        if reading.scheme == "file":
            text = target.text
            plain = isinstance(text, str) and text[:5].lower() == "file:"
            return text if plain else unknown("the text around the URL changes which file it names")
        may_be = may_be or not (isinstance(reading.scheme, str) or isinstance(reading.host, str))
    return unknown("the URL is not known, and may name a file") if may_be else None
