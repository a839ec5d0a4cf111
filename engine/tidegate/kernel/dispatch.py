"""The execute waterfall and what it is around: guards, validation, the tool's body."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from attrs import evolve

from ..errors import CalledTwice, ToolArgsError, ToolFailed, UnknownTool, Veto
from .call import ToolExecution, ToolOutcome
from .catalogue import Catalogue, Slot
from .content import DENIED, Denial, ToolExecutionResult, failure, render
from .events import Events, Lineage, Report
from .judgement import is_refusal, require_same_call
from .phases import EXECUTE, GUARD, LAST_GUARD
from .validation import validate_args
from .waterfall import Chain, Listener, Wait, awaited, is_awaitable

Wrapper = Listener[ToolExecution, ToolExecutionResult]
Guard = Callable[[ToolExecution], str | Awaitable[str | None] | None]


class Surroundings:
    """What a call meets on its way: the tools and listeners of its agent, and how to wait."""

    __slots__ = ("catalogue", "events", "lineage", "report", "wait")

    def __init__(
        self,
        catalogue: Catalogue,
        events: Events,
        report: Report,
        lineage: Lineage = (),
        wait: Wait | None = None,
    ) -> None:
        self.catalogue = catalogue
        self.events = events
        self.report = report
        self.lineage = lineage
        self.wait = wait

    def changed(self, lineage: Lineage, wait: Wait | None) -> Surroundings:
        """The same for the agents of *lineage*, waiting by *wait*."""
        return Surroundings(self.catalogue, self.events, self.report, lineage, wait)


class Dispatch:
    """The run of one judged call inside its wrappers.

    Attributes:
        call: The call as it reached the innermost continuation, or as it was judged.
        entered: Whether the body was entered.
        outcome: What became of it, once `go` has ended.
    """

    __slots__ = ("_around", "_cause", "_chain", "_failed", "_refusal", "_slot", "call", "entered", "outcome")

    outcome: ToolOutcome

    def __init__(self, call: ToolExecution, slot: Slot | None, around: Surroundings) -> None:
        self.call = call
        self.entered = False
        self._cause: Exception | None = None
        self._slot = slot
        self._around = around
        self._failed: ToolExecutionResult | None = None
        self._refusal: ToolExecutionResult | None = None
        self._chain: Chain[ToolExecution, ToolExecutionResult] | None = None

    async def go(self) -> None:
        """Run the call to its `outcome`. Whatever fails is a result, and a refusal cannot be made a success."""
        wrappers: tuple[Wrapper, ...] = self._around.events.listeners(EXECUTE, "waterfall", self._around.lineage)
        try:
            if wrappers:
                self._chain = Chain(wrappers, self._reach, wait=self._around.wait)
                answer = _result(await self._chain.run(self.call), self.call.call_id)
            else:
                answer = await self._reach(self.call)
        except Exception as error:  # noqa: BLE001 - a wrapper that fails is a failed call
            answer = self._fail(error, blame=True)
        if not answer.is_error:
            if self._refusal is not None:
                answer = self._refusal
            elif self.call.signal is not None and self.call.signal.cancel_called:
                answer = self._fail(aborted(entered=self.entered))
        cause = self._cause if answer is self._failed else None
        self.outcome = ToolOutcome(self.call, answer, self.entered, cause)

    async def _reach(self, call: ToolExecution) -> ToolExecutionResult:
        """Enter the body, unless something refuses the call now."""
        try:
            if call is not self.call:
                require_same_call(call, self.call)
                self.call = call
            if guards := self._guards(GUARD):
                await self._ask(GUARD, guards)
            slot = self._admit()
            self._validate(slot)
            if guards := self._guards(LAST_GUARD):
                await self._ask(LAST_GUARD, guards)
                self._admit()
        except Exception as error:  # noqa: BLE001 - whatever happens before the body refuses the call
            self._refusal = self._fail(error, blame=True)
            return self._refusal
        self.entered = True
        try:
            definition = slot.definition
            both = definition.takes_execution
            found: Any = definition.run(call.arguments, call) if both else definition.run(call.arguments)
            if is_awaitable(found):
                found = await awaited(found, definition.run, self._around.wait)
            return render(call.call_id, found)
        except Exception as error:  # noqa: BLE001 - a tool's failure is a result
            return self._fail(error)

    def _guards(self, name: str) -> tuple[Guard, ...]:
        return self._around.events.guards(name, self._around.lineage)

    async def _ask(self, name: str, guards: tuple[Guard, ...]) -> None:
        asked: tuple[Guard, ...] = ()
        while guards:
            for guard in guards:
                reason: Any = guard(self.call)
                if is_awaitable(reason):
                    reason = await awaited(reason, guard, self._around.wait)
                if isinstance(reason, str):
                    raise Veto(reason or DENIED)
                if reason is not None:
                    raise TypeError("a guard answered with something that is neither a reason nor None")
            asked += guards
            added = self._guards(name)
            guards = () if added is guards else tuple(guard for guard in added if guard not in asked)

    def _admit(self) -> Slot:
        slot, call = self._slot, self.call
        if slot is None:
            raise UnknownTool(call.name)
        if self._around.catalogue.find(call.name, self._around.lineage) is not slot:
            raise ToolFailed(f'tool "{call.name}" was changed while its call was judged', "TOOL_CHANGED")
        if call.signal is not None and call.signal.cancel_called:
            raise aborted(entered=False)
        if self._chain is not None and not self._chain.open:
            raise CalledTwice("the call was reached after a listener around it had returned")
        return slot

    def _validate(self, slot: Slot) -> None:
        if slot.definition.validates is not None:
            violations = validate_args(slot.definition.validates, self.call.arguments)
            if violations:
                raise ToolArgsError(violations)

    def _fail(self, error: Exception, *, blame: bool = False) -> ToolExecutionResult:
        if blame and not is_refusal(error):
            self._around.report(error, f"a listener of `{EXECUTE}`")
        self._cause = error
        self._failed = failure(self.call.call_id, error)
        return self._failed


def _result(answer: object, call_id: str) -> ToolExecutionResult:
    if type(answer) is Denial:
        raise Veto(answer.reason or DENIED)
    if type(answer) is not ToolExecutionResult:
        raise TypeError(f"a listener of `{EXECUTE}` returned something that is no result")
    return answer if answer.call_id == call_id else evolve(answer, call_id=call_id)


def aborted(*, entered: bool) -> ToolFailed:
    """What a call ends in that the host has aborted, before its body was entered or after."""
    if entered:
        return ToolFailed("tool call aborted", "ABORTED")
    return ToolFailed("tool call aborted before dispatch", "ABORTED_BEFORE_DISPATCH")
