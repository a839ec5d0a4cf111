"""What ends on a day: a warning before, a finding after, and what it means for calls in between."""

import datetime as dt

from hypothesis import example, given
from hypothesis import strategies as st

from tidegate.compile.compiler import compile_plan
from tidegate.compile.expiry import SOON, overdue
from tidegate.lang.layers import loads

DAY = 86_400
ENDS = dt.datetime(2026, 12, 24, tzinfo=dt.UTC).timestamp()
RULES = """\
version = 1
default = "deny"

[[rule]]
id = "workspace"
kind = "path"
allow = ["{root}/**"]
deny = ["**/.env"]
except = [{ path = "fixtures/.env", expires = 2026-12-23 }, { path = "samples/.env" }]
"""

moments = st.floats(ENDS - 40 * DAY, ENDS + 40 * DAY)


@given(moments)
@example(ENDS)
@example(ENDS - SOON)
@example(ENDS - SOON - 0.5)
@example(ENDS - 0.5)
def test_before_its_end_it_is_warned_of_and_after_it_told(now):
    """Nothing is said while there is time, then a warning, and from the end on one that `check` takes for an error."""
    outcome = compile_plan(loads(RULES), now=now)
    code = "expired" if now >= ENDS else "expires-soon" if now >= ENDS - SOON else None
    reported = "error" if code == "expired" else "warning"

    assert [(one.code, one.severity, one.line) for one in outcome.findings] == ([(code, "warning", 9)] if code else [])
    assert [one.severity for one in overdue(outcome.findings)] == ([reported] if code else [])
    assert outcome.plan is not None


@given(moments)
def test_the_end_of_a_rule_is_told_like_that_of_an_exception(now):
    """`expires` of the rule itself ends its grants and its exceptions."""
    text = RULES.replace(", expires = 2026-12-23", "") + "expires = 2026-12-23\n"
    findings = compile_plan(loads(text), now=now).findings
    code = "expired" if now >= ENDS else "expires-soon" if now >= ENDS - SOON else None

    assert [(one.code, one.line) for one in findings] == ([(code, 10)] if code else [])
