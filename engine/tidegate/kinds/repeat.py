"""`repeat`: the same call again and again, and one failure after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from attrs import frozen

from ..kind import Case, Claim, Example, Kind, Limit, Output, Phase, Refuse, Setting, param
from ..limiting.keys import keys_by, known, session_part, tool_part
from ..limiting.rates import Rate, counted, read_rate, read_row
from ..limiting.stores import OnError, check_store, on_error_param, store_param

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


@frozen
class Repeat:
    """Stop an agent that goes round in circles, remind it, or ask a person about it.

    `same = "3/10m"` lets a session make the same call three times in any ten minutes: the same tool with arguments
    that are the same JSON value, whatever the order of their keys, as rewritten. What changes with every try (a
    number, a time) makes another call of it. `same = "3/20 calls"` looks at calls instead of time: of any twenty calls
    of a session that the rule is about, three may be the same one. These are counted where the history of sessions is
    kept, on this machine, whatever `store` says; calls that run side by side are not held against each other.

    `failures = "3/hour"` stops a tool in a session after three calls in a row that failed within an hour: a success
    of the same tool begins anew. The tool is free again when the oldest of the failures is an hour old. Calls that
    run side by side are not held against each other, so that a few more may fail.

    A refused call never ran, and counts neither as made nor as failed. `then = "ask"` asks where it would refuse;
    what a person allows counts like any other call, and a success ends the row. `then = "remind"` lets the call run,
    and puts the words of the refusal before its result, so that the model reads them; output rules treat them like
    the result. Each session counts for itself; calls without one are one session. The model reads the refusal, which
    tells it to do something else.

    Failures are known only where results are seen: through `decide` and the hook of an agent's command line,
    `failures` never answers anything, and `same` counts what was allowed without a question, since nobody hears there
    how one was answered. There a reminder is the decision's reason, and what the hook adds to the model's context.
    """

    same: str | None = param(
        'How often the same call may be made in which time, or among how many: "3/10m", "3/20 calls".', default=None
    )
    failures: str | None = param(
        'After how many failures in a row, in which time, a tool stops: "3/hour".', default=None
    )
    then: Literal["deny", "ask", "remind"] = param("What the rule answers then.", default="deny")
    store: str = store_param()
    on_error: OnError = on_error_param()


def compile_repeat(fields: Repeat, setting: Setting) -> Limit:
    """Read both rates, and put together what makes the keys."""
    row = None if fields.same is None else read_row(fields.same, "same", setting)
    same = row or (None if fields.same is None else read_rate(fields.same, "same", setting))
    failures = None if fields.failures is None else read_rate(fields.failures, "failures", setting)
    if same is None and failures is None:
        what, why = "`same` and `failures` are both missing", "it would never answer anything"
        setting.problem((), "says-nothing", what, why, "add one of them")
    check_store(fields.store, setting)
    about = ("row" if row else "same", same and same.window)
    calls = keys_by([session_part, tool_part, _arguments], about, setting)
    sessions = keys_by([session_part], about, setting)
    rows = keys_by([session_part, tool_part], ("failures", failures and failures.window), setting)

    def claims(case: Case) -> tuple[Claim, ...]:
        wanted = []
        if same is not None:
            among = next(iter(sessions(case))) if row else ""
            wanted += [Claim(key, same.limit, float(same.window), among=among) for key in calls(case)]
        if failures is not None:
            wanted += [Claim(key, failures.limit, float(failures.window), settles="streak") for key in rows(case)]
        return tuple(wanted)

    refusal = _refusal(same, failures)
    return Limit(claims, fields.store, refusal, fields.on_error, fields.then, _settled, in_rows=row is not None)


def _arguments(case: Case) -> list[bytes]:
    return [known(case.call.arguments)]


def _settled(output: Output) -> int | None:
    """A failure lengthens the row, a success ends it."""
    return 1 if output.is_error else None


def _refusal(same: Rate | None, failures: Rate | None) -> Refuse:
    """Words without the time until there is room: waiting is not what helps, and an approver must read them twice."""
    made = f"this very call was made {counted(same.limit, 'time')} in {_time(same)}" if same else ""
    failed = f"this tool failed {counted(failures.limit, 'time')} in a row" if failures else ""

    def refusal(_: float, claim: Claim) -> str:
        return f"{failed if claim.settles == 'streak' else made}; do something else, or ask for help"

    return refusal


def _time(rate: Rate) -> str:
    return rate.time if rate.time[:1].isdigit() or rate.time.startswith("the ") else f"one {rate.time}"


def _strategy() -> SearchStrategy[Repeat]:
    from hypothesis import strategies as st

    rates = st.sampled_from(["1/s", "2/10s", "3/10m", "5/hour", "9/day"])
    same = rates | st.sampled_from(["1/2 calls", "3/20 calls"])
    then, on_error = st.sampled_from(["deny", "ask", "remind"]), st.sampled_from(["deny", "ask", "allow"])
    given = st.tuples(same, st.none() | rates) | st.tuples(st.none(), rates)
    return given.flatmap(
        lambda two: st.builds(Repeat, same=st.just(two[0]), failures=st.just(two[1]), then=then, on_error=on_error)
    )


KIND = Kind(
    name="repeat",
    phase=Phase.LIMIT,
    fields=Repeat,
    compile=compile_repeat,
    examples=(
        Example(
            "The same call a third time",
            """\
[[rule]]
id = "no-circles"
kind = "repeat"
same = "2/10m"

[[rule.example]]
calls = [
  { tool = "web_search", session = "s1", args = { query = "weather", page = 1 }, at = 0 },
  { tool = "web_search", session = "s1", args = { page = 1, query = "weather" }, at = 10 },
  { tool = "web_search", session = "s1", args = { query = "weather", page = 1.0 }, at = 20 },
  { tool = "web_search", session = "s1", args = { query = "weather", page = 2 }, at = 20 },
  { tool = "web_search", session = "s2", args = { query = "weather", page = 1 }, at = 20 },
  { tool = "web_search", session = "s1", args = { query = "weather", page = 1 }, at = 600 },
]
expect = ["pass", "pass", "deny", "pass", "pass", "pass"]
why = "the order of keys and `1.0` for `1` make no other call; another page or another session does"
""",
        ),
        Example(
            "Three failures in a row",
            """\
[[rule]]
id = "three-strikes"
kind = "repeat"
tools = ["run_tests", "deploy"]
failures = "3/hour"

[[rule.example]]
calls = [
  { tool = "run_tests", session = "s1", args = {}, at = 0, fails = true },
  { tool = "run_tests", session = "s1", args = {}, at = 10, fails = true },
  { tool = "run_tests", session = "s1", args = {}, at = 20, ends = 25 },
  { tool = "run_tests", session = "s1", args = {}, at = 30, fails = true },
  { tool = "run_tests", session = "s1", args = {}, at = 40, fails = true },
  { tool = "run_tests", session = "s1", args = {}, at = 50, fails = true },
  { tool = "run_tests", session = "s1", args = {}, at = 60 },
  { tool = "deploy", session = "s1", args = {}, at = 60, ends = 61 },
  { tool = "run_tests", session = "s1", args = {}, at = 3640, ends = 3650 },
]
expect = ["pass", "pass", "pass", "pass", "pass", "pass", "deny", "pass", "pass"]
why = "the success between them ended the first row, and another tool has a row of its own"
""",
        ),
        Example(
            "Ask a person",
            """\
[[rule]]
id = "ask-about-circles"
kind = "repeat"
same = "1/hour"
failures = "1/minute"
then = "ask"

[[rule.example]]
calls = [
  { tool = "send_email", session = "s1", args = { to = "a@example.com" }, at = 0, ends = 1 },
  { tool = "send_email", session = "s1", args = { to = "a@example.com" }, at = 2 },
  { tool = "send_email", session = "s1", args = { to = "b@example.com" }, at = 3, fails = true },
  { tool = "send_email", session = "s1", args = { to = "c@example.com" }, at = 4 },
  { tool = "send_email", session = "s1", args = { to = "c@example.com" }, at = 63, ends = 64 },
]
expect = ["pass", "ask", "pass", "ask", "pass"]
""",
        ),
        Example(
            "Remind the model of what it has just tried",
            """\
[[rule]]
id = "remind-of-circles"
kind = "repeat"
tools = ["web_search", "read_file"]
same = "1/3 calls"
then = "remind"
message = "you have this result already: use it"

[[rule.example]]
calls = [
  { tool = "web_search", session = "s1", args = { query = "tides" } },
  { tool = "read_file", session = "s1", args = { path = "a" } },
  { tool = "web_search", session = "s1", args = { query = "tides" } },
  { tool = "web_search", session = "s2", args = { query = "tides" } },
  { tool = "read_file", session = "s1", args = { path = "b" } },
  { tool = "read_file", session = "s1", args = { path = "c" } },
  { tool = "web_search", session = "s1", args = { query = "tides" } },
]
expect = ["pass", "pass", "remind", "pass", "pass", "pass", "pass"]
why = "of three calls in a row no two should be the same; the last one is three calls later"
""",
        ),
    ),
    strategy=_strategy,
)
