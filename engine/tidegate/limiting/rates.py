"""How many in which time: read from a rule, and said to the model."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import NamedTuple

from ..kind import Setting
from ..lang.nearest import nearest
from ..shown import quote

MOST = 1_000_000_000
"""The largest number of units in a limit."""

DAY = 86_400
LONGEST = 366 * DAY
"""The longest time, in seconds."""

_RATE = re.compile(r"([1-9][0-9]{0,17})/([1-9][0-9]{0,17})?([a-z]+)")
_SPAN = re.compile(r"([1-9][0-9]{0,17}) ?([a-z]+)")
_SECONDS: Mapping[str, int] = {"second": 1, "minute": 60, "hour": 3_600, "day": DAY}
UNITS: Mapping[str, str] = {name: unit for unit in _SECONDS for name in (unit, unit + "s", unit[0])}
"""Every way to write a unit of time, and the unit."""


class Rate(NamedTuple):
    """So many units in so many seconds, and how people say the time: "minute", "10 seconds"."""

    limit: int
    window: int
    time: str


def read_rate(text: str, key: str, setting: Setting) -> Rate:
    """Read such as "20/minute" or "5/10s" at *key*; what is none, or out of range, is a problem there."""
    match = _RATE.fullmatch(text)
    unit = UNITS.get(match[3]) if match else None
    if match is None or unit is None:
        close = nearest(match[3], UNITS) if match else None
        written = (
            f"write `{text[: match.start(3)]}{close}`" if match and close else 'write a number and a time, "20/minute"'
        )
        what = f"{quote(text)} is no limit"
        setting.problem((key,), "bad-limit", what, "a limit has to say how many in which time", written)
        return Rate(1, 1, "")
    limit, many = int(match[1]), int(match[2] or 1)
    window = many * _SECONDS[unit]
    if limit > MOST or window > LONGEST:
        setting.problem((key,), "out-of-range", f"the limit {quote(text)} is out of range", *_RANGE)
    return Rate(limit, window, unit if many == 1 else f"{many} {unit}s")


_ROW = re.compile(r"([1-9][0-9]{0,8})/([1-9][0-9]{0,8}) ?calls")


def read_row(text: str, key: str, setting: Setting) -> Rate | None:
    """Read such as "3/20 calls" at *key*, the window in calls; `None` for a limit in time."""
    match = _ROW.fullmatch(text)
    if match is None:
        return None
    limit, window = int(match[1]), int(match[2])
    if not limit < window <= LONGEST_ROW:
        what = f"the limit {quote(text)} is out of range"
        mend = f"write fewer than its calls, and of these at most {LONGEST_ROW:,}"
        setting.problem((key,), "out-of-range", what, "it could never be reached, or is never kept so long", mend)
    return Rate(limit, window, f"the last {window} calls")


LONGEST_ROW = 1_000
"""The most calls that a window can have."""

_RANGE = ("a limit takes up to 1,000,000,000 units in up to 366 days", "write a smaller number or a shorter time")


def read_span(text: str, key: str, setting: Setting) -> int:
    """Read such as "10 minutes" or "90s" at *key*, in seconds; what is none, or out of range, is a problem there."""
    match = _SPAN.fullmatch(text)
    unit = UNITS.get(match[2]) if match else None
    if match is None or unit is None:
        close = nearest(match[2], UNITS) if match else None
        written = f"write `{text[: match.start(2)]}{close}`" if match and close else 'write such as "10 minutes"'
        what = f"{quote(text)} is no length of time"
        setting.problem((key,), "bad-limit", what, "nobody could tell how long it is", written)
        return 1
    seconds = int(match[1]) * _SECONDS[unit]
    if seconds > LONGEST:
        what = f"{quote(text)} is longer than 366 days"
        setting.problem((key,), "out-of-range", what, "no store keeps anything so long", "write a shorter time")
    return seconds


def check_count(number: int, key: str, setting: Setting) -> None:
    """Note a problem at *key* where *number* is no number of units that a limit may have."""
    if not 1 <= number <= MOST:
        what = f"the number `{number}` is out of range"
        why = "a limit takes from 1 to 1,000,000,000 units"
        setting.problem((key,), "out-of-range", what, why, "write such a number")


def counted(number: int, noun: str) -> str:
    """So many of something: "1 call", "3 calls"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def duration(seconds: float) -> str:
    """At least so long, in the largest unit of which there are two."""
    unit, length = "second", 1
    for name, size in _SECONDS.items():
        if seconds >= 2 * size:
            unit, length = name, size
    return counted(max(1, math.ceil(seconds / length)), unit)
