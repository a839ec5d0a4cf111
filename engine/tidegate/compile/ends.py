"""How the calls of an example end: what a limit hears of them that waits for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..kernel.json_values import snapshot
from ..kind import Output

KEYS = ("ends", "returns", "fails")


class End(NamedTuple):
    """How a call of an example ends: when, in the seconds of `at` (at once where it is `None`), and with what."""

    at: float | None
    output: Output


def end_of(table: Mapping[str, Any]) -> tuple[dict[str, Any], End | str | None]:
    """The call of an example without its end, and the end: `None` where nobody sees it, or what is wrong with it.

    `ends` is when the body ends, `returns` its result and `fails` whether it failed; one is enough.
    """
    call = {key: value for key, value in table.items() if key not in KEYS}
    if len(call) == len(table):
        return call, None
    at, fails, returns = table.get("ends"), table.get("fails", False), table.get("returns", "")
    if at is not None and (isinstance(at, bool) or not isinstance(at, int | float)):
        return call, "`ends` must be a number, the second in which the body ends"
    if not isinstance(fails, bool):
        return call, "`fails` must be true or false"
    text = isinstance(returns, str)
    output = Output((returns,) if text else (), None if text else snapshot(returns), fails)
    return call, End(None if at is None else float(at), output)
