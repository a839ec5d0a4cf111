"""What the plan says of a call, and how it came to that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from .meaning.effects import Effect

Verdict = Literal["allow", "ask", "deny"]

STRICTNESS: Mapping[Verdict, int] = {"allow": 0, "ask": 1, "deny": 2}


def strictest(first: Verdict, second: Verdict) -> Verdict:
    """The stricter of two verdicts: deny before ask before allow."""
    return first if STRICTNESS[first] >= STRICTNESS[second] else second


class Answer(NamedTuple):
    """What one rule says of a call.

    `says` is `deny` or `ask`, `grant` where the rule covers effects, `rewrite` where it changed the arguments,
    `remind` where the call may run and its result carries the rule's message,
    and `pass` where it says nothing. `field` is the list of the rule that speaks (`deny`, `only`, `allow`,
    `code`); `effect` the first effect that it speaks about; `note` says why in words for the rule's author.
    `monitored` marks an answer that is recorded and does not count.
    """

    rule: str
    kind: str
    says: Literal["deny", "ask", "grant", "rewrite", "remind", "pass"]
    field: str = ""
    effect: Effect | None = None
    covers: int = 0
    note: str = ""
    monitored: bool = False
    message: str = ""


class Decision(NamedTuple):
    """The plan's word on one call.

    `rule` is the id of the determining rule, `None` where the default decided. `reason` is said to the model; where the
    call may run, it holds what the model is reminded of.
    `arguments` are those that would run, as rewritten. `would` is the verdict that monitored rules would have
    given, where it is stricter. `trace` holds the answers of the rules that said something, and of every rule
    consulted where a trace was asked for. `effects` is what the call does.
    """

    effect: Verdict
    rule: str | None
    reason: str
    arguments: Mapping[str, Any] | None
    call_id: str = ""
    would: Verdict | None = None
    trace: tuple[Answer, ...] = ()
    effects: tuple[Effect, ...] = ()

    @property
    def allowed(self) -> bool:
        """Whether the call may run as it stands, without asking anybody."""
        return self.effect == "allow"


def as_json(decision: Decision) -> dict[str, Any]:
    """A decision as a line says it; `would` is there where monitored rules would have been stricter."""
    value = {
        "effect": decision.effect,
        "rule": decision.rule,
        "reason": decision.reason,
        "arguments": decision.arguments,
        "call_id": decision.call_id,
    }
    if decision.would is not None:
        value["would"] = decision.would
    return value


def refusal(reason: str, call_id: str = "") -> dict[str, Any]:
    """The same for what is no call, or could not be judged."""
    return {"effect": "deny", "rule": None, "reason": reason, "arguments": None, "call_id": call_id}
