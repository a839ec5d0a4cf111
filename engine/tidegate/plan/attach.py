"""A plan around a registry: listeners on its waterfalls, and one function in its guard slot."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from logging import getLogger
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

from attrs import evolve

from ..call import Call, Tool
from ..decision import Decision
from ..errors import Veto
from ..facts import Facts
from ..kernel.call import ToolExecution, ToolOutcome
from ..kernel.phases import EXECUTE, POST_EXECUTE, PRE_EXECUTE, RESULT
from ..kernel.sync import asks_for_loop
from .approval import FORGOTTEN, LATE, NO_APPROVER, OUTDATED, UNAVAILABLE, Approved, Approver, Question
from .noting import begin, end, hear
from .plan import Plan
from .remembered import keep, recall, with_approval
from .rule import Rule
from .shaping import is_long, output_of, reminded, shape
from .sitting import Sitting
from .threads import off_thread, within
from .timing import in_time, timed

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
        self._timing = Lock()
        self._stop_timing: Callable[[], object] | None = None
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
            if sitting.rules.timeouts:
                self.begin_timing()
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
        if decision.effect != "allow":
            return decision.reason or UNJUDGED
        if sitting.call.arguments is not execution.arguments:
            return UNJUDGED
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
        return _enter_later(sitting) if sitting.blocking else _enter(sitting)

    def begin_timing(self) -> None:
        """Stand around the dispatch from now on; done where a rule bounds it, since every call pays for a wrapper."""
        with self._timing:
            if self._stop_timing is None:
                self._stop_timing = self._tools.context.on(EXECUTE, "waterfall")(self.bound)

    def end_timing(self) -> None:
        """Stand there no longer, whatever calls are still under way."""
        with self._timing:
            stop, self._stop_timing = self._stop_timing, lambda: None
        if stop is not None:
            stop()

    @asks_for_loop
    def bound(self, execution: ToolExecution, call_next: Next) -> Awaitable[Any]:
        """Around the dispatch: end the call when its time is over, where a rule bounds it."""
        sitting = execution.context.get(self.key)
        if not isinstance(sitting, Sitting):  # it was dispatched past us; the guard slot judges it
            sitting = self.sit(execution)
            sitting.read()
        if not sitting.rules.timeouts:
            return call_next()
        rules = timed(sitting)
        return in_time(rules, sitting, call_next, self._engine.facts.clock) if rules else call_next()

    @asks_for_loop
    async def after(self, outcome: ToolOutcome, call_next: Next) -> ToolOutcome:
        """Shape what comes out of all other listeners, and tell the limits how the call ended."""
        outcome = await self.noted_end(await call_next())
        sitting = self.sitting_of(outcome)
        shaped = await self.shape(sitting.rules.shapes, sitting, outcome)
        await self.settle(shaped)
        return shaped

    async def shape(self, rules: Sequence[Rule], sitting: Sitting, outcome: ToolOutcome) -> ToolOutcome:
        """Let output rules shape the outcome; an event loop does not wait for long ones."""
        if not rules:
            return outcome
        cases = sitting.cases
        shaped, answers = await off_thread(lambda: shape(rules, outcome, cases), blocking=is_long(outcome))
        sitting.shaped += answers
        return shaped

    async def noted_end(self, outcome: ToolOutcome) -> ToolOutcome:
        """Let rules note how a call ended, and put before its result what the model is to be reminded of."""
        sitting = outcome.call.context.get(self.key)
        if not isinstance(sitting, Sitting) or not outcome.entered:
            return outcome
        if sitting.rules.observers:
            output = output_of(outcome)
            await off_thread(lambda: end(sitting, output), blocking=sitting.blocking)
        return reminded(outcome, sitting.claims.notices) if sitting.claims.notices else outcome

    async def settle(self, outcome: ToolOutcome) -> None:
        """Tell the limits, and rules that listen, what came out of a call whose body was entered."""
        sitting = outcome.call.context.get(self.key)
        if isinstance(sitting, Sitting) and outcome.entered and sitting.rules.observers:
            hear(sitting, output_of(outcome))
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
        if decision.effect == "ask" and sitting.has_terms():
            asked = decision
            decision = await off_thread(lambda: recall(sitting, asked, self._engine.facts), blocking=True)
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
        facts = self._engine.facts
        question = await off_thread(lambda: Question.on_terms(sitting, decision, facts.digest), blocking=True)
        reply: object = None
        try:
            reply = await within(min(self._patience, question.patience), self._approver, question)
        except TimeoutError:
            refused: str | None = LATE
        except Exception:  # noqa: BLE001 - not silent: the host reads it in the log, and the model a refusal
            _log.exception("the approver failed on a question about `%s`", sitting.call.tool.name)
            refused = UNAVAILABLE
        else:
            refused = question.refusal_for(reply, facts.clock.now())
            if refused is None and not await self._still_holds(sitting, question):
                refused = OUTDATED
        approved = reply if isinstance(reply, Approved) else Approved()
        kept = ""
        if refused is None and approved.scope != "once":
            kept, refused = await off_thread(lambda: _kept(question, approved, facts), blocking=True)
        if refused is None:
            return with_approval(decision, approved.by, approved.scope, kept)
        return decision._replace(effect="deny", reason=refused)

    async def _still_holds(self, sitting: Sitting, question: Question) -> bool:
        """Whether the call would do now what the person was told, who may have taken minutes to answer."""
        again = Sitting(sitting.plan, sitting.original, self._engine.facts)
        await off_thread(again.take_all, blocking=again.blocking)
        now = await off_thread(again.settle, blocking=again.blocking)
        if now.effect != "ask":
            return False
        asked = await off_thread(lambda: Question.on_terms(again, now, self._engine.facts.digest), blocking=True)
        return (
            now.effects == question.decision.effects
            and now.arguments == question.decision.arguments
            and asked.reasons == question.reasons
            and asked.bound == question.bound
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
            tool = Tool(execution.name, definition.origin, definition.server, definition.raw_name, definition.told)
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


def _kept(question: Question, approved: Approved, facts: Facts) -> tuple[str, str | None]:
    """The id under which an approval is kept, or why the call is refused: what was allowed cannot be kept."""
    try:
        return keep(question, approved, facts), None
    except Exception:  # noqa: BLE001 - not silent: the host reads it in the log, and the model a refusal
        _log.exception("an approval of `%s` could not be kept", question.call.tool.name)
        return "", FORGOTTEN


@asks_for_loop
async def _enter_later(sitting: Sitting) -> str | None:
    return await off_thread(lambda: _enter(sitting), blocking=True)


def _enter(sitting: Sitting) -> str | None:
    unnoted = begin(sitting)
    if unnoted is not None:
        return unnoted
    return None if sitting.claims.commit(attended=True) else EXPIRED


def attach(attachment: Attachment, tools: ToolRegistry) -> Callable[[], None]:
    """Register the fused listeners; returns what takes them away again."""
    context = tools.context
    disposers: list[Callable[[], Any]] = [
        context.on(PRE_EXECUTE, "waterfall")(attachment.before),
        attachment.end_timing,
        tools.guard(attachment.last_look),
        tools.guard(attachment.enter, last=True),
        context.on(POST_EXECUTE, "waterfall", prepend=True)(attachment.after),
        context.on(RESULT)(attachment.done),
    ]

    def detach() -> None:
        for dispose in reversed(disposers):
            dispose()

    return detach
