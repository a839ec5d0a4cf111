"""`concurrency`: how many calls may run at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from ..kind import Case, Claim, Example, Kind, Limit, Phase, Setting, param
from ..limiting.keys import PARTS, keys_of
from ..limiting.rates import check_count, counted, read_span
from ..limiting.stores import OnError, check_store, on_error_param, store_param

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


@frozen
class Concurrency:
    """Let at most so many calls run at the same time.

    A call takes a slot when its body is entered and gives it back when the body ends, however it ends: with a result,
    an error, or because it was cancelled. A call that finds no slot is refused, and does not wait.

    A slot is held for `lease`. While the body runs, its process renews it four times in that time, so that a body may
    take longer; a process that dies gives its slots back when the lease ends. A process that is stopped for longer
    than that, while its tool goes on, has lost them: then more may run than the rule says. In `memory` nothing has to
    be renewed, for the slots die with the process.

    Where the end of the call is not seen (`decide`, the hook of an agent's command line), nobody gives the slot back
    or renews it, and it is free again when the lease ends: there the rule lets so many calls *begin* in any time as
    long as the lease. Choose a lease that suits the longest call.

    `per` tells apart what has slots of its own, and `store` where they are kept, as in `rate-limit`; what is missing
    shares the slots of one bucket. A body that hands its work to something in the background and returns has ended.
    """

    limit: int = param("How many calls may run at once.")
    per: tuple[str, ...] = param(
        "What has slots of its own: `tool`, `agent`, `session`, `server`, `host`, or pointers into the arguments.",
        default=(),
    )
    lease: str = param(
        'After which time a slot is free again that nobody renews: "30s", "10 minutes".', default="10 minutes"
    )
    store: str = store_param()
    on_error: OnError = on_error_param()


def compile_concurrency(fields: Concurrency, setting: Setting) -> Limit:
    """Check the number, and put together what makes the keys."""
    check_count(fields.limit, "limit", setting)
    check_store(fields.store, setting)
    lease = float(read_span(fields.lease, "lease", setting))
    keys = keys_of(fields.per, ("slots",), setting)

    def claims(case: Case) -> tuple[Claim, ...]:
        return tuple([Claim(key, fields.limit, lease, settles="slot") for key in keys(case)])

    text = f"{counted(fields.limit, 'call')} may run at once; try again when one has ended"
    return Limit(claims, fields.store, lambda _after, _claim: text, fields.on_error)


def _strategy() -> SearchStrategy[Concurrency]:
    from hypothesis import strategies as st

    names = st.sampled_from([*PARTS, "/id", "/to/*"])
    return st.builds(
        Concurrency,
        limit=st.integers(1, 5),
        per=st.lists(names, max_size=2, unique=True).map(tuple),
        lease=st.sampled_from(["10s", "1 minute", "2hours"]),
        on_error=st.sampled_from(["deny", "ask", "allow"]),
    )


KIND = Kind(
    name="concurrency",
    phase=Phase.LIMIT,
    fields=Concurrency,
    compile=compile_concurrency,
    examples=(
        Example(
            "One build at a time",
            """\
[[rule]]
id = "one-build"
kind = "concurrency"
tools = ["run_build"]
limit = 1

[[rule.example]]
calls = [
  { tool = "run_build", args = {}, at = 0, ends = 60 },
  { tool = "run_build", args = {}, at = 59 },
  { tool = "run_build", args = {}, at = 60, ends = 90, fails = true },
  { tool = "run_build", args = {}, at = 90, ends = 95 },
]
expect = ["pass", "deny", "pass", "pass"]
why = "a slot is free the moment the build ends, also where it fails"
""",
        ),
        Example(
            "Two queries at once on each database",
            """\
[[rule]]
id = "two-queries-each"
kind = "concurrency"
tools = ["query"]
limit = 2
per = ["/database"]

[[rule.example]]
calls = [
  { tool = "query", args = { database = "sales" }, at = 0, ends = 30 },
  { tool = "query", args = { database = "sales" }, at = 1, ends = 5 },
  { tool = "query", args = { database = "sales" }, at = 2 },
  { tool = "query", args = { database = "stock" }, at = 2, ends = 3 },
  { tool = "query", args = { database = "sales" }, at = 6, ends = 7 },
]
expect = ["pass", "pass", "deny", "pass", "pass"]
""",
        ),
        Example(
            "A slot whose process died",
            """\
[[rule]]
id = "few-browsers"
kind = "concurrency"
tools = ["open_browser"]
limit = 1
lease = "30s"
store = "sqlite"

[[rule.example]]
calls = [
  { tool = "open_browser", args = {}, at = 0 },
  { tool = "open_browser", args = {}, at = 29 },
  { tool = "open_browser", args = {}, at = 30, ends = 31 },
]
expect = ["pass", "deny", "pass"]
why = "nobody tells the end of the first call, and its slot is free again when the lease ends"
""",
        ),
    ),
    strategy=_strategy,
)
