"""The guarded pipeline: the way of one call, from its judgement to its result.

    tools/pre-execute   waterfall over the call        judges and rewrites it; ends before anything runs
    tools/execute       waterfall around what follows  wraps it
        guards          deny-only functions            see the final call
        validation      of declared parameters
        body
    tools/execute       emit                           sees the raw outcome, unredacted
    tools/post-execute  waterfall over the outcome     shapes it
    tools/result        emit                           sees the final outcome of every call, once

The body runs if and only if the innermost continuation of `tools/execute` was reached, once, while no listener
around it had returned, and no guard refused. Whatever goes wrong on the way there refuses the call. A refused
call skips `tools/execute`, but not post-execute.
"""

from __future__ import annotations

from collections.abc import Awaitable

from ..errors import Veto
from .call import ToolExecution, ToolOutcome
from .content import failure, message_of
from .dispatch import Dispatch, Surroundings, aborted
from .judgement import Judgement, is_refusal
from .phases import EXECUTE, POST_EXECUTE, PRE_EXECUTE, RESULT
from .shaping import shape

__all__ = ["POST_EXECUTE", "PRE_EXECUTE", "RESULT", "Passage"]


class Passage:
    """One call on its way. `execute_many` moves it phase by phase, everyone else by `run`."""

    __slots__ = ("_around", "_dispatch", "_judged", "_refusal", "_slot", "_told", "call")

    _refusal: ToolOutcome

    def __init__(self, call: ToolExecution, around: Surroundings) -> None:
        self.call = call
        self._around = around
        self._slot = around.catalogue.find(call.name, around.lineage)
        self._dispatch: Dispatch | None = None
        self._judged = False
        self._told = False

    def may_overlap(self) -> bool:
        """Whether the call, as it stands, may run beside others."""
        return self._slot is not None and self._slot.definition.may_overlap(self.call.arguments)

    async def run(self) -> ToolOutcome:
        """Take the call all the way. Raises only what ends the task: a cancellation, `KeyboardInterrupt`."""
        try:
            if await self.prepare():
                await self.dispatch()
            return await self.finish()
        except BaseException:
            self.abandon()
            raise

    async def prepare(self) -> bool:
        """Judge the call; tells whether it may be dispatched."""
        if self.call.signal is not None and self.call.signal.cancel_called:
            self._refusal = self._refused(aborted(entered=False))
            return False
        self._judged = True
        judges = self._around.events.listeners(PRE_EXECUTE, "waterfall", self._around.lineage)
        if judges:
            judgement, refusal = Judgement(self.call), None
            try:
                await judgement.run(judges, self._around.wait)
            except Exception as error:  # noqa: BLE001 - whatever a judge raises refuses the call
                self._blame(error, PRE_EXECUTE)
                refusal = error
            finally:
                # Also where it was cancelled: what judges noted in it is theirs to undo.
                self.call = judgement.call
            if refusal is not None:
                self._refusal = self._refused(refusal)
                return False
        return True

    def dispatch(self) -> Awaitable[None]:
        """Run the judged call."""
        self._dispatch = Dispatch(self.call, self._slot, self._around)
        return self._dispatch.go()

    async def finish(self) -> ToolOutcome:
        """Show the raw outcome, shape it and show it again; comes after `prepare`, and `dispatch` if that may be."""
        around = self._around
        if self._dispatch is None:
            outcome = self._refusal
        else:
            outcome = self._dispatch.outcome
            around.events.emit(EXECUTE, outcome, around.lineage)
        if self._judged:
            shapers = around.events.listeners(POST_EXECUTE, "waterfall", around.lineage)
            if shapers:
                try:
                    outcome = await shape(outcome, shapers, around.wait)
                except Exception as error:  # noqa: BLE001 - whatever a shaper raises withholds the result
                    self._blame(error, POST_EXECUTE)
                    outcome = _withheld(outcome, error)
        self._tell(outcome)
        return outcome

    def abandon(self) -> None:
        """Tell of a call that was interrupted, unless it has been told of."""
        if not self._told:
            entered = self._dispatch is not None and self._dispatch.entered
            self._tell(self._refused(aborted(entered=entered), entered=entered))

    def _tell(self, outcome: ToolOutcome) -> None:
        self._told = True
        self._around.events.emit(RESULT, outcome, self._around.lineage)

    def _refused(self, error: Exception, *, entered: bool = False) -> ToolOutcome:
        return ToolOutcome(self.call, failure(self.call.call_id, error), entered, error)

    def _blame(self, error: Exception, event: str) -> None:
        if not is_refusal(error):
            self._around.report(error, f"a listener of `{event}`")


def _withheld(outcome: ToolOutcome, error: Exception) -> ToolOutcome:
    """The outcome with nothing of its result left; only a `Veto` chooses its words, others might quote the result."""
    if isinstance(error, Veto):
        return outcome.with_error(message_of(error), code=error.code)
    return outcome.with_error("the result was withheld, as a policy listener failed")
