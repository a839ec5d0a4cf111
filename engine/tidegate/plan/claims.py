"""What a call takes from limits: looked at while it is judged, reserved when it may run, given back if it does not."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from logging import getLogger
from typing import NamedTuple

import attrs

from ..decision import Answer, Verdict, strictest
from ..errors import Veto
from ..facts import RECORDED, Facts
from ..facts.bucket import grain_of
from ..facts.counters import Counters, Lease, Refused
from ..facts.heartbeat import Heartbeat
from ..facts.history import LIVE, History
from ..kind import Case, Claim, Limit, Output
from .judge import failure
from .rule import Rule

LEASE = 600.0
"""Seconds after which a reservation that nobody reports is given back."""


_PLENTY = 10**12


class Looked(NamedTuple):
    """What the limits say: the strictest refusal or `None`, every answer, and the verdict with monitored rules."""

    word: Answer | None
    answers: list[Answer]
    would: Verdict


class _Wanted(NamedTuple):
    """What one rule claims; taken as a whole. `rows` are the claims that are counted in calls."""

    rule: Rule
    limit: Limit
    claims: tuple[Claim, ...]
    rows: tuple[Claim, ...] = ()


class _Taken(NamedTuple):
    """A lease, the store that gave it, and the limit behind each of its claims."""

    counters: Counters
    lease: Lease
    limits: tuple[Limit, ...]


class Claims:
    """The claims of one call, grouped by store; `notices` are what its result is to carry if it runs."""

    __slots__ = ("_asked", "_at", "_beats", "_facts", "_given_back", "_leases", "_running", "_wanted", "notices")

    def __init__(self, facts: Facts, at: float | None) -> None:
        """Claim for a call that is judged now, or for a recorded one *at* that time."""
        self._facts = facts
        self._at = at
        self._wanted: dict[str, list[_Wanted]] = {}
        self._leases: list[_Taken] = []
        self._running: list[_Taken] = []
        self._beats: list[Heartbeat] = []
        self._asked: set[str] = set()
        self._given_back = False
        self.notices: list[str] = []

    def look(self, rules: Iterable[Rule], cases: Sequence[Case]) -> Looked:
        """Ask whether every limit has room for the call as its layer sees it, taking nothing."""
        self._wanted.clear()
        self.notices.clear()
        answers = [said for rule in rules if (said := self._look_at(rule, cases[rule.layer])) is not None]
        would: Verdict = "allow"
        word: Answer | None = None
        for said in answers:
            if said.says == "remind":
                self.notices += [] if said.monitored else [said.message]
                continue
            would = strictest(would, said.says)  # type: ignore[arg-type]
            if not said.monitored and (word is None or (said.says == "deny" and word.says == "ask")):
                word = said
        return Looked(word, answers, would)

    def _look_at(self, rule: Rule, case: Case) -> Answer | None:
        limit = rule.part
        assert isinstance(limit, Limit)  # noqa: S101 - the plan sorts rules by phase
        if rule.when is not None and rule.when.applies(case) is False:
            return None
        try:
            claims = limit.claims(case)
        except Veto as veto:
            return self._answer(rule, "deny", veto.reason, rule.message or veto.reason)
        except Exception as error:  # noqa: BLE001 - whatever it was, the rule refuses and names itself
            return self._answer(rule, "deny", failure(error), rule.message)
        if not rule.enforced:
            claims = tuple(map(_shadow, claims))
        timed = tuple(claim for claim in claims if not claim.among)
        wanted = _Wanted(rule, limit, timed, tuple(claim for claim in claims if claim.among))
        store = limit.store if self._at is None else RECORDED
        self._wanted.setdefault(store, []).append(wanted)
        try:
            refused = self._facts.counters(store).test(timed, self._time()) if timed else None
            refused = refused or self._overrun(wanted.rows)
        except Exception as error:  # noqa: BLE001 - a store that is down answers by the rule's `on_error`
            return self._down(wanted, error)
        if refused is None:
            return None
        if limit.says != "deny":  # who allows it all the same has been asked, and it counts like any other
            self._wanted[store][-1] = wanted._replace(claims=tuple(map(_beyond, timed)))
        return self._full(wanted, refused, limit.says)

    def _overrun(self, rows: Iterable[Claim]) -> Refused | None:
        """The first claim that has no room in its row of calls."""
        for place, claim in enumerate(rows):
            before = self._history.last(claim.among, int(claim.window) - 1)
            if before.count(claim.key) >= claim.limit:
                return Refused(place, claim, math.inf)
        return None

    @property
    def _history(self) -> History:
        return self._facts.history(LIVE if self._at is None else RECORDED)

    def reserve(self) -> Answer | None:
        """Take all claims or none; the answer of the rule that refuses, or `None`.

        Monitored claims are counted where there is room and never refuse. A store that was down when it was looked
        at, and whose rule then asked, has been answered for.
        """
        for store, wanted in self._wanted.items():
            enforced = [one for one in wanted if one.rule.enforced]
            shadows = [[one] for one in wanted if not one.rule.enforced]
            for group in ([enforced] if enforced else []) + shadows:
                said = self._reserve(store, group)
                if said is not None and said.says != "pass" and not said.monitored:
                    self.give_back()
                    return said
        return None

    def _reserve(self, store: str, wanted: list[_Wanted]) -> Answer | None:
        claims = [claim for one in wanted for claim in one.claims]
        if not claims:
            return None
        try:
            counters = self._facts.counters(store)
            taken = counters.reserve(claims, self._time(), LEASE)
        except Exception as error:  # noqa: BLE001 - a store that is down answers by the rules' `on_error`
            said = [self._down(one, error) for one in wanted if one.rule.id not in self._asked]
            return next((answer for answer in said if answer is not None), None)
        if isinstance(taken, Refused):
            return self._full(next(one for one in wanted if any(claim is taken.claim for claim in one.claims)), taken)
        self._leases.append(_Taken(counters, taken, tuple(one.limit for one in wanted for _ in one.claims)))
        if self._given_back:  # whoever waited for this thread was cancelled meanwhile
            self.give_back()
        return None

    def commit(self, *, attended: bool = False) -> bool:
        """Use what was reserved, right before the body; false where a reservation has expired meanwhile.

        Where the call is *attended*, whoever commits tells its end by `settle` or `give_back`, and until then a
        heartbeat keeps its slots.
        """
        now, stood = self._time(), True
        while self._leases:
            taken = self._leases[-1]
            lease = taken.lease
            if attended and not taken.counters.blocking:
                lease = lease._replace(claims=tuple(map(_for_good, lease.claims)))
            entered = taken.counters.commit(lease, now)  # where this fails, the lease is there to give back
            self._leases = [one for one in self._leases if one is not taken]
            if not entered:
                stood = False
            elif attended:
                self._attend(taken)
        if stood:
            self._enter_rows()
        if attended and self._given_back:  # whoever waited for this thread was cancelled meanwhile
            self.give_back()
        return stood

    def _enter_rows(self) -> None:
        """Let the call enter its rows of calls; where that fails, it is refused unless the rule says otherwise."""
        for one in [one for wanted in self._wanted.values() for one in wanted]:
            for claim in one.rows:
                try:
                    self._history.append(claim.among, claim.key, self._time())
                except Exception:
                    if one.rule.enforced and one.limit.on_error == "deny":
                        raise
                    getLogger("tidegate").exception("a call could not enter a row of calls")

    def _attend(self, taken: _Taken) -> None:
        """Note what waits for the end of the call, at once: another store may fail, and the body not be entered."""
        settling = {claim.settles for claim in taken.lease.claims}
        if settling != {"entry"}:
            self._running.append(taken)
        if "slot" in settling and taken.counters.blocking and self._at is None:
            self._beats.append(Heartbeat(taken.counters, taken.lease, self._time))

    @property
    def running(self) -> bool:
        """Whether something is held until the end of the call is told."""
        return bool(self._running)

    def settle(self, output: Output, at: float | None = None) -> None:
        """The body has ended, now or *at* that time: what was held is free, or is what the result says it came to."""

        def came_to(limit: Limit) -> int | None:
            return 0 if limit.settled is None else limit.settled(output)

        self._end(came_to, at)

    def give_back(self) -> None:
        """The body was never entered: what was reserved, and what a thread still reserves, is free again."""
        self._given_back = True
        leases, self._leases = self._leases, []
        for taken in leases:
            _quietly(lambda taken=taken: taken.counters.give_back(taken.lease))  # type: ignore[misc]
        self._end(lambda _: 0)

    def _end(self, came_to: Callable[[Limit], int | None], at: float | None = None) -> None:
        running, self._running = self._running, []
        beats, self._beats = self._beats, []
        for beat in beats:
            beat.stop()
        now = self._time() if at is None else at
        for taken in running:
            _quietly(
                lambda taken=taken: taken.counters.settle(taken.lease, [came_to(one) for one in taken.limits], now)  # type: ignore[misc]
            )

    def _time(self) -> float:
        return self._facts.clock.steady() if self._at is None else self._at

    def _down(self, wanted: _Wanted, error: Exception) -> Answer | None:
        if wanted.limit.on_error == "allow":
            return None
        says = "ask" if wanted.limit.on_error == "ask" else "deny"
        if says == "ask":
            self._asked.add(wanted.rule.id)
        message = wanted.rule.message or "the limit of this tool cannot be checked at the moment; try again later"
        return self._answer(wanted.rule, says, failure(error), message)

    def _full(self, wanted: _Wanted, refused: Refused, says: str = "deny") -> Answer:
        text = wanted.limit.refusal(refused.retry_after, refused.claim)
        return self._answer(wanted.rule, says, text, wanted.rule.message or text)

    def _answer(self, rule: Rule, says: str, note: str, message: str) -> Answer:
        return Answer(rule.id, rule.kind, says, "limit", note=note, monitored=not rule.enforced, message=message)  # type: ignore[arg-type]


def _for_good(claim: Claim) -> Claim:
    """A slot that its call keeps until it ends: a store in this process dies with the process."""
    return attrs.evolve(claim, window=math.inf) if claim.settles == "slot" else claim


def _shadow(claim: Claim) -> Claim:
    """The claim under keys of its own, which refuse nothing."""
    among = f"monitor:{claim.among}" if claim.among else ""
    return attrs.evolve(claim, key=f"monitor:{claim.key}", among=among)


def _beyond(claim: Claim) -> Claim:
    """The claim with room for it whatever else was taken."""
    return attrs.evolve(claim, limit=claim.limit + _PLENTY, grain=grain_of(claim))


def _quietly(work: Callable[[], None]) -> None:
    """Give back what can be given back; what a failing store keeps is free when its time has come."""
    try:
        work()
    except Exception:
        getLogger("tidegate").exception("a limit could not be told how a call ended")
