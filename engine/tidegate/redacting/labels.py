"""What stands in the place of something that was found."""

from __future__ import annotations

import hmac
import os
import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Literal

Replacement = Literal["label", "mask", "hash"]

MASK = b"********"
_TAG, _PROOF = 12, 6


class Labels:
    """Writes labels, and knows those that it has written.

    A label of style `hash` holds a keyed digest of the value, which nobody can guess without the key, and a proof
    that only who has the key can write, so that no text can pass for a label.
    """

    def __init__(self, style: Replacement, labels: Iterable[str], key: Callable[[], bytes]) -> None:
        self._style = style
        self._key = key
        names = b"|".join(sorted({re.escape(label.encode()) for label in labels}, reverse=True))
        digest = rb" (?P<tag>[0-9a-f]{%d})(?P<proof>[0-9a-f]{%d})" % (_TAG, _PROOF) if style == "hash" else b""
        self._written = re.compile(re.escape(MASK) if style == "mask" else rb"\[(?:%b)%b\]" % (names, digest))

    def write(self, label: str, value: bytes) -> bytes:
        """The label for a value."""
        if self._style == "mask":
            return MASK
        if self._style == "label":
            return b"[%b]" % label.encode()
        tag = self._digest(b"value", value)[:_TAG]
        return b"[%b %b%b]" % (label.encode(), tag, self._digest(b"label", tag)[:_PROOF])

    def places(self, text: bytes) -> list[tuple[int, int]]:
        """Where labels stand in a text, those without anything between them as one."""
        places: list[tuple[int, int]] = []
        for found in self._written.finditer(text):
            if self._style == "hash" and self._digest(b"label", found["tag"])[:_PROOF] != found["proof"]:
                continue
            if places and places[-1][1] == found.start():
                places[-1] = (places[-1][0], found.end())
            else:
                places.append(found.span())
        return places

    def _digest(self, purpose: bytes, value: bytes) -> bytes:
        return hmac.digest(self._key(), purpose + b"\0" + value, "sha256").hex().encode()


@cache
def process_key() -> bytes:
    """A key that this process makes for itself and nobody else learns."""
    return os.urandom(32)


def rule_key(rule: str) -> Callable[[], bytes]:
    """The key of one rule in this process, made when it is first needed."""
    return cache(lambda: hmac.digest(process_key(), rule.encode(), "sha256"))
