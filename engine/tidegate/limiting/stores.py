"""Where limits are counted: the names of stores that a rule may say."""

from __future__ import annotations

import re
from typing import Literal

from ..kind import Setting, param
from ..lang.nearest import nearest
from ..shown import quote

NAMES = ("memory", "sqlite", "redis", "valkey")
OnError = Literal["deny", "ask", "allow"]

_URL = re.compile(r"(?:redis|rediss|valkey|valkeys)://(?P<secret>[^@/]*@)?[A-Za-z0-9.\[\]:-]+(?:/[0-9]{1,4})?")


def store_param() -> str:
    """The field `store` of a kind of limit."""
    return param(  # type: ignore[no-any-return]
        "Where calls are counted: `memory` (this process), `sqlite` (all processes of one user on one machine), "
        '`redis` or `valkey` (the server in the environment variable), or a URL such as "redis://host:6379/0".',
        default="memory",
    )


def on_error_param() -> OnError:
    """The field `on_error` of a kind of limit."""
    return param("The answer while the store cannot be used.", default="deny")  # type: ignore[no-any-return]


def check_store(store: str, setting: Setting) -> None:
    """Note a problem where *store* names none, or would tell a secret to everybody who reads the rules."""
    if store in NAMES:
        return
    match = _URL.fullmatch(store)
    if match is not None and match["secret"] is None:
        return
    if match is not None or "@" in store:
        setting.problem(
            ("store",),
            "secret-in-rule",
            "the URL of the store holds a user or a password",
            "rule files are read by many, and are kept in repositories",
            'write `store = "redis"` and put the URL into the environment variable `TIDEGATE_REDIS_URL`',
        )
        return
    close = nearest(store, NAMES)
    setting.problem(
        ("store",),
        "bad-value",
        f"{quote(store)} is no store",
        "calls would not be counted",
        f"write `{close}`" if close else "write `memory`, `sqlite`, `redis`, `valkey` or a URL of the last two",
    )
