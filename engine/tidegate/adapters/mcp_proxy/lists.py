"""What a client is shown of the lists of a server: nothing that no call could be allowed for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...call import Call, Tool
from ...kind import Guard
from ...plan.sitting import Sitting

if TYPE_CHECKING:
    from ...engine import Engine
    from ...plan.rule import Rule


def is_hopeless(engine: Engine, tool: Tool) -> bool:
    """Whether the rules refuse every call of a tool, whatever its arguments, and whenever it comes.

    Only a rule that speaks of the tool itself can say so (`tools`, `mcp`), and only where no condition and no exception
    depends on the call. That other rules may refuse every call as well is not looked for: a tool that is shown and
    refused costs a call, one that is hidden and allowed would be missing.
    """
    sitting = Sitting(engine.plan, Call(tool, {}), engine.facts)
    try:
        sitting.read()
        for index, layer in enumerate(sitting.rules.layers):
            for rule, grants in layer.guards:
                if _always_applies(rule):
                    sitting.consult(index, rule, grants=grants)
    except Exception:  # noqa: BLE001 - what cannot be looked at is shown, and its calls are judged all the same
        return False
    return any(
        said.says == "deny" and not said.monitored and said.effect is not None and said.effect.kind == "use"
        for answers in sitting.answers
        for said in answers
    )


def _always_applies(rule: Rule) -> bool:
    part = rule.part
    return rule.enforced and rule.when is None and not rule.excepts and isinstance(part, Guard) and part.whole
