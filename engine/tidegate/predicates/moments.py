"""Moments and days in arguments: RFC 3339, compared as instants.

A date-time needs its zone: without one nobody knows which moment it is. Of what the RFC leaves open, a leap second
and a blank in place of the `T` are not read.
"""

from __future__ import annotations

import datetime as dt
import re

Moment = tuple[int, str]
"""Seconds since the epoch, or days since the first of the year 1, and the digits behind the point, without zeros at
their end: tuples of these compare as the numbers do, exactly."""

_DAY = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_MOMENT = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,64}))?"
    r"(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))"
)
_EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001 - the offset is taken off by hand


def moment_of(text: str, *, of_days: bool) -> Moment | None:
    """The moment or, with *of_days*, the day that *text* names; `None` where it names none."""
    match = (_DAY if of_days else _MOMENT).fullmatch(text)
    if match is None:
        return None
    try:
        if of_days:
            return dt.date(*map(int, match.groups())).toordinal(), ""
        when = dt.datetime(*map(int, match.groups()[:6]))  # type: ignore[arg-type]  # noqa: DTZ001 - see above
    except ValueError:
        return None
    hours, minutes = int(match[9] or 0), int(match[10] or 0)
    if hours > 23 or minutes > 59:  # noqa: PLR2004 - what a clock shows
        return None
    offset = (hours * 3_600 + minutes * 60) * (-1 if match[8] == "-" else 1)
    elapsed = when - _EPOCH
    seconds = elapsed.days * 86_400 + elapsed.seconds - offset
    return seconds, (match[7] or "").rstrip("0")


def moment_of_bound(bound: dt.date) -> Moment:
    """The moment or day that a rule names; a date-time must have its zone."""
    if not isinstance(bound, dt.datetime):
        return bound.toordinal(), ""
    elapsed = bound - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
    return elapsed.days * 86_400 + elapsed.seconds, f"{elapsed.microseconds:06d}".rstrip("0")
