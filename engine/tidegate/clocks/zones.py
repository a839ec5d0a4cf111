"""Time zones by their names."""

from __future__ import annotations

import datetime as dt
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from ..kind import Setting
from ..lang.nearest import nearest
from ..shown import quote


def read_zone(name: str, setting: Setting) -> dt.tzinfo:
    """The zone of that name; UTC needs no data."""
    if name == "UTC":
        return dt.UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        known = available_timezones()
        close = nearest(name, sorted(known))
        setting.problem(
            ("zone",),
            "bad-value",
            f"{quote(name)} is no time zone that is known here",
            "without its rules nobody can tell what its clocks show",
            f"write `{close}`"
            if close
            else "write an IANA name such as `Europe/Vienna`"
            if known
            else "install the package `tzdata`, since this machine has no time zones",
        )
        return dt.UTC
