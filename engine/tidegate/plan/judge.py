"""How guard rules answer and how their answers become a verdict: the semantics of the whole product.

Every applicable rule answers. The verdict is the strictest of all answers and, where an effect is uncovered, the
layer's default. Nothing here depends on the order of rules but the name that is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ..decision import Answer, Verdict, strictest
from ..kind import Case, Guard, Matcher
from ..meaning.effects import Effect
from ..meaning.tri import Unknown
from .rule import Rule


class Verdicts(NamedTuple):
    """What the rules of one layer say together, before its default.

    `refusal` is the first of the strictest refusals that count, `grant` the first grant, `uncovered` the first
    effect that no grant covers, and `would` the strictest refusal with those of monitored rules.
    """

    refusal: Answer | None
    grant: Answer | None
    uncovered: Effect | None
    would: Verdict


def fold(answers: Iterable[Answer], effects: Sequence[Effect]) -> Verdicts:
    """Fold the answers of one layer's rules, which stand in file order."""
    refusal: Answer | None = None
    grant: Answer | None = None
    would: Verdict = "allow"
    covered = 0
    for said in answers:
        if said.says == "grant":
            covered |= said.covers
            grant = grant or said
        elif said.says in ("deny", "ask"):
            would = strictest(would, said.says)
            if not said.monitored and (refusal is None or (said.says == "deny" and refusal.says == "ask")):
                refusal = said
    return Verdicts(refusal, grant, first_uncovered(covered, effects), would)


def first_uncovered(covered: int, effects: Sequence[Effect]) -> Effect | None:
    """The first effect that no grant covers.

    `use` is covered by a grant for the tool, or by grants for what its arguments do: then there is such an
    effect, and since every other effect must be covered too, all bound arguments are. Where nothing is covered,
    what an argument does says more than that the tool is used.
    """
    if not covered:
        own = (effect for effect in effects if effect.kind != "use" and effect.bound and needs_grant(effect))
        return next(own, effects[0] if effects else None)
    for index, effect in enumerate(effects):
        if covered >> index & 1 or index == 0 or not needs_grant(effect):
            continue
        return effect
    return None


def needs_grant(effect: Effect) -> bool:
    """Whether a grant must cover the effect.

    A wrapper that adds nothing (`timeout 5 …`) needs none of its own, nor does the SQL on the command line of a client:
    its state is what the client changes, and must be granted there.
    """
    return not (effect.kind in ("exec", "query") and effect.inherent)


def answer(rule: Rule, case: Case, *, grants: bool = True) -> list[Answer]:
    """What one guard rule says: at most one refusal and at most one grant.

    An error inside a matcher is a match for a deny and no match for a grant. Where `when` is unknown, denies
    and confinements apply and grants do not.
    """
    guard = rule.part
    assert isinstance(guard, Guard)  # noqa: S101 - the plan sorts rules by phase
    applies = True if rule.when is None else rule.when.applies(case)
    if applies is False:
        return []
    said = []
    refusal = _refusal(rule, guard, case)
    if refusal is not None:
        said.append(refusal)
    if guard.grants is not None and grants and applies is True and not rule.expired(case.now):
        grant = _grant(rule, guard, guard.grants, case)
        if grant is not None:
            said.append(grant)
    return said


def _grant(rule: Rule, guard: Guard, matches: Matcher, case: Case) -> Answer | None:
    """The effects that the rule covers; none of them where its matcher fails on one."""
    covers = 0
    try:
        for index, effect in enumerate(case.effects):
            # Only a grant for the tool itself covers `use` and what no binding names, whatever a kind claims.
            reaches = guard.whole or (effect.bound and effect.kind != "use")
            if reaches and effect.kind in guard.covers and matches(effect, case) is True:
                covers |= 1 << index
    except Exception as error:  # noqa: BLE001 - a grant that fails grants nothing, and says so
        return Answer(rule.id, rule.kind, "pass", "allow", note=failure(error))
    if not covers:
        return None
    first = case.effects[(covers & -covers).bit_length() - 1]
    return Answer(rule.id, rule.kind, "grant", "allow", first, covers)


def _refusal(rule: Rule, guard: Guard, case: Case) -> Answer | None:
    """The strictest thing that the rule's deny and confinement say of any effect."""
    if guard.denies is None and guard.confines is None:
        return None
    strongest: Answer | None = None
    for effect in case.effects:
        if effect.kind not in guard.about:
            continue
        said = _about(rule, guard, effect, case)
        if said is not None and (strongest is None or (said.says == "deny" and strongest.says == "ask")):
            strongest = said
            if said.says == "deny":
                break
    return strongest


class _Said(NamedTuple):
    """What one list of a rule says of one effect: verdict, list, the author's note, and the words to the model."""

    verdict: Verdict
    field: str
    note: str
    message: str


def _about(rule: Rule, guard: Guard, effect: Effect, case: Case) -> Answer | None:
    """What deny and confinement say of one effect, exceptions considered."""
    if effect.kind == "code":
        said = _of_code(rule, effect)
    else:
        denied = _listed(rule, "deny", guard.denies, effect, case)
        confined = _listed(rule, "only", guard.confines, effect, case)
        said = denied if strictest(denied.verdict, confined.verdict) == denied.verdict else confined
    if said.verdict == "allow" or _excepted(rule, effect, case):
        return None
    note = said.note
    if not note and guard.explains is not None and said.field != "code":
        note = _explained(guard.explains, said.field, case)
    return Answer(
        rule.id,
        rule.kind,
        said.verdict,
        said.field,
        effect,
        note=note,
        monitored=not rule.enforced,
        message=said.message,
    )


def _explained(explains: Callable[[str, Case], str], field: str, case: Case) -> str:
    try:
        return explains(field, case)
    except Exception as error:  # noqa: BLE001 - the refusal stands, whatever becomes of its words
        return failure(error)


def _of_code(rule: Rule, effect: Effect) -> _Said:
    """The answer about code that the call runs without showing it."""
    verdict = rule.code or ("ask" if effect.fresh else "allow")
    return _Said(verdict, "code", "this call wrote the code that it runs" if effect.fresh else "", "")


def _listed(rule: Rule, field: str, matches: Matcher | None, effect: Effect, case: Case) -> _Said:
    """The answer of one list; the rule's own message is for what it certainly refuses."""
    if matches is None:
        return _Said("allow", field, "", "")
    yes: Verdict = rule.effect if field == "deny" else "allow"
    no: Verdict = "allow" if field == "deny" else rule.otherwise
    if effect.kind == "unknown":
        return _Said(rule.unknown, field, str(effect.target), "")
    try:
        tri = matches(effect, case)
    except Exception as error:  # noqa: BLE001 - whatever it was, the rule refuses and names itself
        failing = rule.effect if field == "deny" else rule.otherwise
        return _Said(failing, field, failure(error), rule.message or FAILED)
    if isinstance(tri, Unknown):
        return _Said(rule.unknown, field, tri.reason, "")
    return _Said(yes if tri else no, field, "", rule.message)


FAILED = "a rule about this call failed, and what cannot be judged does not run"


def failure(error: Exception) -> str:
    """What a rule's author reads of an error inside the rule."""
    return f"the rule failed: {type(error).__name__}: {error}"


def _excepted(rule: Rule, effect: Effect, case: Case) -> bool:
    """Whether an exception of the rule holds for this one effect; exceptions are matched as grants."""
    if not rule.excepts or rule.expired(case.now):
        return False
    return any(exception.excepts(effect, case) is True for exception in rule.excepts)
