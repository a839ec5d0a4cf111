"""One rule of a plan: compiled, with the fields that every rule has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from attrs import frozen

from ..decision import Verdict
from ..kind import Part
from .condition import Condition

Otherwise = Literal["deny", "ask"]


@frozen
class Rule:
    """A compiled rule.

    Attributes:
        id: The rule's id, with its pack (`baseline/secrets`).
        kind: The kind's name.
        part: What its kind made of its fields.
        grants_tool: Whether its `tools` name a tool exactly; a grant counts only then. `None` is every tool.
        denies_tool: The same for everything but grants, which sees look-alikes of a name as well.
        when: Holds where the rule applies, `None` for always.
        excepts: The exceptions; one is enough.
        effect: What `deny` answers.
        otherwise: What the confinement answers outside of `only`.
        unknown: What deny and confinement answer where a matcher cannot tell.
        code: What they answer for code that the call runs without showing it; `None` is the default of the design.
        enforced: False for a rule that only monitors.
        message: The author's words to the model, or empty.
        expires: Seconds since the epoch after which grants and exceptions stop counting, or `None`.
        layer: The index of its layer in the plan.
    """

    id: str
    kind: str
    part: Part
    grants_tool: Callable[[str], bool] | None = None
    denies_tool: Callable[[str], bool] | None = None
    when: Condition | None = None
    excepts: tuple[Condition, ...] = ()
    effect: Otherwise = "deny"
    otherwise: Otherwise = "deny"
    unknown: Verdict = "ask"
    code: Verdict | None = None
    enforced: bool = True
    message: str = ""
    expires: float | None = None
    layer: int = 0

    def expired(self, now: float) -> bool:
        """Whether the rule's grants and exceptions have ended."""
        return self.expires is not None and now >= self.expires
