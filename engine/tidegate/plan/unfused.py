"""The plan as one listener per rule: the plain form, to which the fused one must be equal."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from attrs import evolve

from ..kernel.call import ToolExecution, ToolOutcome
from ..kernel.phases import POST_EXECUTE, PRE_EXECUTE, RESULT
from ..kernel.sync import asks_for_loop
from .attach import Attachment
from .plan import Plan
from .rule import Rule
from .shaping import in_order
from .sitting import Sitting
from .threads import off_thread

if TYPE_CHECKING:
    from ..kernel.registry import ToolRegistry

Next = Callable[..., Awaitable[Any]]


def attach_unfused(attachment: Attachment, tools: ToolRegistry, plan: Plan) -> Callable[[], None]:
    """Register a listener for every rule of *plan*, in waterfall order; returns what takes them away again."""
    context = tools.context
    key = attachment.key

    @asks_for_loop
    async def admit(execution: ToolExecution, call_next: Next) -> Any:
        sitting = attachment.sit(execution, plan)
        return await call_next(evolve(execution, context={**execution.context, key: sitting}))

    @asks_for_loop
    async def read(execution: ToolExecution, call_next: Next) -> Any:
        _sitting(execution, key).read()
        return await call_next()

    @asks_for_loop
    async def settle(execution: ToolExecution, call_next: Next) -> Any:
        return await attachment.pass_on(_sitting(execution, key), execution, call_next)

    before: list[Callable[..., Any]] = [admit]
    before += [_rewriter(rule, key) for layer in reversed(plan.layers) for rule in layer.rewrites]
    before.append(read)
    before += [_consultant(index, rule, key) for index, layer in enumerate(plan.layers) for rule in layer.guards]
    before.append(settle)
    shapes = in_order(rule for layer in plan.layers for rule in layer.shapes)

    disposers: list[Callable[[], Any]] = [context.on(PRE_EXECUTE, "waterfall")(listener) for listener in before]
    disposers.append(attachment.end_timing)
    disposers += [tools.guard(attachment.last_look), tools.guard(attachment.enter, last=True)]
    # What shapes first stands innermost, since a result comes out from the inside.
    disposers.append(context.on(POST_EXECUTE, "waterfall", prepend=True)(_noter(attachment)))
    disposers += [context.on(POST_EXECUTE, "waterfall", prepend=True)(_shaper(rule, attachment)) for rule in shapes]
    disposers.append(context.on(POST_EXECUTE, "waterfall", prepend=True)(_settler(attachment)))
    disposers.append(context.on(RESULT)(attachment.done))

    def detach() -> None:
        for dispose in reversed(disposers):
            dispose()

    return detach


def _sitting(execution: ToolExecution, key: str) -> Sitting:
    sitting = execution.context[key]
    assert isinstance(sitting, Sitting)  # noqa: S101 - `admit` put it there
    return sitting


def _rewriter(rule: Rule, key: str) -> Callable[..., Any]:
    @asks_for_loop
    async def rewrite(execution: ToolExecution, call_next: Next) -> Any:
        sitting = _sitting(execution, key)
        if rule in sitting.rules.rewrites:
            sitting.rewrite(rule)
        return await call_next()

    return rewrite


def _consultant(index: int, rule: Rule, key: str) -> Callable[..., Any]:
    @asks_for_loop
    async def consult(execution: ToolExecution, call_next: Next) -> Any:
        sitting = _sitting(execution, key)
        for applicable, grants in sitting.rules.layers[index].guards:
            if applicable is rule:
                consult = partial(sitting.consult, index, rule, grants=grants)
                await off_thread(consult, blocking=sitting.blocking)
        return await call_next()

    return consult


def _shaper(rule: Rule, attachment: Attachment) -> Callable[..., Any]:
    @asks_for_loop
    async def shape_result(_: ToolOutcome, call_next: Next) -> ToolOutcome:
        outcome: ToolOutcome = await call_next()
        sitting = attachment.sitting_of(outcome)
        if rule not in sitting.rules.shapes:
            return outcome
        return await attachment.shape([rule], sitting, outcome)

    return shape_result


def _noter(attachment: Attachment) -> Callable[..., Any]:
    @asks_for_loop
    async def note(_: ToolOutcome, call_next: Next) -> ToolOutcome:
        return await attachment.noted_end(await call_next())

    return note


def _settler(attachment: Attachment) -> Callable[..., Any]:
    @asks_for_loop
    async def settle(_: ToolOutcome, call_next: Next) -> ToolOutcome:
        outcome: ToolOutcome = await call_next()
        await attachment.settle(outcome)
        return outcome

    return settle
