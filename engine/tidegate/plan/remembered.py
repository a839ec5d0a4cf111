"""Approvals beyond one moment: kept with what they are bound to, and used where exactly that comes again."""

from __future__ import annotations

import json
from logging import getLogger
from typing import TYPE_CHECKING

from ..decision import Answer, Decision
from ..errors import Veto
from ..facts.approvals import Approval
from ..kernel.json_values import compact
from ..shown import escape, quote
from .approval import NOT_OFFERED, SPENT, Approved, Question

if TYPE_CHECKING:
    from ..facts import Facts
    from ..facts.approvals import Scope
    from .bound import Bound
    from .sitting import Sitting

RULE = "tidegate/approval"
_SCOPES: tuple[Scope, ...] = ("session", "until", "once")
_log = getLogger("tidegate")


def keep(question: Question, reply: Approved, facts: Facts) -> str:
    """Keep what a person allowed, for the first call that it is bound to or for all of them; gives its id.

    Raises:
        StoreError: The store cannot be used, or there is none.
    """
    bound = question.bound
    assert bound is not None  # noqa: S101 - a question that offers to be remembered was made with it
    now = facts.clock.now()
    latest = now + question.longest
    about = {"asks": sorted(bound.asks), "kinds": sorted(bound.kinds), "code": bound.code}
    tool = question.call.tool
    call = f"{quote(tool.name)} {escape(compact(question.call.arguments), 500)}"
    return facts.need_approvals().keep(
        Approval(
            binding=bound.binding(reply.scope, reply.pattern),
            scope=reply.scope,
            made=now,
            expires=latest if reply.until is None else min(latest, float(reply.until)),
            by=reply.by,
            tool=tool.name,
            session=question.call.session,
            shown=call if reply.pattern is None else f"{quote(tool.name)} like {quote(reply.pattern, limit=500)}",
            about=json.dumps(about),
        )
    )


def approve(question: Question, approved: Approved, facts: Facts) -> str:
    """Keep an answer that was given away from the call; see `Engine.approve`.

    Raises:
        Veto: The rules do not offer it, or the question has been answered already.
        StoreError: It cannot be kept.
    """
    refused = question.refusal_for(approved, facts.clock.now())
    if refused is None and (question.bound is None or question.bound.code is None or not question.longest):
        refused = NOT_OFFERED
    if refused is None and not question.spent.take():
        refused = SPENT
    if refused is not None:
        raise Veto(refused, "NOT_APPROVED")
    return keep(question, approved, facts)


def recall(sitting: Sitting, decision: Decision, facts: Facts) -> Decision:
    """The decision that asks, or one that allows where an approval for it is there, which is used by this.

    A recorded call uses none. Where the store fails the question stays one.
    """
    if sitting.call.at is not None or facts.approvals is None or not sitting.has_terms():
        return decision
    question = Question.on_terms(sitting, decision, facts.digest)
    bound = question.bound
    if bound is None or bound.code is None:
        return decision
    patterns: list[str | None] = [None, *question.patterns]
    bindings = [bound.binding(scope, pattern) for pattern in patterns for scope in _SCOPES]
    now = facts.clock.now()
    try:
        found = sorted(facts.approvals.find(bindings, now), key=lambda one: _SCOPES.index(one.scope))
        for one in found:
            if _holds(one, bound, question) and facts.approvals.take(one.id, now):
                return with_approval(decision, one.by, one.scope, one.id)
    except Exception:  # noqa: BLE001 - not silent: the question stays one, and the log has it
        _log.exception("approvals could not be looked up")
    return decision


def _holds(approval: Approval, bound: Bound, question: Question) -> bool:
    """Whether the terms still admit the approval, and a pattern means no more than what was shown."""
    if approval.scope not in question.scopes or (question.by is not None and approval.by not in question.by):
        return False
    about = json.loads(approval.about)
    code = bound.code
    return (
        bound.asks <= set(about["asks"])
        and bound.kinds <= set(about["kinds"])
        and code is not None
        and all(about["code"].get(path) == digest for path, digest in code.items())
    )


def with_approval(decision: Decision, by: str, scope: str, id: str = "") -> Decision:  # noqa: A002
    """The decision once a person has allowed the call, with who it was in its trace."""
    note = f"allowed {'' if not by else f'by {by} '}({scope}{'' if not id else f', approval {id}'})"
    answer = Answer(RULE, "approval", "pass", "approved", note=note)
    return decision._replace(effect="allow", reason="", trace=(*decision.trace, answer))
