"""What a rule says, as a text that is the same for rules that say the same."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

SILENT = frozenset({"id", "example", "message", "why", "severity", "maps", "overridable"})
"""Keys of a rule that change nothing of what it answers."""


def canonical(value: Any) -> str:
    """The value with its keys sorted; dates as TOML writes them, apart from texts of the same spelling."""
    return json.dumps(value, sort_keys=True, default=lambda other: {"": [type(other).__name__, str(other)]})


def without(fields: Mapping[str, Any], keys: frozenset[str]) -> dict[str, Any]:
    """The fields that are left when *keys* are taken out."""
    return {key: value for key, value in fields.items() if key not in keys}
