"""Questions to people: what an approver is asked, and what its answer means."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal

from attrs import frozen

from ..call import Call
from ..decision import Decision
from .phrases import describe

Reply = Literal["allow", "reject", "cancel"]
Approver = Callable[["Question"], "Reply | Awaitable[Reply]"]
"""Asks a person. Returns `allow` for this one call, `reject` or `cancel`; everything else refuses, and so does an
error and silence past the time limit."""

REJECTED = "a person refused this call"
CANCELLED = "the question about this call was cancelled"
UNAVAILABLE = "nobody could be asked about this call"
NO_APPROVER = "this call needs approval, and there is nobody to ask"
LATE = "nobody answered the question about this call in time"
OUTDATED = "while a person was asked about this call, what it would do has changed; call again"


@frozen
class Question:
    """One question for one call: every reason for asking, and what the call would do.

    `reasons` and `effects` are escaped for showing. `call` has the arguments as rewritten, which are those that
    would run.
    """

    call: Call
    decision: Decision
    reasons: tuple[str, ...]
    effects: tuple[str, ...]

    @classmethod
    def of(cls, call: Call, decision: Decision) -> Question:
        """Make the question of a decision that asks."""
        said = [
            answer.message or answer.note for answer in decision.trace if answer.says == "ask" and not answer.monitored
        ]
        reasons = tuple(dict.fromkeys(filter(None, [decision.reason, *said])))
        return cls(call, decision, reasons, tuple(describe(effect) for effect in decision.effects[1:]))


def refusal_for(reply: object) -> str | None:
    """The text for the model that a reply means, `None` only for an exact `allow`."""
    if type(reply) is str and reply == "allow":
        return None
    return {"reject": REJECTED, "cancel": CANCELLED}.get(reply if isinstance(reply, str) else "", UNAVAILABLE)
