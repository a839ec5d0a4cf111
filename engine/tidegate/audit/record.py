"""The record of one decision: what was asked, what was decided, by which rule, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from attrs import frozen

from ..decision import Answer, Decision
from ..plan.phrases import describe
from ..plan.shaping import redactions

if TYPE_CHECKING:
    from ..kernel.call import ToolOutcome
    from ..plan.sitting import Sitting


@frozen
class Record:
    """One decision record.

    `original` are the arguments as they came, `decision.arguments` those as rewritten. `entered` tells whether the
    tool's body was entered, `None` where only a decision was asked for; `shaped` what output rules did. The
    arguments are as they are, and `redactions` is what the rules about the tool that redact make of JSON: `as_json`
    has gone through all of them, also through those that only monitor.
    """

    at: float
    tool: str
    server: str
    call_id: str
    agent: str | None
    session: str | None
    cwd: str | None
    original: Mapping[str, Any]
    decision: Decision
    plan: str
    entered: bool | None
    is_error: bool | None
    shaped: tuple[Answer, ...]
    redactions: tuple[Callable[[Any], Any], ...] = ()
    root: str | None = None
    home: str | None = None
    mode: str | None = None
    interactive: bool = True

    @classmethod
    def of(cls, sitting: Sitting, outcome: ToolOutcome | None) -> Record:
        """The record of a sitting that has ended."""
        assert sitting.decision is not None  # noqa: S101 - recorded once it was decided
        call = sitting.original
        return cls(
            at=sitting.now,
            tool=call.tool.name,
            server=call.tool.server,
            call_id=call.call_id,
            agent=call.agent,
            session=call.session,
            cwd=call.cwd,
            original=call.arguments,
            decision=sitting.decision,
            plan=sitting.plan.digest,
            entered=outcome.entered if outcome is not None else None,
            is_error=outcome.is_error if outcome is not None else None,
            shaped=tuple(sitting.shaped),
            redactions=redactions(sitting.rules.shapes),
            root=call.root,
            home=call.home,
            mode=call.mode,
            interactive=call.interactive,
        )

    def as_json(self) -> dict[str, Any]:
        """The record as a JSON object, in which nothing stands that a rule about the tool would redact in its results.

        What cannot be redacted is left out and says so.
        """
        decision = self.decision
        plain = {
            "at": self.at,
            "tool": self.tool,
            "server": self.server or None,
            "call_id": self.call_id,
            "agent": self.agent,
            "session": self.session,
            "cwd": self.cwd,
            "root": self.root,
            "home": self.home,
            "mode": self.mode,
            "interactive": self.interactive,
            "effect": decision.effect,
            "rule": decision.rule,
            "reason": decision.reason,
            "would": decision.would,
            "arguments": decision.arguments,
            "original": self.original if self.original is not decision.arguments else None,
            "effects": [describe(effect) for effect in decision.effects[1:]],
            "answers": [answer_as_json(answer) for answer in (*decision.trace, *self.shaped)],
            "plan": self.plan,
            "entered": self.entered,
            "is_error": self.is_error,
        }
        return {key: value if key in _PLAIN else self._redacted(value) for key, value in plain.items()}

    def _redacted(self, value: Any) -> Any:
        for redact in self.redactions if value is not None else ():
            try:
                value = redact(value)
            except Exception as error:  # noqa: BLE001 - whatever it was, what was not redacted is not written down
                return f"withheld: {type(error).__name__}"
        return value


_PLAIN = frozenset({"at", "interactive", "effect", "rule", "would", "plan", "entered", "is_error"})
"""What is of our own making, and holds nothing of the call."""

Recorder = Callable[[Record], object]


def answer_as_json(answer: Answer) -> dict[str, Any]:
    """One answer as a JSON object."""
    return {
        "rule": answer.rule,
        "kind": answer.kind,
        "says": answer.says,
        "list": answer.field or None,
        "about": describe(answer.effect) if answer.effect is not None else None,
        "note": answer.note or None,
        "monitored": answer.monitored,
    }
