"""`rate-limit`: how many calls may be made in a moving window of time."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import blake2b
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from attrs import frozen

from ..kind import Case, Claim, Example, Kind, Limit, Phase, Refuse, Setting, UrlTarget, Veto, param
from ..lang.nearest import nearest
from ..pointers import EACH, MISSING, BadPointer, Pointer, parse_pointer, values_at
from ..shown import quote

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


@frozen
class RateLimit:
    """Let at most so many calls through in any window of that length.

    The window moves: `20/minute` means that in no sixty seconds more than twenty calls pass, whatever the clock
    shows. A call counts when its body is entered; one that is refused, by this rule or any other, counts nothing.

    Calls are counted together unless `per` names what tells them apart: `tool`, `agent`, `session`, `server`,
    `host` (each host that the call connects to), or a JSON pointer into the arguments (with `*`, each value). What
    is missing shares one bucket. A call that touches several buckets draws from each, and passes if all have room.
    Two values share a bucket only if they are the same JSON value, and a URL's host in whatever spelling is one.

    Whoever chooses a value of `per` freely chooses the bucket: a pointer to something that the model may invent
    limits nothing, and neither does `session` where the agent opens sessions as it likes. Add a rule without
    `per` for the sum. Above 4,096 a window is kept in 4,096 steps, so that a unit may stay one step longer.

    `store = "sqlite"` shares the count between all processes of one user on one machine, and over restarts; with
    `memory` each process counts for itself. A store that fails answers by `on_error`.
    """

    limit: str = param('How many in which time: "20/minute", "5/10s", "100/day", "3/2hours".')
    per: tuple[str, ...] = param(
        "What has a limit of its own: `tool`, `agent`, `session`, `server`, `host`, or pointers into the arguments.",
        default=(),
    )
    cost: int | str = param(
        "What one call takes: a number, or a pointer to a positive whole number among the arguments.", default=1
    )
    store: Literal["memory", "sqlite"] = param("Where calls are counted.", default="memory")
    on_error: Literal["deny", "ask", "allow"] = param("The answer while the store cannot be used.", default="deny")


MOST = 1_000_000_000
"""The largest number of units in a window."""

LONGEST = 366 * 86_400
"""The longest window, in seconds."""

MOST_BUCKETS = 64
"""How many buckets one call may draw from."""

_LIMIT = re.compile(r"([1-9][0-9]{0,17})/([1-9][0-9]{0,17})?([a-z]+)")
_SECONDS: Mapping[str, int] = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400}
_UNITS: Mapping[str, str] = {name: unit for unit in _SECONDS for name in (unit, unit + "s", unit[0])}


class Rate(NamedTuple):
    """So many units in so many seconds, and how people say the time: "minute", "10 seconds"."""

    limit: int
    window: int
    time: str


Part = Callable[[Case], list[bytes]]
"""One part of the key of a bucket: every value that the call has for it, or `_NONE`."""

_NONE = b"-"


def compile_rate_limit(fields: RateLimit, setting: Setting) -> Limit:
    """Read the rate, and put together what makes the keys and the costs."""
    rate = _rate(fields.limit, setting)
    cost = _cost(fields.cost, rate, setting)
    parts = [part for index, name in enumerate(fields.per) if (part := _part(name, index, setting)) is not None]
    start = blake2b(_joined((setting.rule.encode(), str(rate.window).encode())), digest_size=16)

    def key(values: tuple[bytes, ...]) -> str:
        digest = start.copy()
        digest.update(_joined(values))
        return f"{setting.rule}:{digest.hexdigest()}"

    whole = (key(()),)

    def claims(case: Case) -> tuple[Claim, ...]:
        keys = dict.fromkeys(map(key, _buckets(parts, case))) if parts else whole
        takes = cost(case)
        return tuple([Claim(one, rate.limit, float(rate.window), takes) for one in keys])

    return Limit(claims, fields.store, _refusal(rate, "call" if fields.cost == 1 else "unit"), fields.on_error)


def _rate(text: str, setting: Setting) -> Rate:
    match = _LIMIT.fullmatch(text)
    unit = _UNITS.get(match[3]) if match else None
    if match is None or unit is None:
        close = nearest(match[3], _UNITS) if match else None
        mend = (
            f"write `{text[: match.start(3)]}{close}`" if match and close else 'write a number and a time, "20/minute"'
        )
        setting.problem(
            ("limit",), "bad-limit", f"{quote(text)} is no limit", "a limit has to say how many in which time", mend
        )
        return Rate(1, 1, "")
    limit, many = int(match[1]), int(match[2] or 1)
    window = many * _SECONDS[unit]
    if limit > MOST or window > LONGEST:
        setting.problem(("limit",), "out-of-range", f"the limit {quote(text)} is out of range", *_RANGE)
    return Rate(limit, window, unit if many == 1 else f"{many} {unit}s")


_RANGE = ("a limit takes up to 1,000,000,000 units in up to 366 days", "write a smaller number or a shorter time")


def _cost(cost: int | str, rate: Rate, setting: Setting) -> Callable[[Case], int]:
    if isinstance(cost, int):
        if not 1 <= cost <= rate.limit:
            what = f"no call can ever pass: each takes `{cost}` of `{rate.limit}`"
            setting.problem(
                ("cost",), "out-of-range", what, "a cost is at least 1 and at most the limit", "write such a number"
            )
        return lambda _: cost
    pointer = _pointer(cost, ("cost",), setting)
    if EACH in pointer:
        setting.problem(("cost",), "bad-pointer", f"the cost {quote(cost)} names several values", *_ONE_COST)

    def told(case: Case) -> int:
        (_, value) = values_at(case.call.arguments, pointer)[0]
        if type(value) is not int or value < 1:
            raise Veto(f"{quote(cost)} must be a positive whole number")
        return value

    return told


_ONE_COST = ("a call has one cost", "name one argument, without `*`")


def _part(name: str, index: int, setting: Setting) -> Part | None:
    named = _PARTS.get(name)
    if named is not None:
        return named
    if not name.startswith("/"):
        close = nearest(name, _PARTS)
        what = f"{quote(name)} is nothing that a limit can be counted by"
        mend = (
            f"write `{close}`" if close else f"name {', '.join(map(quote, _PARTS))} or a pointer such as `/customer/id`"
        )
        setting.problem(("per", index), "bad-value", what, "calls would all be counted together", mend)
        return None
    pointer = _pointer(name, ("per", index), setting)
    return lambda case: [_known(value) for _, value in values_at(case.call.arguments, pointer)] or [_NONE]


def _pointer(text: str, path: tuple[str | int, ...], setting: Setting) -> Pointer:
    try:
        return parse_pointer(text)
    except BadPointer as bad:
        setting.problem(path, "bad-pointer", str(bad), "a value that cannot be found would always be missing", bad.mend)
        return ()


_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def _known(value: Any) -> bytes:
    """A value as part of a key; equal JSON values give equal bytes, and null is as good as missing."""
    if value is None or value is MISSING:
        return _NONE
    if isinstance(value, str):
        return b'"' + value.encode(errors="surrogatepass")
    return b"=" + _encode(_plain(value)).encode()


def _plain(value: Any) -> Any:
    """The value with whole numbers in one spelling: `1.0` is `1`."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value


def _tool(case: Case) -> list[bytes]:
    tool = case.call.tool
    return [_joined(name.encode(errors="surrogatepass") for name in (tool.origin, tool.server, tool.raw or tool.name))]


def _hosts(case: Case) -> list[bytes]:
    """Every host that the call connects to; one that cannot be known is missing, as is any behind the unreadable."""
    hosts = []
    for effect in case.effects:
        if effect.kind == "connect" and isinstance(effect.target, UrlTarget):
            hosts.append(_host(effect.target))
        elif effect.kind == "unknown":
            hosts.append(_NONE)
    return hosts or [_NONE]


def _host(target: UrlTarget) -> bytes:
    address = target.address
    if address is not None:
        return _known(str(getattr(address, "ipv4_mapped", None) or address))
    return _known(target.host) if isinstance(target.host, str) else _NONE


_PARTS: Mapping[str, Part] = {
    "tool": _tool,
    "agent": lambda case: [_known(case.call.agent)],
    "session": lambda case: [_known(case.call.session)],
    "server": lambda case: [_known(case.call.tool.server or None)],
    "host": _hosts,
}


def _buckets(parts: list[Part], case: Case) -> Iterator[tuple[bytes, ...]]:
    """Every combination of what the call has for each part."""
    found = [part(case) for part in parts]
    if math.prod(map(len, found)) > MOST_BUCKETS:
        raise Veto(f"the call draws on more than {MOST_BUCKETS} limits at once; make several smaller calls")
    return product(*found)


def _joined(values: Iterable[bytes]) -> bytes:
    """The values with their lengths, so that no two lists of values read alike."""
    return b"".join([len(value).to_bytes(8) + value for value in values])


def _refusal(rate: Rate, noun: str) -> Refuse:
    limit = f"{rate.limit} {noun}{'' if rate.limit == 1 else 's'} per {rate.time}"

    def refusal(retry_after: float) -> str:
        if retry_after == math.inf:
            return f"this call alone takes more than the limit of {limit}"
        return f"the limit of {limit} is used up; there is room again in {_duration(retry_after)}"

    return refusal


def _duration(seconds: float) -> str:
    """At least so long, in the largest unit of which there are two."""
    unit, length = "second", 1
    for name, size in _SECONDS.items():
        if seconds >= 2 * size:
            unit, length = name, size
    many = max(1, math.ceil(seconds / length))
    return f"{many} {unit}{'' if many == 1 else 's'}"


def _strategy() -> SearchStrategy[RateLimit]:
    from hypothesis import strategies as st

    counts = st.integers(1, 20)
    limits = st.builds("{}/{}{}".format, counts, counts, st.sampled_from(sorted(_UNITS)))
    names = st.sampled_from([*_PARTS, "/id", "/customer/id", "/to/*"])
    return st.builds(
        RateLimit,
        limit=limits,
        per=st.lists(names, max_size=3, unique=True).map(tuple),
        cost=st.just(1) | st.sampled_from(["/amount", "/size/bytes"]),
        on_error=st.sampled_from(["deny", "ask", "allow"]),
    )


KIND = Kind(
    name="rate-limit",
    phase=Phase.LIMIT,
    fields=RateLimit,
    compile=compile_rate_limit,
    examples=(
        Example(
            "Two searches in ten seconds",
            """\
[[rule]]
id = "search-budget"
kind = "rate-limit"
tools = ["web_*"]
limit = "2/10s"
per = ["session", "tool"]

[[rule.example]]
calls = [
  { tool = "web_search", session = "s1", args = { query = "a" }, at = 0 },
  { tool = "web_search", session = "s1", args = { query = "b" }, at = 4 },
  { tool = "web_search", session = "s1", args = { query = "c" }, at = 9 },
  { tool = "web_search", session = "s2", args = { query = "c" }, at = 9 },
  { tool = "web_fetch", session = "s1", args = { url = "https://example.com" }, at = 9 },
  { tool = "web_search", session = "s1", args = { query = "c" }, at = 10 },
  { tool = "web_search", session = "s1", args = { query = "d" }, at = 11 },
]
expect = ["pass", "pass", "deny", "pass", "pass", "pass", "deny"]
why = "the first search leaves the window after ten seconds, and a refused one never was in it"
""",
        ),
        Example(
            "One mail a day to each address",
            """\
[[rule]]
id = "mail-each"
kind = "rate-limit"
tools = ["send_email"]
limit = "1/day"
per = ["/to/*"]
store = "sqlite"

[[rule.example]]
calls = [
  { tool = "send_email", args = { to = ["a@example.com", "b@example.com"] }, at = 0 },
  { tool = "send_email", args = { to = ["c@example.com"] }, at = 60 },
  { tool = "send_email", args = { to = ["d@example.com", "b@example.com"] }, at = 120 },
  { tool = "send_email", args = { to = ["d@example.com"] }, at = 180 },
]
expect = ["pass", "pass", "deny", "pass"]
why = "a mail to many draws on the limit of each, and takes nothing where one of them has no room"
""",
        ),
        Example(
            "A budget of money",
            """\
[[rule]]
id = "refund-budget"
kind = "rate-limit"
tools = ["refund"]
limit = "500/day"
per = ["/customer/id"]
cost = "/cents"

[[rule.example]]
calls = [
  { tool = "refund", args = { customer = { id = 7 }, cents = 400 }, at = 0 },
  { tool = "refund", args = { customer = { id = 7 }, cents = 101 }, at = 1 },
  { tool = "refund", args = { customer = { id = 7 }, cents = 100 }, at = 2 },
  { tool = "refund", args = { customer = { id = 8 }, cents = 501 }, at = 3 },
  { tool = "refund", args = { customer = { id = 8 }, cents = -5 }, at = 4 },
  { tool = "refund", args = { customer = { id = 8 } }, at = 5 },
]
expect = ["pass", "deny", "pass", "deny", "deny", "deny"]
""",
        ),
    ),
    strategy=_strategy,
)
