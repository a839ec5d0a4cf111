"""Texts that belong to no result of a call: log messages, progress, what a server asks the model or the person.

They reach the same readers, so that the same output rules shape them: those about the call that they belong to, or,
where they belong to none, those about anything that is known of the server.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ...call import Call, Tool
from ...kernel.call import ToolExecution, ToolOutcome
from ...kernel.content import ToolExecutionResult
from ...plan.rule import Rule
from ...plan.shaping import in_order, is_long, shape
from ...plan.sitting import Sitting
from ...plan.threads import off_thread
from .gate import Gate, Identity


class Withheld(Exception):
    """A text could not be made fit to show."""


class Texts:
    """Shapes the texts of one server."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate

    async def shaped(self, value: Any, about: Identity, among: Iterable[Tool] | None = None) -> Any:
        """A JSON value with all its texts shaped; *among* are the tools that it belongs to, by default all.

        Raises:
            Withheld: A rule failed, or has left something else than was there.
        """
        blocks, structured = (value, None) if isinstance(value, str) else ((), value)
        outcome = await self.result(ToolExecutionResult("", blocks, structured=structured), about, among)
        if outcome.is_error:
            raise Withheld
        if isinstance(value, str):
            return outcome.text
        if type(outcome.structured) is not type(outcome_of(value)):
            raise Withheld
        return outcome.structured

    async def result(
        self, result: ToolExecutionResult, about: Identity, among: Iterable[Tool] | None = None
    ) -> ToolExecutionResult:
        """A result shaped by the rules about *about*, and those about *among*."""
        gate = self._gate
        tool = gate.tool_of(about)
        sitting = Sitting(gate.engine.plan, Call(tool, {}), gate.engine.facts)
        rules = self._rules(sitting, gate.tools if among is None else among)
        if not rules:
            return result
        sitting.read()
        outcome = ToolOutcome(ToolExecution("", tool.name, {}), result, entered=True)
        shaped, _ = await off_thread(lambda: shape(rules, outcome, sitting.cases), blocking=is_long(outcome))
        return shaped.result

    def _rules(self, sitting: Sitting, among: Iterable[Tool]) -> Sequence[Rule]:
        found = {id(rule): rule for rule in sitting.rules.shapes}
        for tool in among:
            found |= {id(rule): rule for rule in sitting.plan.rules_for(tool).shapes}
        return in_order(found.values())


def outcome_of(value: Any) -> Any:
    """*value* as a result holds it."""
    return ToolExecutionResult("", (), structured=value).structured
