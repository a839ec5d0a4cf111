"""How long arguments and results are, in bytes."""

from __future__ import annotations

import json
from typing import Any

from ..kind import Output

_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def json_bytes(value: Any) -> int:
    """The bytes of a JSON value as it is written."""
    return len(_json(value).encode(errors="surrogatepass"))


def result_bytes(output: Output) -> int:
    """The bytes of the longer channel."""
    content = sum(
        len(block.encode(errors="surrogatepass")) if isinstance(block, str) else json_bytes(block)
        for block in output.blocks
    )
    return max(content, 0 if output.structured is None else json_bytes(output.structured))
