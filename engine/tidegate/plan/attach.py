"""A plan around a registry: listeners on its waterfalls, and one function in its guard slot."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from logging import getLogger
from typing import TYPE_CHECKING, Any, Protocol

from attrs import evolve

from ..call import Call, Tool
from ..decision import Decision
from ..errors import Veto
from ..facts import Facts
from ..kernel.call import ToolExecution, ToolOutcome
from ..kernel.phases import POST_EXECUTE, PRE_EXECUTE, RESULT
from ..kernel.sync import asks_for_loop
from .approval import LATE, NO_APPROVER, OUTDATED, UNAVAILABLE, Approver, Question, refusal_for
from .plan import Plan
from .shaping import output_of, shape
from .sitting import Sitting
from .threads import off_thread, within

if TYPE_CHECKING:
    from ..kernel.registry import ToolRegistry


class Judge(Protocol):
    """What stands behind an attachment: the engine, as far as it is needed here."""

    @property
    def plan(self) -> Plan:
        """The plan by which new calls are judged."""

    @property
    def facts(self) -> Facts:
        """What rules may know besides the call."""

    def record(self, sitting: Sitting, outcome: ToolOutcome | None) -> None:
        """Write down what became of a call."""


Next = Callable[..., Awaitable[Any]]
_log = getLogger("tidegate")
UNJUDGED = "the call was changed after it had been judged"
EXPIRED = "the call waited so long that its place in a limit was given away; call again"


class Attachment:
    """One engine on one registry.

    The sitting of a call travels in the call's `context`, under a key that belongs to this attachment; a call
    that comes to the guard slot without it, or with other arguments than were judged, is judged again there, and
    then whatever would have to be asked is refused.
    """

    def __init__(self, engine: Judge, tools: ToolRegistry, approver: Approver | None, patience: float) -> None:
        self._engine = engine
        self._tools = tools
        self._approver = approver
        self._patience = patience
        self.key = f"tidegate:{id(self):x}"

    # The listeners.

    @asks_for_loop
    async def before(self, execution: ToolExecution, call_next: Next) -> Any:
        """Rewrite, judge, ask and reserve; then pass on the call with the arguments that were judged."""
        sitting = self.sit(execution)
        await off_thread(sitting.take_all, blocking=sitting.blocking)
        return await self.pass_on(sitting, execution, call_next)

    def sit(self, execution: ToolExecution, plan: Plan | None = None) -> Sitting:
        """Begin the judgement of a call, by the plan that is in force now unless one is given."""
        return Sitting(plan or self._engine.plan, self._call(execution), self._engine.facts)

    async def pass_on(self, sitting: Sitting, execution: ToolExecution, call_next: Next) -> Any:
        """Settle; where the call may run, reserve and go on, and give back what was reserved if it is refused."""
        passed = None
        try:
            sitting.decision = decision = await self._settle(sitting)
            if decision.effect != "allow":
                raise Veto(decision.reason, "DENIED")
            context = {**execution.context, self.key: sitting}
            judged = evolve(execution, arguments=sitting.call.arguments, context=context)
            passed = await call_next(judged)
        finally:
            if passed is None or (passed is not judged and passed.context.get(self.key) is not sitting):
                sitting.claims.give_back()
                self._record(sitting, None)
        return passed

    def last_look(self, execution: ToolExecution) -> str | Awaitable[str | None] | None:
        """The guard slot: the call that is about to run must be the one that was judged and may run."""
        judged = execution.context.get(self.key)
        if isinstance(judged, Sitting) and self._is_judged(judged, execution):
            return None
        if isinstance(judged, Sitting):
            judged.claims.give_back()
        sitting = self.sit(execution)
        return self._look_later(sitting, execution) if sitting.blocking else self._look_again(sitting, execution)

    def _look_again(self, sitting: Sitting, execution: ToolExecution) -> str | None:
        """Judge a call that was never judged, or was changed since; what would be asked is refused."""
        sitting.take_all()
        decision = sitting.settle()
        if decision.effect != "allow" or sitting.call.arguments is not execution.arguments:
            return decision.reason or UNJUDGED
        full = sitting.claims.reserve()
        if full is not None:
            return full.message
        sitting.decision = decision
        execution.context[self.key] = sitting
        return None

    @asks_for_loop
    async def _look_later(self, sitting: Sitting, execution: ToolExecution) -> str | None:
        return await off_thread(lambda: self._look_again(sitting, execution), blocking=True)

    def enter(self, execution: ToolExecution) -> str | Awaitable[str | None] | None:
        """The last guard: use what was reserved, for the body comes next."""
        sitting = execution.context.get(self.key)
        if not isinstance(sitting, Sitting) or not self._is_judged(sitting, execution):
            return UNJUDGED
        if sitting.blocking:
            return _commit_later(sitting)
        return None if sitting.claims.commit(attended=True) else EXPIRED

    @asks_for_loop
    async def after(self, outcome: ToolOutcome, call_next: Next) -> ToolOutcome:
        """Shape what comes out of all other listeners, and tell the limits how the call ended."""
        outcome = await call_next()
        sitting = self.sitting_of(outcome)
        shaped, answers = shape(sitting.rules.shapes, outcome, sitting.cases)
        sitting.shaped += answers
        await self.settle(shaped)
        return shaped

    async def settle(self, outcome: ToolOutcome) -> None:
        """Tell the limits how a call ended whose body was entered."""
        sitting = outcome.call.context.get(self.key)
        if isinstance(sitting, Sitting) and outcome.entered and sitting.claims.running:
            output = output_of(outcome)
            await off_thread(lambda: sitting.claims.settle(output), blocking=sitting.blocking)

    def done(self, outcome: ToolOutcome) -> None:
        """Give back what is still reserved or held, as of a call that was interrupted, and write the record."""
        sitting = outcome.call.context.get(self.key)
        if isinstance(sitting, Sitting):
            if not outcome.entered:
                sitting.claims.give_back()
            elif sitting.claims.running:
                sitting.claims.settle(output_of(outcome))
            self._record(sitting, outcome)

    # What they need.

    async def _settle(self, sitting: Sitting) -> Decision:
        """The verdict; where a person has to be asked, with their answer, and where the call may run, reserved."""
        decision = await off_thread(sitting.settle, blocking=sitting.blocking)
        if decision.effect == "ask":
            decision = await self._ask(sitting, decision)
        if decision.effect == "allow":
            full = await off_thread(sitting.claims.reserve, blocking=sitting.blocking)
            if full is not None:
                decision = decision._replace(effect="deny", rule=full.rule, reason=full.message)
        return decision

    async def _ask(self, sitting: Sitting, decision: Decision) -> Decision:
        """Put the question to the approver; no approver, an error and silence refuse."""
        if self._approver is None:
            return decision._replace(effect="deny", reason=f"{NO_APPROVER}: {decision.reason}")
        try:
            reply = await within(self._patience, self._approver, Question.of(sitting.call, decision))
        except TimeoutError:
            refused: str | None = LATE
        except Exception:  # noqa: BLE001 - not silent: the host reads it in the log, and the model a refusal
            _log.exception("the approver failed on a question about `%s`", sitting.call.tool.name)
            refused = UNAVAILABLE
        else:
            refused = refusal_for(reply)
            if refused is UNAVAILABLE:
                _log.error("the approver answered %r; it must be one of `allow`, `reject` and `cancel`", reply)
            if refused is None and not await self._still_holds(sitting, decision):
                refused = OUTDATED
        if refused is None:
            return decision._replace(effect="allow", reason="")
        return decision._replace(effect="deny", reason=refused)

    async def _still_holds(self, sitting: Sitting, decision: Decision) -> bool:
        """Whether the call would do now what the person was told, who may have taken minutes to answer."""
        again = Sitting(sitting.plan, sitting.original, self._engine.facts)
        await off_thread(again.take_all, blocking=again.blocking)
        now = await off_thread(again.settle, blocking=again.blocking)
        return (
            now.effect == "ask"
            and now.effects == decision.effects
            and now.arguments == decision.arguments
            and Question.of(again.call, now).reasons == Question.of(sitting.call, decision).reasons
        )

    def _is_judged(self, sitting: Sitting, execution: ToolExecution) -> bool:
        """Whether exactly this call was judged, where it happens now, and may run."""
        decision, call = sitting.decision, sitting.call
        return (
            decision is not None
            and decision.effect == "allow"
            and call.arguments is execution.arguments
            and call.tool.name == execution.name
            and call.cwd == execution.cwd
            and call.root == execution.root
            and call.home == execution.home
            and call.session == execution.session
            and call.mode == execution.mode
            and call.interactive is (execution.interactive is not False)
        )

    def _record(self, sitting: Sitting, outcome: ToolOutcome | None) -> None:
        """Write down what became of a call, once."""
        if not sitting.recorded:
            sitting.recorded = True
            self._engine.record(sitting, outcome)

    def sitting_of(self, outcome: ToolOutcome) -> Sitting:
        """The sitting of a call, made anew for one that never came to it."""
        sitting = outcome.call.context.get(self.key)
        if not isinstance(sitting, Sitting):
            sitting = self.sit(outcome.call)
            sitting.read()
        return sitting

    def _call(self, execution: ToolExecution) -> Call:
        """The call as rules see it; its tool has the identity that it was registered with."""
        definition = self._tools.get(execution.name, agent=execution.agent)
        tool = Tool(execution.name)
        if definition is not None and definition.origin:
            tool = Tool(execution.name, definition.origin, definition.server, definition.raw_name)
        return Call(
            tool,
            execution.arguments,
            call_id=execution.call_id,
            cwd=execution.cwd,
            root=execution.root,
            home=execution.home,
            agent=execution.agent,
            session=execution.session,
            mode=execution.mode,
            interactive=execution.interactive is not False,
        )


@asks_for_loop
async def _commit_later(sitting: Sitting) -> str | None:
    stood = await off_thread(lambda: sitting.claims.commit(attended=True), blocking=True)
    return None if stood else EXPIRED


def attach(attachment: Attachment, tools: ToolRegistry) -> Callable[[], None]:
    """Register the fused listeners; returns what takes them away again."""
    context = tools.context
    disposers = [
        context.on(PRE_EXECUTE, "waterfall")(attachment.before),
        tools.guard(attachment.last_look),
        tools.guard(attachment.enter, last=True),
        context.on(POST_EXECUTE, "waterfall", prepend=True)(attachment.after),
        context.on(RESULT)(attachment.done),
    ]

    def detach() -> None:
        for dispose in reversed(disposers):
            dispose()

    return detach
