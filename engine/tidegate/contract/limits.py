"""What a limit rule takes for a call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from attrs import frozen

from ..output import Output
from .case import Case

Settles = Literal["entry", "slot", "result", "streak"]
"""When it is known what a claim takes.

`entry`: when the body is entered. `slot`: it is held while the body runs, and for `window` seconds at most where
nobody renews it. `result`: its cost is a guess, for which the true one is put once the result is known. `streak`: it
needs room and takes nothing, until the result adds to its key or clears it.
"""


@frozen
class Claim:
    """What one call takes from one limit: *cost* units of the at most *limit* in *window* seconds under *key*.

    With a *refill* the key is a bucket of tokens instead: it holds *limit*, of which *refill* flow back in *window*
    seconds. With *among*, the name of a row of calls, it is counted in calls instead of in seconds: of the last
    *window* calls that entered the row, this one among them, at most *limit* may stand under *key*. *grain* is the
    step in seconds in which units leave their window, 0 for none; `None` leaves it to the store.
    """

    key: str
    limit: int
    window: float
    cost: int = 1
    refill: int = 0
    settles: Settles = "entry"
    grain: float | None = None
    among: str = ""

    @property
    def held(self) -> int:
        """The units that it takes before it is settled."""
        return 0 if self.settles == "streak" else self.cost


Refuse = Callable[[float, Claim], str]
"""Turns the seconds until there is room, and the claim that has none, into a text for the model."""


@frozen
class Limit:
    """What a limit rule takes for a call, and from which store; `refusal` words the refusal.

    `claims` gives one claim for each bucket that the call draws from (a command that reaches two hosts draws from
    two); all of them are taken or none. It raises `Veto` where it cannot tell, which refuses the call. `on_error`
    is the answer where the store fails, and `says` where there is no room; once an approver was asked, `ask` is deny,
    and with `remind` the call runs and its result carries the refusal as a notice to the model. `in_rows` tells that
    some claims are counted in rows of calls, which are kept where the history of sessions is.

    `settled` tells, from the result as it goes out, what each claim that does not settle at entry took in the end;
    `None` clears its key. It is not asked for a call whose body was never entered, or whose end nobody sees.
    """

    claims: Callable[[Case], tuple[Claim, ...]]
    store: str
    refusal: Refuse
    on_error: str = "deny"
    says: str = "deny"
    settled: Callable[[Output], int | None] | None = None
    in_rows: bool = False
