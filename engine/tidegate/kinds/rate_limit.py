"""`rate-limit`: how many calls may be made in a moving window of time, or from a bucket that fills again."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from attrs import frozen

from ..kind import Case, Claim, Example, Kind, Limit, Phase, Refuse, Setting, param
from ..limiting.keys import PARTS, cost_of, keys_of
from ..limiting.rates import UNITS, Rate, check_count, counted, duration, read_rate
from ..limiting.stores import OnError, check_store, on_error_param, store_param

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


@frozen
class RateLimit:
    """Let at most so many calls through in any window of that length.

    The window moves: `20/minute` means that in no sixty seconds more than twenty calls pass, whatever the clock
    shows. A call counts when its body is entered; one that is refused, by this rule or any other, counts nothing.

    With `burst` the limit is a bucket of tokens instead: it holds so many, every call takes one, and they flow back
    at the rate of `limit`. `20/minute` with a burst of 5 lets five calls through at once, and then one every three
    seconds; in no minute more than 25 pass. Time is counted in milliseconds there.

    Calls are counted together unless `per` names what tells them apart: `tool`, `agent`, `session`, `server`,
    `host` (each host that the call connects to), or a JSON pointer into the arguments (with `*`, each value). What
    is missing shares one bucket. A call that touches several buckets draws from each, and passes if all have room.
    Two values share a bucket only if they are the same JSON value, and a URL's host in whatever spelling is one.

    Whoever chooses a value of `per` freely chooses the bucket: a pointer to something that the model may invent
    limits nothing, and neither does `session` where the agent opens sessions as it likes. Add a rule without
    `per` for the sum. Above 4,096 a window is kept in 4,096 steps, so that a unit may stay one step longer.

    `store = "sqlite"` shares the count between all processes of one user on one machine, and over restarts; with
    `memory` each process counts for itself. `redis` and `valkey` share it between machines, by the clock of the
    server, whose URL is in the environment variable `TIDEGATE_REDIS_URL` or `TIDEGATE_VALKEY_URL`; it must not evict
    keys, and what it loses is free again. A store that fails answers by `on_error`.
    """

    limit: str = param('How many in which time: "20/minute", "5/10s", "100/day", "3/2hours".')
    burst: int | None = param(
        "The size of the bucket, whose tokens flow back at the rate of `limit`; without it, a moving window.",
        default=None,
    )
    per: tuple[str, ...] = param(
        "What has a limit of its own: `tool`, `agent`, `session`, `server`, `host`, or pointers into the arguments.",
        default=(),
    )
    cost: int | str = param(
        "What one call takes: a number, or a pointer to a positive whole number among the arguments.", default=1
    )
    store: str = store_param()
    on_error: OnError = on_error_param()


def compile_rate_limit(fields: RateLimit, setting: Setting) -> Limit:
    """Read the rate, and put together what makes the keys and the costs."""
    rate = read_rate(fields.limit, "limit", setting)
    most, refill = rate.limit, 0
    if fields.burst is not None:
        most, refill = fields.burst, rate.limit
        _check_burst(most, rate, setting)
    cost = cost_of(fields.cost, most, setting)
    keys = keys_of(fields.per, (rate.window, refill) if refill else (rate.window,), setting)
    check_store(fields.store, setting)

    def claims(case: Case) -> tuple[Claim, ...]:
        takes = cost(case)
        return tuple([Claim(key, most, float(rate.window), takes, refill) for key in keys(case)])

    noun = "call" if fields.cost == 1 else "unit"
    return Limit(claims, fields.store, _refusal(rate, fields.burst, noun), fields.on_error)


EXACT = 2**53
"""Whole numbers below this are exact in every store; some count in doubles."""


def _check_burst(burst: int, rate: Rate, setting: Setting) -> None:
    """The bucket has to be counted exactly, in what flows back in a millisecond."""
    check_count(burst, "burst", setting)
    grains = rate.window * 1_000 // math.gcd(rate.window * 1_000, rate.limit)
    if burst * grains >= EXACT:
        what = f"a burst of `{burst}` cannot be counted exactly with this limit"
        why = "the time that a token takes to flow back is too long for so many"
        setting.problem(("burst",), "out-of-range", what, why, "write a smaller number, or a shorter time in `limit`")


def _refusal(rate: Rate, burst: int | None, noun: str) -> Refuse:
    limit = f"{counted(rate.limit, noun)} per {rate.time}" + (f", {burst} at once" if burst else "")

    def refusal(retry_after: float, _: Claim) -> str:
        if retry_after == math.inf:
            return f"this call alone takes more than the limit of {limit}"
        return f"the limit of {limit} is used up; there is room again in {duration(retry_after)}"

    return refusal


def _strategy() -> SearchStrategy[RateLimit]:
    from hypothesis import strategies as st

    counts = st.integers(1, 20)
    limits = st.builds("{}/{}{}".format, counts, counts, st.sampled_from(sorted(UNITS)))
    names = st.sampled_from([*PARTS, "/id", "/customer/id", "/to/*"])
    return st.builds(
        RateLimit,
        limit=limits,
        burst=st.none() | counts,
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
        Example(
            "Two at once, then one every ten seconds",
            """\
[[rule]]
id = "steady-deploys"
kind = "rate-limit"
tools = ["deploy"]
limit = "6/minute"
burst = 2

[[rule.example]]
calls = [
  { tool = "deploy", args = {}, at = 0 },
  { tool = "deploy", args = {}, at = 1 },
  { tool = "deploy", args = {}, at = 9 },
  { tool = "deploy", args = {}, at = 10 },
  { tool = "deploy", args = {}, at = 19 },
  { tool = "deploy", args = {}, at = 20 },
]
expect = ["pass", "pass", "deny", "pass", "deny", "pass"]
why = "a token is back ten seconds after the bucket was full, and the next one ten seconds later"
""",
        ),
    ),
    strategy=_strategy,
)
