"""What calls are counted by: the parts of a bucket's key, and what a call costs."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import product
from typing import Any

from ..kind import Case, Setting, UrlTarget, Veto
from ..lang.nearest import nearest
from ..pointers import EACH, MISSING, BadPointer, Pointer, parse_pointer, values_at
from ..shown import quote

MOST_BUCKETS = 64
"""How many buckets one call may draw from."""

Part = Callable[[Case], list[bytes]]
"""One part of the key of a bucket: every value that the call has for it, or `NONE`."""

NONE = b"-"

Keys = Callable[[Case], Iterable[str]]
"""The keys of all buckets that a call draws from, each once."""


def keys_of(per: Sequence[str], about: Sequence[object], setting: Setting) -> Keys:
    """What makes the keys for the names under `per`; one that is none is a problem there.

    *about* is what else tells the buckets of one rule apart, such as its window: units that were counted by another
    must not be taken for these.
    """
    parts = [part for index, name in enumerate(per) if (part := _part(name, index, setting)) is not None]
    return keys_by(parts, about, setting)


def keys_by(parts: Sequence[Part], about: Sequence[object], setting: Setting) -> Keys:
    """What makes the keys from *parts*."""
    start = blake2b(joined(str(one).encode() for one in (setting.rule, *about)), digest_size=16)

    def key(values: tuple[bytes, ...]) -> str:
        digest = start.copy()
        digest.update(joined(values))
        return f"{setting.rule}:{digest.hexdigest()}"

    whole = (key(()),)
    return (lambda case: dict.fromkeys(map(key, _buckets(parts, case)))) if parts else lambda _: whole


def _buckets(parts: Sequence[Part], case: Case) -> Iterator[tuple[bytes, ...]]:
    """Every combination of what the call has for each part."""
    found = [part(case) for part in parts]
    if math.prod(map(len, found)) > MOST_BUCKETS:
        raise Veto(f"the call draws on more than {MOST_BUCKETS} limits at once; make several smaller calls")
    return product(*found)


def joined(values: Iterable[bytes]) -> bytes:
    """The values with their lengths, so that no two lists of values read alike."""
    return b"".join([len(value).to_bytes(8) + value for value in values])


def _part(name: str, index: int, setting: Setting) -> Part | None:
    named = PARTS.get(name)
    if named is not None:
        return named
    if not name.startswith("/"):
        close = nearest(name, PARTS)
        what = f"{quote(name)} is nothing that a limit can be counted by"
        mend = (
            f"write `{close}`" if close else f"name {', '.join(map(quote, PARTS))} or a pointer such as `/customer/id`"
        )
        setting.problem(("per", index), "bad-value", what, "calls would all be counted together", mend)
        return None
    pointer = read_pointer(name, ("per", index), setting)
    return lambda case: [known(value) for _, value in values_at(case.call.arguments, pointer)] or [NONE]


def read_pointer(text: str, path: tuple[str | int, ...], setting: Setting) -> Pointer:
    """The pointer at *path* of a rule; one that is none is a problem there."""
    try:
        return parse_pointer(text)
    except BadPointer as bad:
        setting.problem(path, "bad-pointer", str(bad), "a value that cannot be found would always be missing", bad.mend)
        return ()


def cost_of(cost: int | str, limit: int, setting: Setting) -> Callable[[Case], int]:
    """What one call takes: the number, or what the pointer leads to; a call without such a number is refused."""
    if isinstance(cost, int):
        check_cost(cost, ("cost",), limit, setting)
        return lambda _: cost
    pointer = read_pointer(cost, ("cost",), setting)
    if EACH in pointer:
        what = f"the cost {quote(cost)} names several values"
        setting.problem(("cost",), "bad-pointer", what, "a call has one cost", "name one argument, without `*`")

    def told(case: Case) -> int:
        (_, value) = values_at(case.call.arguments, pointer)[0]
        if type(value) is not int or value < 1:
            raise Veto(f"{quote(cost)} must be a positive whole number")
        return value

    return told


def check_cost(cost: int, path: tuple[str | int, ...], limit: int, setting: Setting) -> None:
    """Note a problem at *path* where no call of that cost could ever pass, or would pass for nothing."""
    if not 1 <= cost <= max(limit, 1):
        what = f"no call can ever pass: each takes `{cost}` of `{limit}`"
        why = "a cost is at least 1 and at most the limit"
        setting.problem(path, "out-of-range", what, why, "write such a number")


_sorted_json = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def known(value: Any) -> bytes:
    """A value as part of a key; equal JSON values give equal bytes, and null is as good as missing."""
    if value is None or value is MISSING:
        return NONE
    if isinstance(value, str):
        return b'"' + value.encode(errors="surrogatepass")
    return b"=" + _sorted_json(_plain(value)).encode()


def _plain(value: Any) -> Any:
    """The value with whole numbers in one spelling: `1.0` is `1`."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value


def tool_part(case: Case) -> list[bytes]:
    """The identity of the tool."""
    tool = case.call.tool
    return [joined(name.encode(errors="surrogatepass") for name in (tool.origin, tool.server, tool.raw or tool.name))]


def session_part(case: Case) -> list[bytes]:
    """The session; calls without one share a bucket."""
    return [known(case.call.session)]


def _hosts(case: Case) -> list[bytes]:
    """Every host that the call connects to; one that cannot be known is missing, as is any behind the unreadable."""
    hosts = []
    for effect in case.effects:
        if effect.kind == "connect" and isinstance(effect.target, UrlTarget):
            # Redirects count where they begin.
            hosts.append(_host(effect.target.origin or effect.target))
        elif effect.kind == "unknown":
            hosts.append(NONE)
    return hosts or [NONE]


def _host(target: UrlTarget) -> bytes:
    address = target.address
    if address is not None:
        return known(str(getattr(address, "ipv4_mapped", None) or address))
    return known(target.host) if isinstance(target.host, str) else NONE


PARTS: Mapping[str, Part] = {
    "tool": tool_part,
    "agent": lambda case: [known(case.call.agent)],
    "session": session_part,
    "server": lambda case: [known(case.call.tool.server or None)],
    "host": _hosts,
}
"""What a limit can be counted by, beside pointers."""
