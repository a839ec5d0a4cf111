"""`timeout`: how long a call may take."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from attrs import frozen

from ..kind import Example, Kind, Phase, Setting, param
from ..kind import Timeout as Part

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


@frozen
class Timeout:
    """End a call whose body takes longer than so many seconds; its result is an error then.

    An asynchronous body is cancelled when the time is over. **What it did until then is not undone:** a file that is
    half written stays so, a process that it started may go on if the body does not end it, and a request that a server
    received is answered there. The model is told that the call was ended, and never that it did nothing.

    A synchronous body cannot be ended: Python has no way to stop a thread. It is waited for, however long it takes, and
    its result is withheld where it came too late; the same goes for a body that will not be cancelled. Such a tool
    needs a time limit of its own, or a process that can be ended.

    Of several rules the shortest time counts. The time runs from the dispatch of the judged call: not while a person is
    asked, nor while a limit is waited for, but in the guard slot and in listeners around the body that were registered
    after the rules. In `monitor` mode nothing is ended, and the record says what took too long. **The rule works only
    where the engine runs the tool** (an attached registry, `tidegate run`, a guarded function in one): a hook and
    `tidegate decide` do not see bodies, and a harness has its own time limits.

    In an example `ends` is the second in which the body ends; `expect = "deny"` says that the call ends in an error.
    """

    seconds: float = param("How long the body may take, in seconds; more than 0, at most a day.")


_DAY = 86_400


def compile_timeout(fields: Timeout, setting: Setting) -> Part:
    """Check that it is a length of time."""
    if not (0 < fields.seconds <= _DAY) or math.isnan(fields.seconds):
        setting.problem(
            ("seconds",),
            "out-of-range",
            f"`{fields.seconds:g}` is out of range",
            "a call needs some time, and one that may take forever needs no rule",
            f"write a number of more than 0 and at most {_DAY}",
        )
    return Part(fields.seconds)


def timeouts() -> SearchStrategy[Timeout]:
    """Times of all lengths."""
    from hypothesis import strategies as st

    return st.builds(Timeout, seconds=st.floats(0, _DAY, exclude_min=True) | st.integers(1, _DAY).map(float))


KIND = Kind(
    name="timeout",
    phase=Phase.RUN,
    fields=Timeout,
    compile=compile_timeout,
    strategy=timeouts,
    examples=(
        Example(
            "No command longer than two minutes",
            """\
[[rule]]
id = "two-minutes"
kind = "timeout"
tools = ["run_bash"]
seconds = 120

[[rule.example]]
call = { tool = "run_bash", args = { command = "make" }, ends = 120 }
expect = "pass"

[[rule.example]]
call = { tool = "run_bash", args = { command = "make" }, ends = 120.5 }
expect = "deny"

[[rule.example]]
call = { tool = "http_get", args = { url = "https://example.com" }, ends = 300 }
expect = "pass"
why = "it is another tool"
""",
        ),
        Example(
            "Half a minute for what reaches the network",
            """\
[[rule]]
id = "web"
kind = "timeout"
tools = ["http_get", "web_*"]
seconds = 30
message = "the page took too long; try another source"

[[rule.example]]
call = { tool = "web_search", args = { query = "tides" }, ends = 31 }
expect = "deny"

[[rule.example]]
call = { tool = "web_search", args = { query = "tides" }, ends = 29 }
expect = "pass"
""",
        ),
        Example(
            "Shorter where nobody waits for tests",
            """\
[[rule]]
id = "agents-are-quick"
kind = "timeout"
seconds = 5
when = { agent = "helper-*" }

[[rule.example]]
call = { tool = "run_bash", args = { command = "make" }, agent = "helper-1", ends = 6 }
expect = "deny"

[[rule.example]]
call = { tool = "run_bash", args = { command = "make" }, agent = "main", ends = 6 }
expect = "pass"

[[rule.example]]
call = { tool = "run_bash", args = { command = "make" }, ends = 6 }
expect = "deny"
why = "nobody says which agent it is"
""",
        ),
    ),
)
