"""Questions to people: what an approver is asked, and what its answer means."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from logging import getLogger
from threading import Lock
from typing import TYPE_CHECKING, Literal

from attrs import evolve, field, frozen
from attrs.validators import instance_of, optional

from ..call import Call
from ..decision import Decision
from ..kind import Guard, Matcher, Terms
from .bound import Bound, asking, bound_of, covered_by
from .phrases import describe

if TYPE_CHECKING:
    from ..facts.approvals import Scope
    from .sitting import Sitting


@frozen
class Approved:
    """A person allows a call.

    Attributes:
        scope: `once` for this one call; `session` for the same call in this session; `until` for the same call up to
            a time, whatever the session.
        until: That time in seconds since the epoch; for `session` it may be `None`. A rule may say an earlier one.
        by: The name of the person, as the host knows it.
        pattern: One of the question's `patterns`, word for word, which is then allowed instead of exactly this call.

    Raises:
        TypeError: A field is of another type.
    """

    scope: Scope = field(default="once", validator=instance_of(str))
    until: float | None = field(default=None, validator=optional(instance_of((int, float))))
    by: str = field(default="", validator=instance_of(str))
    pattern: str | None = field(default=None, validator=optional(instance_of(str)))


Reply = Literal["allow", "reject", "cancel"]
Approver = Callable[["Question"], "Reply | Approved | Awaitable[Reply | Approved]"]
"""Asks a person. Returns `allow` for this one call, an `Approved` that says more, `reject` or `cancel`; everything else
refuses, and so does an error and silence past the time limit."""

REJECTED = "a person refused this call"
CANCELLED = "the question about this call was cancelled"
UNAVAILABLE = "nobody could be asked about this call"
NO_APPROVER = "this call needs approval, and there is nobody to ask"
LATE = "nobody answered the question about this call in time"
OUTDATED = "while a person was asked about this call, what it would do has changed; call again"
NOT_ENTITLED = "whoever allowed this call is not among those who may"
NOT_OFFERED = "this call was allowed in a way that the rules do not offer"
SPENT = "this question about the call has been answered already; ask again"
FORGOTTEN = "the approval of this call could not be kept"

_log = getLogger("tidegate")
_EVERY: frozenset[str] = frozenset({"once", "session", "until"})


class Spent:
    """Whether a question has been answered; the first who takes it is the only one."""

    __slots__ = ("_lock", "_taken")

    def __init__(self) -> None:
        self._lock = Lock()
        self._taken = False

    def take(self) -> bool:
        """Take it; false where somebody has."""
        with self._lock:
            taken, self._taken = self._taken, True
        return not taken


@frozen
class Question:
    """One question for one call: every reason for asking, and what the call would do.

    `reasons` and `effects` are escaped for showing. `call` has the arguments as rewritten, which are those that
    would run. `scopes` and `patterns` are what may be chosen in an `Approved`, `by` the names of those who may answer,
    `None` for anybody; an approval is remembered for `longest` seconds at most. Once an answer to it was kept it is
    `spent`: the same answer that comes again allows nothing more.
    """

    call: Call
    decision: Decision
    reasons: tuple[str, ...]
    effects: tuple[str, ...]
    scopes: tuple[str, ...] = ("once",)
    patterns: tuple[str, ...] = ()
    by: tuple[str, ...] | None = None
    patience: float = math.inf
    longest: float = 0.0
    bound: Bound | None = field(default=None, repr=False)
    spent: Spent = field(factory=Spent, eq=False, repr=False)

    @classmethod
    def of(cls, call: Call, decision: Decision) -> Question:
        """Make the question of a decision that asks, for a host that can only say yes or no."""
        said = [
            answer.message or answer.note for answer in decision.trace if answer.says == "ask" and not answer.monitored
        ]
        reasons = tuple(dict.fromkeys(filter(None, [decision.reason, *said])))
        return cls(call, decision, reasons, tuple(describe(effect) for effect in decision.effects[1:]))

    @classmethod
    def on_terms(cls, sitting: Sitting, decision: Decision, digest: Callable[[str], str] | None) -> Question:
        """Make the question with what may be chosen; *digest* reads the files of code that the call names."""
        terms = terms_of(sitting, decision)
        bound = bound_of(sitting, decision, digest)
        scopes = [scope for scope in ("once", "session", "until") if scope in terms.scopes]
        if bound.code is None:  # what cannot be bound is not remembered
            scopes = ["once"]
        if bound.session is None:
            scopes = [scope for scope in scopes if scope != "session"]
        return evolve(
            cls.of(sitting.call, decision),
            scopes=tuple(scopes),
            patterns=_offered(sitting, terms) if len(scopes) > 1 else (),
            by=None if terms.by is None else tuple(sorted(terms.by)),
            patience=math.inf if terms.patience is None else terms.patience,
            longest=terms.longest,
            bound=bound,
        )

    def refusal_for(self, reply: object, now: float) -> str | None:
        """The text for the model that a reply means; `None` only for one that allows, by the terms of the rules."""
        if type(reply) is str and reply == "allow":
            reply = Approved()
        if not isinstance(reply, Approved):
            said = {"reject": REJECTED, "cancel": CANCELLED}.get(reply if isinstance(reply, str) else "")
            if said is None:
                _log.error("the approver answered %r; it must be `allow`, `reject`, `cancel` or an `Approved`", reply)
            return said or UNAVAILABLE
        if self.by is not None and reply.by not in self.by:
            return NOT_ENTITLED
        if self._offers(reply, now):
            return None
        _log.error("the approver answered %r, which the question did not offer", reply)
        return NOT_OFFERED

    def _offers(self, reply: Approved, now: float) -> bool:
        if reply.scope not in self.scopes:
            return False
        if reply.pattern is not None and (reply.scope == "once" or reply.pattern not in self.patterns):
            return False
        until = reply.until
        if until is None:
            return reply.scope != "until"
        return math.isfinite(until) and until > now


def terms_of(sitting: Sitting, decision: Decision) -> Terms:
    """The terms of all rules that ask, together: who may answer for each of them, and what all of them offer.

    Where a rule without terms asks as well, or the default does, nothing is remembered.
    """
    by: frozenset[str] | None = None
    found: list[Terms] = []
    plain = False
    for rule in dict.fromkeys(asking(sitting, decision)):
        of_rule = [one.part.terms for one in sitting.guards() if one.id == rule and isinstance(one.part, Guard)]
        found += [terms for terms in of_rule if terms is not None]
        plain = plain or not of_rule or None in of_rule
    for terms in found:
        if terms.by is not None:
            by = terms.by if by is None else by & terms.by
    waits = [terms.patience for terms in found if terms.patience is not None]
    scopes = frozenset({"once"}) if plain or not found else _EVERY.intersection(*(one.scopes for one in found))
    longest = min((terms.longest for terms in found), default=0.0)
    patterns = () if plain or not found else _shared(found)
    return Terms(by, min(waits, default=None), scopes, longest, patterns)


def _shared(found: list[Terms]) -> tuple[tuple[str, Matcher], ...]:
    """The patterns that every rule offers."""
    texts = frozenset[str].intersection(*(frozenset(text for text, _ in terms.patterns) for terms in found))
    return tuple((text, matches) for text, matches in found[0].patterns if text in texts)


def _offered(sitting: Sitting, terms: Terms) -> tuple[str, ...]:
    """The patterns that name, as grants, all that the call does; one whose matcher fails is none of them."""
    return tuple(text for text, matches in terms.patterns if _covers(matches, sitting))


def _covers(matches: Matcher, sitting: Sitting) -> bool:
    try:
        return covered_by(matches, sitting)
    except Exception:  # noqa: BLE001 - a grant that fails grants nothing, and the log has it
        _log.exception("a pattern of approvals failed")
        return False
