"""`quota`: how much may be used in all, in a day, or in a month."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal

from attrs import frozen

from ..clocks.zones import read_zone
from ..kind import Case, Claim, Example, Kind, Limit, Phase, Refuse, Setting, name_test, param
from ..limiting.keys import PARTS, check_cost, cost_of, keys_of
from ..limiting.rates import DAY, LONGEST, check_count, counted
from ..limiting.sizes import json_bytes, result_bytes
from ..limiting.stores import OnError, check_store, on_error_param, store_param
from ..shown import quote

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Of = Literal["calls", "argument-bytes", "result-bytes"]
Resets = Literal["never", "daily", "monthly"]


@frozen
class Quota:
    """Let at most so much be used: of calls, of a declared cost, of bytes sent or of bytes received.

    Without `resets` the quota is for good: of a session, an agent or whatever `per` names, or of everybody. A unit is
    forgotten after a year and a day. `daily` and `monthly` begin anew at midnight in `zone`, by the machine's clock;
    whoever may set that clock may begin a new day.

    What is counted is said by `of`. Of `calls` each takes its `cost`: a number, a number by tool (`costs`), or a
    pointer to a positive whole number among the arguments. `argument-bytes` counts the arguments, as rewritten, in
    compact JSON as UTF-8. Both are known before the call, so that the quota is never exceeded.

    `result-bytes` counts what goes out to the model, after redaction and truncation: the text and other blocks
    together, or the structured content where that is longer, errors as well. How long a result is shows only at its
    end. Until then a call holds `reserve` bytes, and does not run where so many are not left; then the true length
    takes the place of the reservation, also where it is longer. So a quota can be exceeded by what the last results
    have above their reservation, and no more: bound them with `truncate` to make it exact. Where nobody sees results
    (`decide`, the hook of an agent's command line), each call counts as `reserve` bytes, and so does a call whose
    process dies.

    `per` and `store` are those of `rate-limit`: what is missing shares one bucket, and who freely chooses a value of
    `per` chooses the bucket. Nothing is ever counted by connection.
    """

    limit: int = param("How much may be used.")
    of: Of = param("What is counted.", default="calls")
    resets: Resets = param("When the quota begins anew.", default="never")
    zone: str = param('The time zone in which days begin, such as "Europe/Berlin".', default="UTC")
    per: tuple[str, ...] = param(
        "What has a quota of its own: `tool`, `agent`, `session`, `server`, `host`, or pointers into the arguments.",
        default=(),
    )
    cost: int | str = param(
        "What one call takes: a number, or a pointer to a positive whole number among the arguments.", default=1
    )
    costs: dict[str, int] | None = param(
        "What a call takes by its tool: globs of names, of which the first that matches counts, else `cost`.",
        default=None,
    )
    reserve: int | None = param("How many bytes a call holds until its result is known.", default=None)
    store: str = store_param()
    on_error: OnError = on_error_param()


MONTH = 31 * DAY
_KEPT: Mapping[Resets, tuple[float, float]] = {
    "never": (float(LONGEST), LONGEST / 64),
    "daily": (2.0 * DAY, float(DAY)),
    "monthly": (2.0 * MONTH, float(MONTH)),
}
"""How long units are kept and in which steps they go: a key is of one period, which they need only outlive."""


def compile_quota(fields: Quota, setting: Setting) -> Limit:
    """Check the numbers and the zone, and put together what makes the keys and the costs."""
    check_count(fields.limit, "limit", setting)
    check_store(fields.store, setting)
    _check_fit(fields, setting)
    takes = _takes(fields, setting)
    keys = keys_of(fields.per, ("quota", fields.of, fields.resets), setting)
    period = _period(fields, setting)
    kept, step = _KEPT[fields.resets]
    settles: Literal["entry", "result"] = "result" if fields.of == "result-bytes" else "entry"

    def claims(case: Case) -> tuple[Claim, ...]:
        now, cost = period(case.now), takes(case)
        return tuple(
            [Claim(f"{key}{now}", fields.limit, kept, cost, settles=settles, grain=step) for key in keys(case)]
        )

    return Limit(
        claims, fields.store, _refusal(fields), fields.on_error, settled=result_bytes if settles == "result" else None
    )


def _check_fit(fields: Quota, setting: Setting) -> None:
    """Note what does not belong to what is counted, or is missing for it."""
    if fields.of == "result-bytes":
        if fields.reserve is None:
            what, why = (
                "`reserve` is missing",
                "how long a result is shows only at its end, and the call must fit before",
            )
            setting.problem((), "missing-key", what, why, "add `reserve`, the bytes of a large result")
        else:
            check_cost(fields.reserve, ("reserve",), fields.limit, setting)
    elif fields.reserve is not None:
        why = "what is counted is known before the call, so that nothing has to be held"
        setting.problem(
            ("reserve",), "says-nothing", f"`reserve` does nothing with {quote(fields.of)}", why, "remove it"
        )
    for key, given in (("cost", fields.cost != 1), ("costs", fields.costs is not None)):
        if given and fields.of != "calls":
            what = f"`{key}` does nothing with {quote(fields.of)}"
            setting.problem((key,), "says-nothing", what, "bytes are counted as they are", "remove it")
    if fields.zone != "UTC" and fields.resets == "never":
        why = "the quota has no days"
        setting.problem(("zone",), "says-nothing", "`zone` does nothing here", why, 'add `resets = "daily"`')


def _takes(fields: Quota, setting: Setting) -> Callable[[Case], int]:
    """What a call takes before it runs."""
    if fields.of == "argument-bytes":
        return lambda case: json_bytes(case.call.arguments)
    if fields.of == "result-bytes":
        reserve = fields.reserve or 1
        return lambda _: reserve
    cost = cost_of(fields.cost, fields.limit, setting)
    for glob, number in (fields.costs or {}).items():
        check_cost(number, ("costs", glob), fields.limit, setting)
    by_tool = [(name_test([glob]), number) for glob, number in (fields.costs or {}).items()]

    def told(case: Case) -> int:
        for test, number in by_tool:
            if test(case.call.tool.name):
                return number
        return cost(case)

    return told if by_tool else cost


def _period(fields: Quota, setting: Setting) -> Callable[[float], str]:
    """What tells the keys of one period from those of the next."""
    if fields.resets == "never":
        return lambda _: ""
    zone = read_zone(fields.zone, setting)
    length = len("2026-11-30") if fields.resets == "daily" else len("2026-11")
    return lambda now: f"@{dt.datetime.fromtimestamp(now, zone).date().isoformat()[:length]}"


_NOUNS: Mapping[Of, str] = {"calls": "call", "argument-bytes": "byte", "result-bytes": "byte"}
_TIMES: Mapping[Resets, str] = {"never": "", "daily": " a day", "monthly": " a month"}


def _refusal(fields: Quota) -> Refuse:
    noun = "unit" if fields.of == "calls" and (fields.cost != 1 or fields.costs) else _NOUNS[fields.of]
    quota = f"the quota of {counted(fields.limit, noun)}{_TIMES[fields.resets]}"
    again = {"never": "", "daily": "; it begins anew at midnight", "monthly": "; it begins anew next month"}

    def refusal(_: float, claim: Claim) -> str:
        if claim.cost > claim.limit:
            return f"this call alone takes more than {quota}"
        left = "has not enough left for this call" if claim.cost > 1 else "is used up"
        return f"{quota} {left}{again[fields.resets]}"

    return refusal


def _strategy() -> SearchStrategy[Quota]:
    from hypothesis import strategies as st

    names = st.sampled_from([*PARTS, "/id", "/to/*"])
    common = {
        "resets": st.sampled_from(["never", "daily", "monthly"]),
        "per": st.lists(names, max_size=2, unique=True).map(tuple),
        "on_error": st.sampled_from(["deny", "ask", "allow"]),
    }
    calls = st.builds(Quota, limit=st.integers(1, 50), cost=st.just(1) | st.just("/amount"), **common)
    sent = st.builds(Quota, limit=st.integers(2, 500), of=st.just("argument-bytes"), **common)
    got = st.builds(Quota, limit=st.integers(50, 500), of=st.just("result-bytes"), reserve=st.integers(1, 50), **common)
    return calls | sent | got


KIND = Kind(
    name="quota",
    phase=Phase.LIMIT,
    fields=Quota,
    compile=compile_quota,
    examples=(
        Example(
            "So many mails a day",
            """\
[[rule]]
id = "mails-a-day"
kind = "quota"
tools = ["send_email"]
limit = 2
resets = "daily"
zone = "America/New_York"
per = ["agent"]

[[rule.example]]
calls = [
  { tool = "send_email", agent = "a", args = {}, at = 1_772_400_000 },
  { tool = "send_email", agent = "a", args = {}, at = 1_772_427_599 },
  { tool = "send_email", agent = "a", args = {}, at = 1_772_427_599.5 },
  { tool = "send_email", agent = "b", args = {}, at = 1_772_427_599.5 },
  { tool = "send_email", agent = "a", args = {}, at = 1_772_427_600 },
]
expect = ["pass", "pass", "deny", "pass", "pass"]
why = "the last call comes in the first second of 2 March 2026 in New York, where it is five hours later in UTC"
""",
        ),
        Example(
            "A budget for each session",
            """\
[[rule]]
id = "session-budget"
kind = "quota"
limit = 10
per = ["session"]
costs = { web_search = 4, "image_*" = 7 }

[[rule.example]]
calls = [
  { tool = "image_make", session = "s1", args = {}, at = 0 },
  { tool = "web_search", session = "s1", args = {}, at = 1 },
  { tool = "read_file", session = "s1", args = { path = "a" }, at = 2 },
  { tool = "web_search", session = "s2", args = {}, at = 3 },
  { tool = "read_file", session = "s1", args = { path = "a" }, at = 4 },
  { tool = "read_file", session = "s1", args = { path = "a" }, at = 5 },
  { tool = "read_file", session = "s1", args = { path = "a" }, at = 6_000_000 },
]
expect = ["pass", "deny", "pass", "pass", "pass", "pass", "deny"]
why = "seven and three times one are ten, and a session does not begin anew"
""",
        ),
        Example(
            "Bytes that come in",
            """\
[[rule]]
id = "page-bytes"
kind = "quota"
tools = ["web_fetch"]
of = "result-bytes"
limit = 1_000
reserve = 400

[[rule.example]]
calls = [
  { tool = "web_fetch", args = { url = "https://example.com/a" }, at = 0, ends = 9, returns = "short" },
  { tool = "web_fetch", args = { url = "https://example.com/b" }, at = 1, ends = 2 },
  { tool = "web_fetch", args = { url = "https://example.com/c" }, at = 1 },
  { tool = "web_fetch", args = { url = "https://example.com/d" }, at = 3 },
  { tool = "web_fetch", args = { url = "https://example.com/e" }, at = 10 },
  { tool = "web_fetch", args = { url = "https://example.com/f" }, at = 11 },
]
expect = ["pass", "pass", "deny", "pass", "pass", "deny"]
why = "until its end the first page holds 400 bytes, then 5; of the last two that ran nobody hears how they end"
""",
        ),
        Example(
            "Bytes that go out",
            """\
[[rule]]
id = "post-bytes"
kind = "quota"
tools = ["http_post"]
of = "argument-bytes"
limit = 40
resets = "monthly"
per = ["/host"]

[[rule.example]]
calls = [
  { tool = "http_post", args = { host = "a.example", body = "é" }, at = 0 },
  { tool = "http_post", args = { host = "a.example", body = "" }, at = 1 },
  { tool = "http_post", args = { host = "b.example", body = "" }, at = 1 },
  { tool = "http_post", args = { host = "a.example", body = "" }, at = 2_678_400 },
]
expect = ["pass", "deny", "pass", "pass"]
""",
        ),
    ),
    strategy=_strategy,
)
