"""What an MCP server says of a tool that it offers, and the digest by which people pin it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from attrs import Factory, field, frozen

from .json_values import snapshot

SAID = ("annotations", "description", "inputSchema", "outputSchema", "title")
"""The keys of an entry of `tools/list` that a digest is of: all that can sway a model or a client."""


def _digest(told: Told) -> str:
    text = json.dumps(told.said, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return f"sha256:{sha256(text.encode()).hexdigest()}"


@frozen(eq=False)
class Told:
    """What a server says of one of its tools.

    Attributes:
        said: The keys of `SAID` that the entry has, as immutable JSON; those that are `null` are left out.
        digest: `sha256:` and the SHA-256 in hex of `said` as canonical JSON: UTF-8, keys sorted by code point, no
            blanks, characters as themselves, numbers as Python writes them.
    """

    said: Mapping[str, Any]
    digest: str = field(init=False, default=Factory(_digest, takes_self=True))

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> Told:
        """What an entry of `tools/list` says.

        Raises:
            CallError: It is not JSON.
        """
        return cls(snapshot({key: entry[key] for key in SAID if entry.get(key) is not None}))

    def hint(self, name: str) -> bool | None:
        """One hint of the annotations, `None` where it is not said, or is neither true nor false."""
        annotations = self.said.get("annotations")
        found = annotations.get(name) if isinstance(annotations, dict) else None
        return found if isinstance(found, bool) else None
