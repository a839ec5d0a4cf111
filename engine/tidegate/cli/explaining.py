"""How the decision about one call comes about, as JSON."""

from __future__ import annotations

from typing import Any

from ..assurance.explaining import Consulted, Explanation
from ..decision import as_json as decision_as_json
from ..meaning.effects import Effect
from ..plan.phrases import describe


def effect_as_json(number: int, effect: Effect, explanation: Explanation) -> dict[str, Any]:
    """One effect as a JSON object, with the rules that cover it."""
    covering = [rule.rule for layer in explanation.layers for rule in layer.rules if number in rule.covers]
    return {
        "number": number,
        "kind": effect.kind,
        "about": describe(effect),
        "argument": effect.source or None,
        "span": list(effect.span) if effect.span is not None else None,
        "recursive": effect.recursive,
        "inherent": effect.inherent,
        "place": effect.place.kind,
        "covered_by": covering,
    }


def as_json(explanation: Explanation) -> dict[str, Any]:
    """The whole explanation as a JSON object."""
    call = explanation.call
    return {
        "decision": decision_as_json(explanation.decision),
        "call": {
            "tool": call.tool.name,
            "args": call.arguments,
            "call_id": call.call_id,
            "cwd": call.cwd,
            "root": call.root,
            "agent": call.agent,
            "session": call.session,
        },
        "effects": [effect_as_json(index, effect, explanation) for index, effect in enumerate(explanation.effects)],
        "before": [_consulted(one) for one in explanation.before],
        "rewrites": [_consulted(one) for one in explanation.rewrites],
        "layers": [
            {
                "name": layer.name,
                "default": layer.default,
                "delegates": layer.delegates,
                "monitors": layer.monitors,
                "rules": [_consulted(one) for one in layer.rules],
                "uncovered": list(layer.uncovered),
            }
            for layer in explanation.layers
        ],
        "limits": [_consulted(one) for one in explanation.limits],
        "allowed": [{"rule": rule, "offer": offer} for rule, offer in explanation.offers],
        "not_about_this_tool": explanation.elsewhere,
    }


def _consulted(one: Consulted) -> dict[str, Any]:
    return {
        "rule": one.rule,
        "kind": one.kind,
        "says": one.says,
        "why": one.why,
        "effect": one.effect,
        "covers": list(one.covers),
        "monitored": one.monitored,
    }
