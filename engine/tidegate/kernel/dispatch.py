"""The execute waterfall and what it is around: guards, validation, the tool's body."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

from attrs import evolve

from ..errors import CalledTwice, ToolArgsError, ToolFailed, UnknownTool, Veto
from .call import ToolExecution
from .catalogue import Catalogue, Slot
from .content import DENIED, Denial, ToolExecutionResult, failure, render
from .events import Entry, Events, Lineage, Report
from .judgement import is_refusal, require_same_call
from .validation import validate_args
from .waterfall import Chain, Listener, Wait, is_awaitable

EXECUTE: Final = "tools/execute"
GUARD: Final = "tools/guard"

Wrapper = Listener[ToolExecution, ToolExecutionResult]
Guard = Callable[[ToolExecution], str | Awaitable[str | None] | None]


class Surroundings:
    """What one call meets on its way: the tools and listeners of its agent, and how to wait."""

    __slots__ = ("catalogue", "events", "lineage", "report", "wait")

    def __init__(
        self, catalogue: Catalogue, events: Events, lineage: Lineage, report: Report, wait: Wait | None
    ) -> None:
        self.catalogue = catalogue
        self.events = events
        self.lineage = lineage
        self.report = report
        self.wait = wait


class Dispatch:
    """The run of one judged call.

    Attributes:
        call: The call as it reached the innermost continuation, or as it was judged.
        entered: Whether the body was entered.
        cause: The exception that the result stands for, if it stands for one.
    """

    __slots__ = ("_around", "_chain", "_failure", "_refusal", "_slot", "call", "cause", "entered")

    def __init__(self, call: ToolExecution, slot: Slot | None, around: Surroundings) -> None:
        self.call = call
        self.entered = False
        self.cause: Exception | None = None
        self._slot = slot
        self._around = around
        self._chain: Chain[ToolExecution, ToolExecutionResult] | None = None
        self._failure: tuple[ToolExecutionResult, Exception] | None = None
        self._refusal: ToolExecutionResult | None = None

    async def run(self, wrappers: tuple[Wrapper, ...]) -> ToolExecutionResult:
        """Run the call inside *wrappers*. Never raises for a failure; a refusal cannot be made a success."""
        try:
            if wrappers:
                self._chain = Chain(wrappers, self._innermost, wait=self._around.wait)
                answer = _result(await self._chain.run(self.call), self.call.call_id)
            else:
                answer = await self._innermost(self.call)
        except Exception as error:  # noqa: BLE001 - a wrapper that fails is a failed call
            answer = self._failed(error, blame=True)
        if not answer.is_error:
            answer = self._unless_unwanted(answer)
        if self._failure is not None and self._failure[0] is answer:
            self.cause = self._failure[1]
        return answer

    async def _innermost(self, call: ToolExecution) -> ToolExecutionResult:
        try:
            require_same_call(call, self.call)
            self.call = call
            if guards := self._guards():
                await self._ask(guards, call)
            slot = self._admit(call)
        except Exception as error:  # noqa: BLE001 - whatever happens before the body refuses the call
            self._refusal = self._failed(error, blame=True)
            return self._refusal
        self.entered = True
        try:
            definition = slot.definition
            both = definition.takes_execution
            value = definition.run(call.arguments, call) if both else definition.run(call.arguments)
            return render(call.call_id, await self._awaited(value) if is_awaitable(value) else value)
        except Exception as error:  # noqa: BLE001 - a tool's failure is a result
            return self._failed(error)

    async def _awaited(self, foreign: Any) -> Any:
        wait = self._around.wait
        return await (foreign if wait is None else wait(foreign))

    def _guards(self) -> tuple[Entry, ...]:
        entries = self._around.events.entries(GUARD, "guard")
        lineage = self._around.lineage
        if all(entry.agent is None for entry in entries):
            return entries
        order: dict[str | None, int] = {agent: depth for depth, agent in enumerate((None, *lineage))}
        return tuple(sorted((entry for entry in entries if entry.agent in order), key=lambda one: order[one.agent]))

    async def _ask(self, guards: tuple[Entry, ...], call: ToolExecution) -> None:
        asked: list[Entry] = []
        while guards:
            for guard in guards:
                reason = guard.listener(call)
                if is_awaitable(reason):
                    reason = await self._awaited(reason)
                if isinstance(reason, str):
                    raise Veto(reason or DENIED)
                if reason is not None:
                    raise TypeError("a guard answered with something that is neither a reason nor None")
            asked += guards
            guards = tuple(guard for guard in self._guards() if guard not in asked)

    def _admit(self, call: ToolExecution) -> Slot:
        slot = self._slot
        if slot is None:
            raise UnknownTool(call.name)
        if self._around.catalogue.find(call.name, self._around.lineage) is not slot:
            raise ToolFailed(f'tool "{call.name}" was changed while its call was judged', "TOOL_CHANGED")
        if call.aborted:
            raise aborted_before_dispatch()
        if self._chain is not None and not self._chain.open:
            raise CalledTwice("the call was reached after a listener around it had returned")
        if slot.definition.validates is not None:
            violations = validate_args(slot.definition.validates, call.arguments)
            if violations:
                raise ToolArgsError(violations)
        return slot

    def _unless_unwanted(self, answer: ToolExecutionResult) -> ToolExecutionResult:
        if self._refusal is not None:
            return self._refusal
        if self.call.aborted:
            error = ToolFailed("tool call aborted", "ABORTED") if self.entered else aborted_before_dispatch()
            return self._failed(error)
        return answer

    def _failed(self, error: Exception, *, blame: bool = False) -> ToolExecutionResult:
        if blame and not is_refusal(error):
            self._around.report(error, f"a listener of `{EXECUTE}`")
        result = failure(self.call.call_id, error)
        self._failure = result, error
        return result


def _result(answer: object, call_id: str) -> ToolExecutionResult:
    if type(answer) is Denial:
        raise Veto(answer.reason or DENIED)
    if type(answer) is not ToolExecutionResult:
        raise TypeError(f"a listener of `{EXECUTE}` returned something that is no result")
    return answer if answer.call_id == call_id else evolve(answer, call_id=call_id)


def aborted_before_dispatch() -> ToolFailed:
    """What a call ends in that was aborted before its body was entered."""
    return ToolFailed("tool call aborted before dispatch", "ABORTED_BEFORE_DISPATCH")
