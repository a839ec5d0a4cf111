"""Values as TOML writes them on one line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_WIDE = 100


def inline_key(name: str) -> str:
    """A key of TOML, in quotes where it needs them, whatever is in it."""
    import tomli_w

    return tomli_w.dumps({name: 0}).removesuffix(" = 0\n")


def inline(item: Any, wide: float = _WIDE) -> str:
    """A value of TOML on one line; an array of strings that is longer than *wide* characters has one item on each."""
    import tomli_w  # only generated rules and findings are written

    if isinstance(item, Mapping):
        inner = ", ".join(f"{inline_key(str(key))} = {inline(one, wide)}" for key, one in item.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(item, list | tuple):
        items = [inline(one, wide) for one in item]
        short = f"[{', '.join(items)}]"
        if len(short) <= wide or not all(isinstance(one, str) for one in item):
            return short
        return "[\n" + "".join(f"    {one},\n" for one in items) + "]"
    return tomli_w.dumps({"x": item}).removeprefix("x = ").rstrip("\n")


def is_writable(item: Any) -> bool:
    """Whether TOML can say it; it has no null, and its integers have 64 bits."""
    if isinstance(item, Mapping):
        return all(isinstance(key, str) and is_writable(one) for key, one in item.items())
    if isinstance(item, list | tuple):
        return all(map(is_writable, item))
    if isinstance(item, int) and not isinstance(item, bool):
        return -(2**63) <= item < 2**63
    return isinstance(item, str | bool | float)
