"""What ends on a day: it is warned of before, and told once it has ended."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

from attrs import evolve

from ..errors import Finding
from ..kind import Problem, Setting
from ..plan.rule import Rule

SOON = 14 * 86_400
"""How long before its end a grant or an exception is warned of, in seconds."""


def check_expiry(rule: Rule, setting: Setting, now: float) -> None:
    """Note what has ended by *now* (seconds since the epoch), and what ends soon.

    Both are warnings when rules are loaded, since a day that passes must stop no engine; see `overdue`.
    """
    ends = [(("except", index, "expires"), one.expires) for index, one in enumerate(rule.excepts)]
    for path, expires in [(("expires",), rule.expires), *ends]:
        if expires is not None and now >= expires:
            setting.problems.append(_ended(path))
        elif expires is not None and now >= expires - SOON:
            setting.problems.append(_ends_soon(path, expires))


def overdue(findings: Iterable[Finding]) -> list[Finding]:
    """The findings as `check` reports them: what has ended and stands there still is an error."""
    return [evolve(finding, severity="error") if finding.code == "expired" else finding for finding in findings]


def _ended(path: tuple[str | int, ...]) -> Problem:
    return Problem(
        path,
        "expired",
        "the grants and exceptions have ended" if len(path) == 1 else "the exception has ended",
        "what has expired no longer counts; what the rule refuses, it goes on refusing",
        "take it away, or write a later day",
        "warning",
    )


def _ends_soon(path: tuple[str | int, ...], expires: float) -> Problem:
    last = dt.datetime.fromtimestamp(expires, dt.UTC).strftime("%Y-%m-%d %H:%M UTC")
    return Problem(
        path,
        "expires-soon",
        f"the grants and exceptions end at {last}" if len(path) == 1 else f"the exception ends at {last}",
        "from then on it no longer counts, and who relies on it is refused",
        "write a later day if it is needed longer, else take it away in time",
        "warning",
    )
