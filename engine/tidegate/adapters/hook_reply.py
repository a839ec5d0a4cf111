"""From the bytes that a harness writes to its hook to the reply: the same for every harness and every host.

One call of `respond` is one event. Whoever calls it says where engines come from: a process of its own for each event
loads one, a process that stays keeps them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from importlib import import_module
from typing import TYPE_CHECKING, cast

from attrs import evolve

from ..call import Call
from ..decision import Decision
from ..errors import CallError, RuleError
from ..plan.approval import Question
from ..plan.sitting import Sitting
from .hook_answers import Answer, Answers, Reply, Wanted, answers_of, dumped, refusal
from .hook_calls import Event, Harness, text, told

if TYPE_CHECKING:
    from ..engine import Engine

LONGEST_REASON = 4_000


Engines = Callable[[Wanted, Call], AbstractContextManager["Engine"]]
"""Gives the engine that judges a call; it protects what `installed_hooks` names, and counts beyond one process."""


def respond(wanted: Wanted, data: bytes, environ: Mapping[str, str], engines: Engines) -> Reply:
    """The reply to one event; whatever goes wrong is a valid refusal, and nothing is raised.

    Args:
        wanted: What stands on the hook's command line.
        data: What the harness wrote.
        environ: The variables of the hook's own process.
        engines: Where the engine comes from; a `RuleError` that it raises is told as one.
    """
    try:
        return Reply(dumped(_answer(wanted, data, environ, engines)))
    except CallError as error:
        reason = f"the event cannot be read: {error}"
    except RuleError as error:
        wrong = sum(finding.severity == "error" for finding in error.findings)
        errors = "an error" if wrong == 1 else f"{wrong} errors"
        reason = f"the rules have {errors}, and a person has to mend them (`tidegate check {_files(wanted)}`)"
    except Exception as error:  # noqa: BLE001 - whatever it was, the call is refused
        reason = "the rules could not be applied; a person should run `tidegate doctor`, and report it"
        reply = refusal(wanted.harness, wanted.event, data, reason)
        return reply._replace(stderr=f"tidegate hook: {type(error).__name__}: {str(error)!a}\n".encode() + reply.stderr)
    return refusal(wanted.harness, wanted.event, data, reason)


def _files(wanted: Wanted) -> str:
    named = (("", wanted.rules), ("--managed ", wanted.managed), ("--user ", wanted.user))
    return " ".join(f"{option}{file}" for option, file in named if file)


def harness_of(name: str) -> Harness:
    """What turns the events of a harness into calls; only its own module is imported.

    Raises:
        ModuleNotFoundError: There is no such harness.
    """
    return cast(Harness, import_module(f".{name.replace('-', '_')}", __package__))


def _answer(wanted: Wanted, data: bytes, environ: Mapping[str, str], engines: Engines) -> Answer:
    answers, harness = answers_of(wanted.harness), harness_of(wanted.harness)
    event = _event(wanted, answers, data)
    if event is None:
        return {}
    call = harness.call_of(event, environ)
    if not answers.asks(event.name):
        call = evolve(call, interactive=False)
    with engines(wanted, call) as engine:
        if event.stage == "before":
            return _before(answers, harness, event, call, engine.judge(call, unheard=True))
        sitting = Sitting(engine.plan, call, engine.facts)
        if event.stage == "permission":
            return _at_permission(answers, event, sitting)
        sitting.read()
        return harness.after(event, sitting) if sitting.rules.shapes else answers.no_opinion(event.name)


def _event(wanted: Wanted, answers: Answers, data: bytes) -> Event | None:
    """The event, `None` for one that the rules have nothing to do with.

    Raises:
        CallError: It cannot be read, or is not the one for which the hook was installed.
    """
    said = told(data)
    name = text(said, "hook_event_name")
    if name is not None and wanted.event is not None and name != wanted.event:
        raise CallError(f"it is {name!a}, and the hook is installed for `{wanted.event}`")
    name = name or wanted.event
    if name is None:
        raise CallError("it is no event of a hook: there is no `hook_event_name`")
    stage = answers.EVENTS.get(name)
    return None if stage is None else Event(name, stage, said)


def _before(answers: Answers, harness: Harness, event: Event, call: Call, decision: Decision) -> Answer:
    if decision.effect == "deny":
        return answers.denied(event.name, decision.reason[:LONGEST_REASON] or "the rules refuse this call")
    arguments = decision.arguments if decision.arguments is not call.arguments else None
    misfit = harness.misfit(event, call, decision) if arguments is not None else ""
    if misfit:
        return answers.denied(event.name, misfit)
    if decision.effect == "ask":
        return answers.asked(event.name, _question(call, decision), arguments)
    said = answers.no_opinion(event.name) if arguments is None else answers.rewritten(event.name, arguments)
    return answers.reminded(event.name, said, decision.reason[:LONGEST_REASON]) if decision.reason else said


def _question(call: Call, decision: Decision) -> str:
    """What the person is shown: every reason, and what the call would do."""
    question = Question.of(call, decision)
    lines = [*question.reasons, *(f"it does: {effect}" for effect in question.effects)]
    return "\n".join(lines)[:LONGEST_REASON] or "the rules ask about this call"


def _at_permission(answers: Answers, event: Event, sitting: Sitting) -> Answer:
    """The answer where the harness is about to ask the person: a denial, or nothing, so that the person is asked.

    The call was judged before, and what it takes from limits was taken then. Arguments that a rule would still
    change are not those that were judged, and here they could only be changed by answering for the person.
    """
    sitting.take_all()
    decision = sitting.settle()
    limits = any(said.field == "limit" and said.rule == decision.rule for said in decision.trace)
    if decision.effect == "deny" and not limits:
        return answers.denied(event.name, decision.reason[:LONGEST_REASON] or "the rules refuse this call")
    if decision.arguments is not sitting.original.arguments:
        untouched = "a rule rewrites this call, and no hook before it did; install the hook for that event"
        return answers.denied(event.name, untouched)
    return answers.no_opinion(event.name)
