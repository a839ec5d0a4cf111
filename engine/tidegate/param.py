"""The declaration of one field of a rule."""

from __future__ import annotations

from typing import Any

import attrs


def param(doc: str, *, default: Any = attrs.NOTHING, **metadata: Any) -> Any:
    """Declare one field of a rule.

    Args:
        doc: One sentence for the docs and for the JSON Schema; starts with a capital, ends with a full stop.
        default: What holds where the rule leaves the field out; without one the field is required.
        metadata: Bounds that the loader checks and the schema shows: `minimum`, `maximum`, `pattern`.
    """
    return attrs.field(default=default, metadata={"doc": doc, **metadata})
