"""The doors of tidegate: load rules, decide calls, attach to a registry, guard a function."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from logging import getLogger
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar, overload

from attrs import frozen

from .audit.record import Record, Recorder
from .call import Call, Tool
from .compile.compiler import Outcome, compile_plan
from .compile.examples import check_examples
from .compile.stricter import loosened
from .decision import Decision
from .errors import CallError, Finding, RuleError
from .facts import Facts
from .kernel.json_values import snapshot
from .lang import RuleSet
from .lang.layers import in_file_order, load
from .plan.noting import PROMPT, SessionPast, begin
from .plan.plan import Plan
from .plan.sitting import Sitting

if TYPE_CHECKING:
    from .kernel.call import ToolOutcome
    from .kernel.registry import ToolRegistry
    from .plan.approval import Approved, Approver, Question

Function = TypeVar("Function", bound=Callable[..., Any])
PathLike = str | os.PathLike[str]

PATIENCE = 300.0
"""Seconds in which an approver must have answered."""


@frozen
class Sources:
    """The top rule file of each layer, and the folder of packs where it is not the shipped one."""

    managed: PathLike | None = None
    project: PathLike | None = None
    user: PathLike | None = None
    packs: Path | None = None


class Engine:
    """Judges calls by the rules that it loaded last; threads and tasks may share it.

    Attributes:
        findings: Those of the last load, also of one that failed.
    """

    def __init__(self, outcome: Outcome, sources: Sources, facts: Facts, recorders: Iterable[Recorder] = ()) -> None:
        if outcome.plan is None:
            raise RuleError(outcome.findings)
        self._outcome = outcome
        self._plan = outcome.plan
        self._sources = sources
        self._facts = facts
        self._recorders = tuple(recorders)
        self._loading = Lock()
        self.findings: tuple[Finding, ...] = outcome.findings

    @classmethod
    def load(
        cls,
        project: PathLike | None = None,
        *,
        managed: PathLike | None = None,
        user: PathLike | None = None,
        packs: Path | None = None,
        facts: Facts | None = None,
        recorders: Iterable[Recorder] = (),
    ) -> Engine:
        """Load rule files and make an engine of them.

        Args:
            project: The project's rule file.
            managed: The rule file of whoever runs the machine; it stands over the project's.
            user: The rule file of the person; it stands under the project's.
            packs: The folder of rule packs; by default the one that is shipped.
            facts: What rules may know besides the call; by default this machine and this process.
            recorders: Called with the record of every decision, in this order; one that raises is reported
                to the log of `tidegate` and changes nothing.

        Raises:
            RuleError: A rule file has an error; carries every finding.
            TypeError: No file is given.
        """
        if facts is None:
            from .facts.local import local_facts

            facts = local_facts()
        sources = Sources(managed, project, user, packs)
        return cls(read(sources, facts), sources, facts, recorders)

    @property
    def plan(self) -> Plan:
        """The plan by which new calls are judged."""
        return self._plan

    @property
    def rule_sets(self) -> tuple[RuleSet, ...]:
        """What the rule files of each layer say that are in force, the highest first."""
        return self._outcome.rule_sets

    @property
    def facts(self) -> Facts:
        """What rules may know besides the call."""
        return self._facts

    # Deciding.

    def decide(self, tool: str, arguments: Mapping[str, Any], *, trace: bool = False, **place: Any) -> Decision:
        """Decide one call and take from limits what it needs, as a hook does that cannot see the body.

        Args:
            tool: The tool's name.
            arguments: The arguments, a JSON object.
            trace: Keep an answer of every rule consulted, also of those that say nothing.
            place: What is known of the call: `cwd`, `root`, `home`, `agent`, `session`, `mode`, `interactive`, `at`,
                `call_id`. A folder that is not given is that of this process; see `Call`.

        Returns:
            The decision; `ask` is for whoever calls, and is `deny` where `interactive` is false.

        Raises:
            CallError: The arguments are no JSON object.
        """
        return self.judge(_call(tool, arguments, place), trace=trace)

    async def adecide(self, tool: str, arguments: Mapping[str, Any], *, trace: bool = False, **place: Any) -> Decision:
        """The same for a host with an event loop: what waits for a store does so in a thread."""
        from .plan.threads import off_thread

        call = _call(tool, arguments, place)
        blocking = Sitting(self._plan, call, self._facts).blocking
        return await off_thread(lambda: self.judge(call, trace=trace), blocking=blocking)

    def peek(self, tool: str, arguments: Mapping[str, Any], *, trace: bool = False, **place: Any) -> Decision:
        """Decide one call and take nothing from any limit, leaving no record; what was approved before is not used."""
        return self.look(_call(tool, arguments, place), trace=trace)

    def look(self, call: Call, *, trace: bool = False) -> Decision:
        """The same of a call that is one already."""
        sitting = Sitting(self._plan, call, self._facts, trace=trace)
        sitting.take_all()
        return sitting.settle()

    def judge(self, call: Call, *, trace: bool = False, unheard: bool = False) -> Decision:
        """Decide a call that is one already; see `decide`.

        Where it stays *unheard* how a question ends, a call that is asked about may run without another decision, and
        takes from limits at once.
        """
        sitting = Sitting(self._plan, call, self._facts, trace=trace)
        sitting.take_all()
        decision = sitting.settle()
        if decision.effect == "ask" and sitting.has_terms():
            from .plan.remembered import recall

            decision = recall(sitting, decision, self._facts)
        if sitting.rules.limits and (decision.effect == "allow" or (unheard and decision.effect == "ask")):
            full = sitting.claims.reserve()
            if full is not None:
                decision = decision._replace(effect="deny", rule=full.rule, reason=full.message)
            elif not sitting.claims.commit():
                decision = decision._replace(effect="deny", reason="a limit could not be counted")
        if decision.effect != "deny":  # nobody hears here how a question ends: the call may run
            unnoted = begin(sitting)
            if unnoted is not None:
                decision = decision._replace(effect="deny", reason=unnoted)
        sitting.decision = decision
        self.record(sitting, None)
        return decision

    # What happens in a session.

    def said(self, session: str, text: str) -> None:
        """Keep what a person said in a session, for rules that want to know where an argument comes from.

        Only the host says this, of what people wrote themselves: whatever stands in *text* is trusted as a source.
        """
        SessionPast(self._facts, session, recorded=False).hear(PROMPT, text)

    # Approving.

    def question(self, tool: str, arguments: Mapping[str, Any], **place: Any) -> Question | None:
        """The question about a call, for a host that asks by means of its own; `None` where no rule asks.

        It takes nothing from limits and leaves no record. `place` is as for `decide`.
        """
        from .plan.approval import Question

        sitting = Sitting(self._plan, _call(tool, arguments, place), self._facts)
        sitting.take_all()
        decision = sitting.settle()
        return Question.on_terms(sitting, decision, self._facts.digest) if decision.effect == "ask" else None

    def approve(self, question: Question, approved: Approved) -> str:
        """Keep a person's answer to a question, for the next call that is the one that was shown.

        Such a call passes where only rules with terms ask (kind `approval`), through `decide` as through an attached
        registry. One approved `once` passes once, in whichever process it comes first.

        Returns:
            The id of the approval, by which `tidegate approvals` lists and revokes it.

        Raises:
            Veto: The rules do not offer this answer, or not to this person, or the question was answered already.
            StoreError: It cannot be kept.
        """
        from .plan.remembered import approve

        return approve(question, approved, self._facts)

    # Attaching.

    def attach(
        self,
        tools: ToolRegistry,
        *,
        approver: Approver | None = None,
        patience: float = PATIENCE,
        fused: bool = True,
    ) -> Callable[[], None]:
        """Put the rules around a registry, as listeners on its waterfalls and a function in its guard slot.

        Args:
            tools: The registry.
            approver: Called with a `Question` where a rule asks, sync or async; answers `"allow"` for this one call,
                an `Approved` that says who it was and for how long, `"reject"` or `"cancel"`. Anything else refuses,
                as do an error (the log of `tidegate` has it), silence, and having no approver.
            patience: Seconds in which the approver must have answered.
            fused: False registers a listener for every rule of the present plan, which then stays with the
                registry also when other rules are loaded.

        Returns:
            What takes the listeners away again.
        """
        from .plan.attach import Attachment, attach
        from .plan.unfused import attach_unfused

        attachment = Attachment(self, tools, approver, patience)
        return attach(attachment, tools) if fused else attach_unfused(attachment, tools, self._plan)

    @overload
    def guard(self, function: Function) -> Function: ...

    @overload
    def guard(self, *, approver: Approver) -> Callable[[Function], Function]: ...

    def guard(self, function: Any = None, *, approver: Approver | None = None) -> Any:
        """Make a function a guarded tool of its own name: every call of it is judged before its body runs.

        Works for functions sync and async whose arguments are JSON values. A refused call raises `Veto`. Where a
        rule asks, *approver* is asked; without one, asking is refusing.
        """
        from .adapters.function import guard

        if function is None:
            return lambda later: guard(self, later, approver)
        return guard(self, function, approver)

    # Loading again.

    def reload(self) -> bool:
        """Load the rule files again; calls under way keep the plan with which they began.

        Returns:
            Whether the new rules are in force. Where they have an error, or where the present ones say
            `reload = "stricter"` and it cannot be shown that nothing is loosened, the present ones stay and
            `findings` says why.
        """
        with self._loading:
            try:
                outcome = read(self._sources, self._facts)
            except RuleError as error:
                self.findings = error.findings
                return False
            held = loosened(self._outcome, outcome)
            self.findings = (*outcome.findings, *held)
            if held:
                return False
            self._take(outcome)
            return True

    def accept(self) -> None:
        """Load the rule files again on the word of an operator, also where they are looser.

        Raises:
            RuleError: A rule file has an error; the present rules stay.
        """
        with self._loading:
            outcome = read(self._sources, self._facts)
            self.findings = outcome.findings
            self._take(outcome)

    def _take(self, outcome: Outcome) -> None:
        assert outcome.plan is not None  # noqa: S101 - `read` raises where there is none
        outcome.plan.prepare(self._plan)  # before it is in force, so that no call waits for it
        self._outcome, self._plan = outcome, outcome.plan

    # Recording.

    def record(self, sitting: Sitting, outcome: ToolOutcome | None) -> None:
        """Hand the record of a decision to the recorders."""
        if self._recorders and sitting.decision is not None:
            record = Record.of(sitting, outcome)
            for recorder in self._recorders:
                try:
                    recorder(record)
                except Exception:
                    getLogger("tidegate").exception("a recorder of decisions failed")


def _call(tool: str, arguments: Mapping[str, Any], place: Mapping[str, Any]) -> Call:
    if not isinstance(arguments, Mapping):
        raise CallError(f"the arguments are a {type(arguments).__name__}, and not an object")
    return Call(Tool(tool), snapshot(arguments), **place)


def read(sources: Sources, facts: Facts) -> Outcome:
    """Read the rule files and compile them; the examples are run unless this digest has held before.

    Raises:
        RuleError: Something is wrong with the rules; carries every finding.
    """
    loaded = load(managed=sources.managed, project=sources.project, user=sources.user, packs=sources.packs)
    outcome = compile_plan(loaded, now=facts.clock.now(), protect=facts.own)
    if outcome.plan is None:
        raise RuleError(in_file_order([*outcome.findings, *check_examples(outcome)], loaded.files))
    if facts.verified is None or not facts.verified.knows(outcome.plan.digest):
        failing = check_examples(outcome)
        if failing:
            raise RuleError(in_file_order([*outcome.findings, *failing], loaded.files))
        if facts.verified is not None:
            facts.verified.note(outcome.plan.digest)
    return outcome
